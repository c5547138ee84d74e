// Reading the parts of a line: names, types, values, source locations.
//
// Every function moves forward only, never past the line's end, and is called a fixed number of times
// for the same text. Where `marking` is false the token's end is left alone: then the text is only
// looked at.

#ifndef TORCH_IR_TAKE_H
#define TORCH_IR_TAKE_H

#include "tree_sitter/parser.h"

static inline int32_t peek(const TSLexer *lexer)
{
  return lexer->lookahead;
}

static inline void take(TSLexer *lexer)
{
  lexer->advance(lexer, false);
}

// What is skipped becomes white space before the token, and so does all that was taken before.
static inline void skip(TSLexer *lexer)
{
  lexer->advance(lexer, true);
}

static inline void mark(TSLexer *lexer)
{
  lexer->mark_end(lexer);
}

static inline bool is_blank(int32_t c)
{
  return c == ' ' || c == '\t';
}

static inline bool is_digit(int32_t c)
{
  return c >= '0' && c <= '9';
}

static inline bool is_letter(int32_t c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// How a character changes the depth of brackets.
static inline int bracket(int32_t c)
{
  switch (c) {
  case '(':
  case '[':
  case '{':
  case '<':
    return 1;
  case ')':
  case ']':
  case '}':
  case '>':
    return -1;
  default:
    return 0;
  }
}

// At the line's end? A NUL byte also looks like the end of the text, so eof() decides.
static inline bool at_end(const TSLexer *lexer)
{
  int32_t c = lexer->lookahead;
  return c == '\n' || c == '\r' || (c == 0 && lexer->eof(lexer));
}

// Returns how many there were. A byte order mark is one, too: texts get joined.
static inline uint32_t skip_blanks(TSLexer *lexer)
{
  const int32_t byte_order_mark = 0xFEFF;
  uint32_t count = 0;
  for (; is_blank(peek(lexer)) || peek(lexer) == byte_order_mark; count++)
    skip(lexer);
  return count;
}

static inline void take_blanks(TSLexer *lexer)
{
  while (is_blank(peek(lexer)))
    take(lexer);
}

static inline bool take_char(TSLexer *lexer, int32_t c)
{
  if (peek(lexer) != c)
    return false;
  take(lexer);
  return true;
}

// Takes `word` as far as it matches.
static bool take_word(TSLexer *lexer, const char *word)
{
  for (; *word; word++) {
    if (!take_char(lexer, *word))
      return false;
  }
  return true;
}

static bool take_digits(TSLexer *lexer)
{
  if (!is_digit(peek(lexer)))
    return false;
  while (is_digit(peek(lexer)))
    take(lexer);
  return true;
}

static bool only_blanks_left(TSLexer *lexer)
{
  take_blanks(lexer);
  return at_end(lexer);
}

// The same where a comment may follow.
static inline bool at_end_or_comment(TSLexer *lexer)
{
  return peek(lexer) == '#' || at_end(lexer);
}

// Takes the rest of the line; its trailing blanks are not marked.
static void take_rest(TSLexer *lexer)
{
  while (!at_end(lexer)) {
    if (is_blank(peek(lexer))) {
      mark(lexer);
      take_blanks(lexer);
      if (at_end(lexer))
        return;
    } else {
      take(lexer);
    }
  }
  mark(lexer);
}

// ---- Defined names ------------------------------------------------------------------------------

// What follows a value's name where it is defined.
enum NameEnd {
  NAME_TYPED,     // ` : `, taken
  NAME_ASSIGNED,  // ` = `, taken
  NAME_LISTED,    // `, ` before the next `%`, taken
  NAME_COMMA,     // `,` as the last thing of the line but a comment
  NAME_CLOSED,    // `)` before `:`, `{` or the line's end
  NAME_BRACKET,   // `[TYPE, SHAPE]` as the last thing of the line
  NAME_CUT,       // the line's end
};

// Takes `[FLOAT, 2x3]`, printable_graph's types, as the last thing of the line; `[]` is that of a value without one.
static bool take_printable_type(TSLexer *lexer, bool marking)
{
  take(lexer);
  bool is_type = (peek(lexer) >= 'A' && peek(lexer) <= 'Z') || peek(lexer) == ']';
  for (uint32_t depth = 1; depth > 0;) {
    if (at_end(lexer))
      return false;
    if (peek(lexer) == '[')
      depth++;
    else if (peek(lexer) == ']')
      depth--;
    take(lexer);
  }
  if (marking)
    mark(lexer);
  return is_type && only_blanks_left(lexer);
}

// Is the next character, after a taken ` :` or ` =`, one that makes it a separator?
static inline bool ends_separator(TSLexer *lexer)
{
  return is_blank(peek(lexer)) || at_end(lexer);
}

// Takes a name, from after its `%`. A name may hold nearly any byte, so it ends only where what
// follows says so. `*ret_has_blank` tells whether the name itself holds a blank.
static enum NameEnd take_defined_name(TSLexer *lexer, bool marking, bool *ret_has_blank)
{
  bool had_blank = false;
  *ret_has_blank = false;
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    bool may_end = is_blank(c) || c == ',' || c == ')' || c == '[';
    if (!may_end) {
      *ret_has_blank = had_blank;
      take(lexer);
      continue;
    }

    if (marking)
      mark(lexer);
    if (c == '[') {
      if (take_printable_type(lexer, false))
        return NAME_BRACKET;
      continue;
    }
    if (!is_blank(c))
      take(lexer);
    had_blank = had_blank || is_blank(peek(lexer));
    if (c == ')' && peek(lexer) == ':')
      return NAME_CLOSED;
    take_blanks(lexer);
    switch (c) {
    case ',':
      if (peek(lexer) == '%')
        return NAME_LISTED;
      if (at_end_or_comment(lexer))
        return NAME_COMMA;
      break;
    case ')':
      if (peek(lexer) == '{' || at_end(lexer))
        return NAME_CLOSED;
      break;
    default:
      if (at_end(lexer))
        return NAME_CUT;
      if (take_char(lexer, ':')) {
        if (ends_separator(lexer))
          return NAME_TYPED;
      } else if (take_char(lexer, '=')) {
        if (ends_separator(lexer))
          return NAME_ASSIGNED;
      }
    }
  }
  if (marking)
    mark(lexer);
  return NAME_CUT;
}

// ---- Types, operators, values -------------------------------------------------------------------

// Takes a type up to a blank, `,` or `)` outside brackets, or the line's end. False when there is
// none, its brackets don't match, or words follow.
static bool take_type(TSLexer *lexer, bool marking)
{
  uint32_t depth = 0;
  bool any = false;
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    if (is_blank(c)) {
      if (marking && depth == 0)
        mark(lexer);
      take_blanks(lexer);
      c = peek(lexer);
      // A separator inside brackets means that one of them is missing.
      if (c == '=' || at_end(lexer))
        return any && depth == 0;
      if (depth == 0)
        return any && (c == ',' || c == ')' || c == '#');
      continue;
    }
    if (depth == 0 && (c == ',' || c == ')' || (c == '=' && !any)))
      break;
    int step = bracket(c);
    if (step < 0 && depth == 0)
      return false;
    depth += (uint32_t)step;
    any = true;
    take(lexer);
  }
  if (marking)
    mark(lexer);
  return any && depth == 0;
}

// Takes an operator's name. `*ret_qualified` tells whether it has a `::`.
static bool take_operator(TSLexer *lexer, bool *ret_qualified)
{
  bool any = false;
  int32_t last = 0;
  *ret_qualified = false;
  for (;;) {
    int32_t c = peek(lexer);
    if (is_blank(c) || c == '(' || c == '[' || c == ')' || c == '=' || c == '%' || c == ',' || at_end(lexer))
      return any;
    if (c == ':' && last == ':')
      *ret_qualified = true;
    last = c;
    any = true;
    take(lexer);
  }
}

// Takes a quoted string with its escapes; false when the line ends first.
static bool take_string(TSLexer *lexer)
{
  int32_t quote = peek(lexer);
  take(lexer);
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    take(lexer);
    if (c == quote)
      return true;
    if (c == '\\' && !at_end(lexer))
      take(lexer);
  }
  return false;
}

enum ValueEnd { VALUE_WHOLE, VALUE_CUT, VALUE_BAD };

// Takes an attribute's value up to `,` or `]` outside brackets and strings. A tensor's elements
// come before its bracket, so blanks belong to a value. A TypeProto is printed with its line
// breaks: the only value that goes on in the next line.
static enum ValueEnd take_value(TSLexer *lexer, bool marking)
{
  const char *cut = "<Type Proto ";
  uint32_t depth = 0;
  bool any = false;
  bool in_word = false;  // Then `'` is not a quote.
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    if (*cut)
      cut = c == *cut ? cut + 1 : "never";
    if (is_blank(c)) {
      if (marking && depth == 0)
        mark(lexer);
      take_blanks(lexer);
      in_word = false;
      if (depth == 0 && (peek(lexer) == ',' || peek(lexer) == ']'))
        return any ? VALUE_WHOLE : VALUE_BAD;
      continue;
    }
    if (depth == 0 && (c == ',' || c == ']')) {
      if (marking)
        mark(lexer);
      return any ? VALUE_WHOLE : VALUE_BAD;
    }
    any = true;
    if (c == '"' || (c == '\'' && !in_word)) {
      if (!take_string(lexer))
        return VALUE_BAD;
      in_word = true;
      continue;
    }
    int step = bracket(c);
    if (step < 0 && depth == 0)
      return VALUE_BAD;
    depth += (uint32_t)step;
    in_word = is_letter(c) || is_digit(c);
    take(lexer);
  }
  if (*cut)
    return VALUE_BAD;
  if (marking)
    mark(lexer);
  return VALUE_CUT;
}

// ---- Ends of lines ------------------------------------------------------------------------------

// Takes `FILE:LINE:COLUMN` up to the line's end or to another ` #`; false when it is something else.
static bool take_location(TSLexer *lexer, bool marking)
{
  // How much of `:LINE:COLUMN` came last: 1 `:`, 2 `:1`, 3 `:1:`, 4 `:1:1`.
  int match = 0;
  bool has_file = false;
  for (;;) {
    int32_t c = peek(lexer);
    if (is_blank(c) || at_end(lexer)) {
      if (marking)
        mark(lexer);
      take_blanks(lexer);
      if (at_end(lexer) || peek(lexer) == '#')
        return has_file && match == 4;
      match = 0;
      continue;
    }
    if (c == ':') {
      match = match == 2 || match == 4 ? 3 : 1;
    } else if (is_digit(c)) {
      has_file = has_file || match == 0;
      match += match & 1;
    } else {
      has_file = true;
      match = 0;
    }
    take(lexer);
  }
}

// Takes `):`, `)::`, `) {` or just `)`.
static void take_header_end(TSLexer *lexer, bool marking)
{
  take(lexer);
  while (take_char(lexer, ':'))
    ;
  if (marking)
    mark(lexer);
  take_blanks(lexer);
  if (take_char(lexer, '{') && marking)
    mark(lexer);
}

#endif
