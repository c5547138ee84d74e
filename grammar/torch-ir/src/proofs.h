// Proofs: they look at a part of a line and tell whether it is as IR would have it.

#ifndef TORCH_IR_PROOFS_H
#define TORCH_IR_PROOFS_H

#include "take.h"

enum ListEnd {
  LIST_BAD,
  LIST_ASSIGNED,    // a list of definitions: ` = ` follows, taken
  LIST_PARAMETERS,  // a list of parameters: the line ends as a header's line does
};

typedef struct List {
  bool typed;      // Every name has a type.
  bool has_blank;  // Some name holds a blank.
} List;

// Reads on after the first name of a list, which ended as `end` tells.
static enum ListEnd check_list(TSLexer *lexer, enum NameEnd end, List *list)
{
  for (;;) {
    switch (end) {
    case NAME_TYPED:
      take_blanks(lexer);
      if (!is_letter(peek(lexer)) && peek(lexer) != '(')
        return LIST_BAD;
      if (!take_type(lexer, false))
        return LIST_BAD;
      if (take_char(lexer, '='))
        return ends_separator(lexer) ? LIST_ASSIGNED : LIST_BAD;
      if (peek(lexer) == ')')
        take_header_end(lexer, false);
      else if (take_char(lexer, ','))
        take_blanks(lexer);
      if (at_end_or_comment(lexer))
        return LIST_PARAMETERS;
      if (peek(lexer) != '%')
        return LIST_BAD;
      break;
    case NAME_ASSIGNED:
      list->typed = false;
      return LIST_ASSIGNED;
    case NAME_LISTED:
      list->typed = false;
      break;
    case NAME_COMMA:
    case NAME_CLOSED:
    case NAME_BRACKET:
      list->typed = false;
      return LIST_PARAMETERS;
    case NAME_CUT:
      return LIST_BAD;
    }
    take(lexer);
    bool has_blank;
    end = take_defined_name(lexer, false, &has_blank);
    list->has_blank = list->has_blank || has_blank;
  }
}

// A list inside a line, from its `%` on.
static enum ListEnd check_whole_list(TSLexer *lexer, List *list)
{
  *list = (List){ .typed = true };
  take(lexer);
  if (is_blank(peek(lexer)))
    return LIST_BAD;
  enum NameEnd end = take_defined_name(lexer, false, &list->has_blank);
  enum ListEnd list_end = check_list(lexer, end, list);
  // What ends a header after a name has not been taken, unlike what ends it after a type.
  if (list_end != LIST_PARAMETERS)
    return list_end;
  while (take_char(lexer, ':'))
    ;
  take_char(lexer, '{');
  return only_blanks_left(lexer) ? LIST_PARAMETERS : LIST_BAD;
}

// `%a, %b)` or `)`, after the opening bracket.
static bool check_refs(TSLexer *lexer, bool *ret_empty)
{
  *ret_empty = peek(lexer) == ')';
  while (take_char(lexer, '%')) {
    uint32_t depth = 0;
    for (;;) {
      int32_t c = peek(lexer);
      if (c == ',' || c == '"' || c == '\'' || is_blank(c) || at_end(lexer) || (c == ')' && depth == 0))
        break;
      depth += c == '(' ? 1 : c == ')' ? (uint32_t)-1 : 0;
      take(lexer);
    }
    if (!take_char(lexer, ','))
      break;
    take_blanks(lexer);
  }
  return take_char(lexer, ')');
}

// What follows a call's arguments. `*ret_any` tells whether there is something.
static bool check_tail(TSLexer *lexer, bool *ret_any)
{
  take_blanks(lexer);
  *ret_any = !at_end(lexer);
  if (take_char(lexer, ';'))
    return only_blanks_left(lexer);
  if (take_char(lexer, ',')) {
    take_blanks(lexer);
    if (!take_word(lexer, "scope:"))
      return false;
    while (peek(lexer) != '#' && !at_end(lexer)) {
      // The text of a node inside the text of a list, not a node.
      if (peek(lexer) == '\'' || peek(lexer) == '\\')
        return false;
      take(lexer);
    }
  }
  if (at_end(lexer))
    return true;
  if (!take_char(lexer, '#'))
    return false;
  take_blanks(lexer);
  return take_location(lexer, false);
}

static bool check_refs_and_tail(TSLexer *lexer)
{
  bool ignored;
  return check_refs(lexer, &ignored) && check_tail(lexer, &ignored);
}

static bool check_attributes(TSLexer *lexer)
{
  take_blanks(lexer);
  while (peek(lexer) != ']') {
    bool any = false;
    for (; is_letter(peek(lexer)) || is_digit(peek(lexer)); any = true)
      take(lexer);
    take_blanks(lexer);
    if (!any)
      return false;
    if (take_char(lexer, '=')) {
      take_blanks(lexer);
      if (take_value(lexer, false) != VALUE_WHOLE)
        return false;
    }
    if (take_char(lexer, ','))
      take_blanks(lexer);
    else if (peek(lexer) != ']')
      return false;
  }
  take(lexer);
  return true;
}

// A whole call, up to the line's end.
static bool check_call(TSLexer *lexer)
{
  bool ignored;
  bool python = peek(lexer) == '^';
  if (!python && !is_letter(peek(lexer)))
    return false;
  if (!take_operator(lexer, &ignored))
    return false;
  if (take_char(lexer, '[') && !check_attributes(lexer))
    return false;
  if (!take_char(lexer, '('))
    return false;
  return python || check_refs_and_tail(lexer);
}

// The beginning of a call, at a line's start: an operator that is called, or a qualified one.
static bool check_call_head(TSLexer *lexer, bool is_doubtful)
{
  bool qualified;
  take_blanks(lexer);
  if (at_end(lexer) || peek(lexer) == '^')
    return true;
  if (!is_letter(peek(lexer)) || !take_operator(lexer, &qualified))
    return false;
  if (qualified || peek(lexer) == '[')
    return true;
  if (!take_char(lexer, '('))
    return false;
  return !is_doubtful || peek(lexer) == '%' || peek(lexer) == ')';
}

// The beginning of a type, far enough to tell it from words.
static bool check_type_head(TSLexer *lexer)
{
  bool qualified;
  take_blanks(lexer);
  int32_t c = peek(lexer);
  // `__torch__...`; and a missing type is damage rather than prose.
  if (c == '_' || c == '(' || c == '=' || at_end(lexer))
    return true;
  if (!is_letter(c))
    return false;
  for (; is_letter(c) || is_digit(c) || c == '.'; c = peek(lexer))
    take(lexer);
  switch (c) {
  case '(':
  case '[':
  case '?':
  case '<':
    return true;
  case ',':
    take(lexer);
    take_blanks(lexer);
    return peek(lexer) == '%' || at_end_or_comment(lexer);
  case ')':
    take_header_end(lexer, false);
    take_blanks(lexer);
    return at_end_or_comment(lexer);
  default:
    // Without `=` an operator must prove it.
    take_blanks(lexer);
    return at_end_or_comment(lexer) || peek(lexer) == '=' ||
           (take_operator(lexer, &qualified) && qualified && (peek(lexer) == '(' || peek(lexer) == '['));
  }
}

// After `graph(` or `block0(`.
static bool check_parameters(TSLexer *lexer)
{
  List list = { 0 };
  if (peek(lexer) == ')') {
    take_header_end(lexer, false);
    return only_blanks_left(lexer);
  }
  return peek(lexer) == '%' && check_whole_list(lexer, &list) == LIST_PARAMETERS;
}

// ` prim::X_0 = graph(`, after `with`.
static bool check_with(TSLexer *lexer)
{
  bool ignored;
  if (!is_blank(peek(lexer)))
    return false;
  take_blanks(lexer);
  if (!take_operator(lexer, &ignored) || !is_blank(peek(lexer)))
    return false;
  take_blanks(lexer);
  if (!take_char(lexer, '='))
    return false;
  take_blanks(lexer);
  return take_word(lexer, "graph(");
}

// ` NAME (` or ` NAME {`, after `graph`; names of graphs may hold anything.
static bool check_printable_header(TSLexer *lexer)
{
  int32_t last = 0;
  uint32_t length = 0;  // Of the last word.
  while (!at_end(lexer)) {
    if (is_blank(peek(lexer))) {
      take_blanks(lexer);
      if (at_end(lexer))
        break;
      length = 0;
    }
    last = peek(lexer);
    length++;
    take(lexer);
  }
  return length == 1 && (last == '(' || last == '{');
}

// ` {`, ` initializers (`, ` optional inputs with matching initializers (`, after `)`.
static bool take_printable_section(TSLexer *lexer)
{
  if (!take_char(lexer, ' '))
    return false;
  switch (peek(lexer)) {
  case '{':
    return take_word(lexer, "{");
  case 'i':
    return take_word(lexer, "initializers (");
  default:
    return take_word(lexer, "optional inputs with matching initializers (");
  }
}

#endif
