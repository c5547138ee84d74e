// The scanner of the torch-ir grammar: says what kind of line a line is, and reads names, types,
// attribute values and trailing comments as one token each.
//
// It has no state: what is expected tells it where in a line it is. Nothing here recurses, nothing
// looks beyond the line's end, and no function reads a character of a line more often than a fixed
// number of times, so a line of any length costs time linear in its length.
//
// Separators are skipped as white space before the token that follows them. The tree then needs no
// nodes for them, which is where most of the time would go.

#include "tree_sitter/parser.h"

// In the order of `externals` in grammar.js.
enum Token {
  END,
  TEXT_LINE,
  LOG_PREFIX,
  LINE_OP,
  LINE_PYTHON_OP,
  LINE_HEADER_END,
  LINE_NAME,
  DEFINITION_NAME,
  PARAMETER_NAME,
  BARE_REF,
  TYPE,
  OP_KIND,
  PYTHON_OP,
  PYTHON_ARGUMENTS,
  PYTHON_TAIL,
  HEADER_END,
  ATTRIBUTE_VALUE,
  CUT_VALUE,
  SCOPE,
  USES,
  SOURCE_LOCATION,
  COMMENT_TEXT,
  GRAPH,
  WITH,
  WITH_NAME,
  PRINTABLE_GRAPH,
  GRAPH_NAME,
  BRACE,
  PRINTABLE_SECTION,
  BLOCK_NAME,
  ARROW,
  RETURN,
  CLOSING_BRACE,
  STAGE_SEPARATOR,
  COMMA, JUNK,
  ERROR_SENTINEL, VALUE_REF, CLOSE, OPEN,
};

// ---- Characters ---------------------------------------------------------------------------------

static inline int32_t peek(const TSLexer *lexer) { return lexer->lookahead; }
static inline void take(TSLexer *lexer) { lexer->advance(lexer, false); }
static inline void skip(TSLexer *lexer) { lexer->advance(lexer, true); }
static inline void mark(TSLexer *lexer) { lexer->mark_end(lexer); }

static inline bool emit(TSLexer *lexer, enum Token token)
{
  lexer->result_symbol = (TSSymbol)token;
  return true;
}

static inline bool is_blank(int32_t c) { return c == ' ' || c == '\t'; }
static inline bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static inline bool is_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// A NUL byte also looks like the end of the input, so eof() decides.
static inline bool at_end(const TSLexer *lexer)
{
  int32_t c = lexer->lookahead;
  return c == '\n' || c == '\r' || (c == 0 && lexer->eof(lexer));
}

// Returns how many there were.
static inline uint32_t skip_blanks(TSLexer *lexer)
{
  uint32_t count = 0;
  for (; is_blank(peek(lexer)); count++)
    skip(lexer);
  return count;
}

static inline void take_blanks(TSLexer *lexer)
{
  while (is_blank(peek(lexer)))
    take(lexer);
}

static void take_rest(TSLexer *lexer)
{
  while (!at_end(lexer))
    take(lexer);
}

// Takes `word` as far as it matches.
static bool take_word(TSLexer *lexer, const char *word)
{
  for (; *word; word++) {
    if (peek(lexer) != *word)
      return false;
    take(lexer);
  }
  return true;
}

static bool skip_word(TSLexer *lexer, const char *word)
{
  for (; *word; word++) {
    if (peek(lexer) != *word)
      return false;
    skip(lexer);
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

// The rest of the line, without its trailing blanks.
static void take_trimmed_rest(TSLexer *lexer)
{
  bool blank = true;
  while (!at_end(lexer)) {
    if (is_blank(peek(lexer))) {
      if (!blank)
        mark(lexer);
      blank = true;
    } else {
      blank = false;
    }
    take(lexer);
  }
  if (!blank)
    mark(lexer);
}

// ---- Parts of a line ----------------------------------------------------------------------------

// What follows a value name that is being defined.
enum NameEnd {
  NAME_TYPED,    // ` : `, taken
  NAME_ASSIGNED, // ` = `, taken
  NAME_LISTED,   // `, ` before the next `%`
  NAME_COMMA,    // `,` at the line's end
  NAME_CLOSED,   // `):` or `) {`
  NAME_BRACKET,  // `[TYPE, SHAPE]` up to the line's end
  NAME_CUT,      // the line's end
};

// Takes `[...]`; true when it looks like a printable_graph type and is the last thing of the line.
static bool take_printable_type(TSLexer *lexer)
{
  take(lexer);
  bool upper = peek(lexer) >= 'A' && peek(lexer) <= 'Z';
  int depth = 1;
  while (depth > 0) {
    if (at_end(lexer))
      return false;
    if (peek(lexer) == '[')
      depth++;
    else if (peek(lexer) == ']')
      depth--;
    take(lexer);
  }
  return upper && only_blanks_left(lexer);
}

// A name may hold nearly any byte, so it ends only where what follows says so. Every way out has
// marked the name's end. `*has_blank` tells whether the name itself holds a blank.
static enum NameEnd take_defined_name(TSLexer *lexer, bool *has_blank)
{
  *has_blank = false;
  bool pending = false;
  for (;;) {
    int32_t c = peek(lexer);
    switch (c) {
    case ' ':
    case '\t':
      mark(lexer);
      take_blanks(lexer);
      if (peek(lexer) == ':') {
        take(lexer);
        if (is_blank(peek(lexer)) || at_end(lexer))
          return NAME_TYPED;
      } else if (peek(lexer) == '=') {
        take(lexer);
        if (is_blank(peek(lexer)) || at_end(lexer))
          return NAME_ASSIGNED;
      } else if (at_end(lexer)) {
        return NAME_CUT;
      }
      pending = true;
      break;
    case ',':
      mark(lexer);
      take(lexer);
      bool blank = is_blank(peek(lexer));
      take_blanks(lexer);
      if (peek(lexer) == '%')
        return NAME_LISTED;
      if (at_end(lexer))
        return NAME_COMMA;
      pending = pending || blank;
      break;
    case ')':
      mark(lexer);
      take(lexer);
      if (peek(lexer) == ':')
        return NAME_CLOSED;
      if (at_end(lexer))
        return NAME_CLOSED;
      if (is_blank(peek(lexer))) {
        take_blanks(lexer);
        if (peek(lexer) == '{' || at_end(lexer))
          return NAME_CLOSED;
        pending = true;
      }
      break;
    case '[':
      mark(lexer);
      if (take_printable_type(lexer))
        return NAME_BRACKET;
      break;
    default:
      if (at_end(lexer)) {
        mark(lexer);
        return NAME_CUT;
      }
      *has_blank = pending;
      take(lexer);
    }
  }
}

// Takes a type up to ` = `, `,` or `)` outside brackets, or the line's end. False when it is empty
// or its brackets don't match. Marks its end if asked to.
static bool take_type(TSLexer *lexer, bool marking)
{
  uint32_t depth = 0;
  bool any = false;
  for (;;) {
    switch (peek(lexer)) {
    case '(':
    case '[':
    case '<':
    case '{':
      depth++;
      break;
    case ')':
      if (depth == 0)
        goto end;
      depth--;
      break;
    case ']':
    case '>':
    case '}':
      if (depth == 0)
        return false;
      depth--;
      break;
    case ',':
      if (depth == 0)
        goto end;
      break;
    case ' ':
    case '\t':
      if (marking)
        mark(lexer);
      take_blanks(lexer);
      if (peek(lexer) == '=' || at_end(lexer))
        return any && depth == 0;
      continue;
    case 0:
    case '\n':
    case '\r':
      if (at_end(lexer))
        goto end;
      break;
    }
    any = true;
    take(lexer);
  }
end:
  if (marking)
    mark(lexer);
  return any && depth == 0;
}

// Takes an operator's name: up to a bracket or a blank.
static bool take_operator(TSLexer *lexer, bool *qualified)
{
  bool any = false;
  int32_t last = 0;
  *qualified = false;
  for (;;) {
    int32_t c = peek(lexer);
    if (c == '(' || c == '[' || is_blank(c) || c == '=' || c == '%' || c == ',' || c == ')' || at_end(lexer))
      return any;
    if (c == ':' && last == ':')
      *qualified = true;
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
  for (;;) {
    if (at_end(lexer))
      return false;
    int32_t c = peek(lexer);
    take(lexer);
    if (c == quote)
      return true;
    if (c == '\\' && !at_end(lexer))
      take(lexer);
  }
}

enum ValueEnd { VALUE_WHOLE, VALUE_CUT, VALUE_BAD };

// Takes an attribute's value up to `,` or `]` outside brackets and strings.
static enum ValueEnd take_value(TSLexer *lexer, bool marking)
{
  uint32_t depth = 0;
  bool any = false;
  bool word = false; // The last character belongs to a word, where `'` is no quote.
  // A TypeProto is printed as it is, line breaks included: the only value that goes on.
  const char *proto = "<Type Proto ";
  for (;;) {
    int32_t c = peek(lexer);
    if (*proto)
      proto = c == *proto ? proto + 1 : "x";
    switch (c) {
    case '(':
    case '[':
    case '{':
    case '<':
      depth++;
      break;
    case ')':
    case '}':
    case '>':
    case ']':
      if (depth == 0) {
        if (c != ']')
          return VALUE_BAD;
        goto end;
      }
      depth--;
      break;
    case ',':
      if (depth == 0)
        goto end;
      break;
    case '\'':
      if (word)
        break;
      // fallthrough
    case '"':
      if (!take_string(lexer))
        return VALUE_BAD;
      any = true;
      word = true;
      continue;
    case ' ':
    case '\t':
      // Trailing blanks are no part of the value.
      if (marking && depth == 0)
        mark(lexer);
      take(lexer);
      word = false;
      continue;
    case 0:
    case '\n':
    case '\r':
      if (at_end(lexer)) {
        if (*proto)
          return VALUE_BAD;
        if (marking)
          mark(lexer);
        return VALUE_CUT;
      }
      break;
    }
    any = true;
    word = is_letter(c) || is_digit(c);
    take(lexer);
  }
end:
  if (marking)
    mark(lexer);
  return any ? VALUE_WHOLE : VALUE_BAD;
}

// Takes an attribute's name.
static bool take_attribute_name(TSLexer *lexer, bool marking)
{
  bool any = false;
  for (;;) {
    int32_t c = peek(lexer);
    if (is_blank(c)) {
      if (marking)
        mark(lexer);
      take_blanks(lexer);
      c = peek(lexer);
      if (c == '=' || c == ',' || c == ']' || at_end(lexer))
        return any;
      continue;
    }
    if (c == '=' || c == ',' || c == ']' || at_end(lexer)) {
      if (marking)
        mark(lexer);
      return any;
    }
    any = true;
    take(lexer);
  }
}

// Takes a referenced name inside brackets, up to `, %` or the closing bracket. Brackets inside
// the name count as part of it as long as they match.
static void take_ref(TSLexer *lexer, bool marking)
{
  uint32_t depth = 0;
  for (;;) {
    switch (peek(lexer)) {
    case ',':
      if (marking)
        mark(lexer);
      take(lexer);
      take_blanks(lexer);
      if (peek(lexer) == '%' || at_end(lexer))
        return;
      continue;
    case '(':
      depth++;
      break;
    case ')':
      if (depth == 0) {
        if (marking)
          mark(lexer);
        return;
      }
      depth--;
      break;
    case ' ':
    case '\t':
      if (marking)
        mark(lexer);
      take_blanks(lexer);
      if (at_end(lexer) || (peek(lexer) == ')' && depth == 0))
        return;
      continue;
    case 0:
    case '\n':
    case '\r':
      if (at_end(lexer)) {
        if (marking)
          mark(lexer);
        return;
      }
      break;
    }
    take(lexer);
  }
}

// Takes the rest of the line; true when it is `FILE:LINE:COLUMN`. Marks the end without blanks.
static bool take_location(TSLexer *lexer, bool marking)
{
  // How much of `:DIGITS:DIGITS` the last characters are: 1 `:`, 2 `:1`, 3 `:1:`, 4 `:1:1`.
  int match = 0;
  bool file = false;
  for (;;) {
    int32_t c = peek(lexer);
    if (c == ':') {
      match = match == 2 || match == 4 ? 3 : 1;
    } else if (is_digit(c)) {
      match += match & 1;
      file = file || match == 0;
    } else if (is_blank(c)) {
      if (marking)
        mark(lexer);
      take_blanks(lexer);
      if (at_end(lexer))
        return file && match == 4;
      match = 0;
      continue;
    } else if (at_end(lexer)) {
      if (marking)
        mark(lexer);
      return file && match == 4;
    } else {
      match = 0;
      file = true;
    }
    take(lexer);
  }
}

// ---- Is this really IR? -------------------------------------------------------------------------
// Prose may look like IR for a while. These functions read ahead, without marking, and answer
// whether the line deserves to be read as IR. They are strict where a log's prefix comes first.

// A name without blanks, after its `%`.
static void check_plain_name(TSLexer *lexer)
{
  for (;;) {
    int32_t c = peek(lexer);
    if (is_blank(c) || c == ',' || c == ')' || c == '(' || c == '[' || at_end(lexer))
      return;
    take(lexer);
  }
}

// `%a, %b)` or `)`, after the opening bracket.
static bool check_refs(TSLexer *lexer, bool *empty)
{
  *empty = peek(lexer) == ')';
  while (peek(lexer) == '%') {
    take(lexer);
    uint32_t depth = 0;
    for (;;) {
      int32_t c = peek(lexer);
      if (c == '(')
        depth++;
      else if (c == ')' && depth-- == 0)
        break;
      else if (c == ',' || is_blank(c) || c == '"' || c == '\'' || at_end(lexer))
        break;
      take(lexer);
    }
    if (peek(lexer) != ',')
      break;
    take(lexer);
    take_blanks(lexer);
  }
  if (peek(lexer) != ')')
    return false;
  take(lexer);
  return true;
}

// What may follow a statement's arguments. `*proof` tells that there was more than nothing.
static bool check_tail(TSLexer *lexer, bool *proof)
{
  *proof = false;
  take_blanks(lexer);
  if (peek(lexer) == ';') {
    take(lexer);
    return only_blanks_left(lexer);
  }
  if (peek(lexer) == ',') {
    take(lexer);
    take_blanks(lexer);
    if (!take_word(lexer, "scope:"))
      return false;
    *proof = true;
    while (peek(lexer) != '#' && !at_end(lexer)) {
      // A repr of a list of nodes, not a node.
      if (peek(lexer) == '\'' || peek(lexer) == '\\')
        return false;
      take(lexer);
    }
  }
  if (at_end(lexer))
    return true;
  if (peek(lexer) != '#')
    return false;
  take(lexer);
  take_blanks(lexer);
  *proof = true;
  return take_location(lexer, false);
}

// `[...](...)` and what follows, after an operator's name.
static bool check_call(TSLexer *lexer, bool python)
{
  if (peek(lexer) == '[') {
    take(lexer);
    take_blanks(lexer);
    while (peek(lexer) != ']') {
      if (!take_attribute_name(lexer, false))
        return false;
      if (peek(lexer) == '=') {
        take(lexer);
        take_blanks(lexer);
        if (take_value(lexer, false) != VALUE_WHOLE)
          return false;
      }
      if (peek(lexer) == ',') {
        take(lexer);
        take_blanks(lexer);
      }
    }
    take(lexer);
  }
  if (peek(lexer) != '(')
    return false;
  if (python)
    return true;
  take(lexer);
  bool ignored;
  return check_refs(lexer, &ignored) && check_tail(lexer, &ignored);
}

static bool check_operator(TSLexer *lexer)
{
  bool ignored;
  bool python = peek(lexer) == '^';
  if (!python && !is_letter(peek(lexer)))
    return false;
  return take_operator(lexer, &ignored) && check_call(lexer, python);
}

// `):`, `) {`, `)::` or, if it ends the line, `)`.
static bool take_header_end(TSLexer *lexer, bool marking)
{
  if (peek(lexer) != ')')
    return false;
  take(lexer);
  while (peek(lexer) == ':')
    take(lexer);
  if (marking)
    mark(lexer);
  take_blanks(lexer);
  if (peek(lexer) == '{') {
    take(lexer);
    if (marking)
      mark(lexer);
  }
  return true;
}

enum DefinitionsEnd {
  DEFINITIONS_NONE,
  DEFINITIONS_ASSIGNED,   // ` = ` follows, taken
  DEFINITIONS_PARAMETERS, // they are parameters: the line ends as a header's line does
};

// `%a : T, %b : T`, from its first `%` on. `*typed` tells whether all have types.
static enum DefinitionsEnd check_definitions(TSLexer *lexer, bool *typed)
{
  *typed = true;
  for (;;) {
    if (peek(lexer) != '%')
      return DEFINITIONS_NONE;
    take(lexer);
    check_plain_name(lexer);
    if (peek(lexer) == '[') {
      *typed = false;
      return take_printable_type(lexer) ? DEFINITIONS_PARAMETERS : DEFINITIONS_NONE;
    }
    take_blanks(lexer);
    if (peek(lexer) == ':') {
      take(lexer);
      if (!is_blank(peek(lexer)))
        return DEFINITIONS_NONE;
      take_blanks(lexer);
      if (!is_letter(peek(lexer)) && peek(lexer) != '(')
        return DEFINITIONS_NONE;
      if (!take_type(lexer, false))
        return DEFINITIONS_NONE;
    } else {
      *typed = false;
    }
    if (peek(lexer) == '=') {
      take(lexer);
      if (!is_blank(peek(lexer)))
        return DEFINITIONS_NONE;
      take_blanks(lexer);
      return DEFINITIONS_ASSIGNED;
    }
    if (at_end(lexer))
      return *typed ? DEFINITIONS_PARAMETERS : DEFINITIONS_NONE;
    if (peek(lexer) == ')') {
      take_header_end(lexer, false);
      return only_blanks_left(lexer) ? DEFINITIONS_PARAMETERS : DEFINITIONS_NONE;
    }
    if (peek(lexer) != ',')
      return DEFINITIONS_NONE;
    take(lexer);
    if (only_blanks_left(lexer))
      return DEFINITIONS_PARAMETERS;
  }
}

// Whether names after a first definition are definitions: is there a ` = ` after the list?
// Unlike check_definitions it takes names with blanks. Starts inside the second name.
static bool is_assigned_list(TSLexer *lexer)
{
  uint32_t depth = 0;
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    bool blank = is_blank(c);
    if (c == '(' || c == '[' || c == '<')
      depth++;
    else if ((c == ')' || c == ']' || c == '>') && depth > 0)
      depth--;
    take(lexer);
    if (blank && peek(lexer) == '=') {
      take(lexer);
      if (is_blank(peek(lexer)) || at_end(lexer))
        return depth == 0;
    }
  }
  return false;
}

// `%x : T,` ... after `graph(` or `block0(`.
static bool check_parameters(TSLexer *lexer)
{
  bool typed;
  if (peek(lexer) == ')') {
    take_header_end(lexer, false);
    return only_blanks_left(lexer);
  }
  return check_definitions(lexer, &typed) == DEFINITIONS_PARAMETERS;
}

// `name = graph(`, after `with `.
static bool check_with(TSLexer *lexer)
{
  bool qualified;
  take_blanks(lexer);
  if (!take_operator(lexer, &qualified) || !is_blank(peek(lexer)))
    return false;
  take_blanks(lexer);
  if (!take_word(lexer, "="))
    return false;
  take_blanks(lexer);
  return take_word(lexer, "graph(");
}

// Reads a type's head after ` : ` at a line's start, far enough to tell it from prose.
static bool check_type_head(TSLexer *lexer)
{
  take_blanks(lexer);
  int32_t c = peek(lexer);
  // A missing or empty type is damage, not prose.
  if (c == '(' || c == '=' || c == '_' || at_end(lexer))
    return true;
  if (!is_letter(c))
    return false;
  while (is_letter(c) || is_digit(c) || c == '.') {
    take(lexer);
    c = peek(lexer);
  }
  if (c == '(' || c == '[' || c == '?' || c == '<')
    return true;
  if (is_blank(c)) {
    take_blanks(lexer);
    return peek(lexer) == '=' || at_end(lexer);
  }
  if (c == ',') {
    take(lexer);
    take_blanks(lexer);
    return peek(lexer) == '%' || at_end(lexer);
  }
  if (c == ')') {
    take_header_end(lexer, false);
    return only_blanks_left(lexer);
  }
  return at_end(lexer);
}

// Reads on after ` = `: an operator that is called, or at least a qualified one.
static bool check_call_head(TSLexer *lexer)
{
  take_blanks(lexer);
  if (at_end(lexer))
    return true;
  if (peek(lexer) != '^' && !is_letter(peek(lexer)))
    return false;
  bool qualified;
  if (!take_operator(lexer, &qualified))
    return false;
  return peek(lexer) == '(' || peek(lexer) == '[' || qualified;
}

// ---- The start of a line ------------------------------------------------------------------------

static bool emit_text(TSLexer *lexer)
{
  take_rest(lexer);
  mark(lexer);
  return emit(lexer, TEXT_LINE);
}

// What stands before a possible start of IR inside a line.
typedef struct Prefix {
  int32_t last;     // The last character that is not blank.
  int clock;        // How much of `12:34` was just seen: 0-2 digits, 3 the colon, 4-5 digits.
  bool has_clock;
} Prefix;

static void prefix_add(Prefix *prefix, int32_t c)
{
  if (is_digit(c)) {
    if (prefix->clock < 2 || (prefix->clock > 2 && prefix->clock < 5))
      prefix->clock++;
    if (prefix->clock == 5)
      prefix->has_clock = true;
  } else if (c == ':' && prefix->clock == 2) {
    prefix->clock = 3;
  } else {
    prefix->clock = 0;
  }
  prefix->last = c;
}

// Whether the prefix is that of a logger rather than words: then short forms count as IR, too.
static bool prefix_is_logger(const Prefix *prefix)
{
  return prefix->has_clock || prefix->last == '|' || prefix->last == ']' || prefix->last == '>' || prefix->last == ':';
}

// Is there IR here, up to the line's end? Reads only as far as it has to.
static bool check_embedded(TSLexer *lexer, const Prefix *prefix)
{
  bool logger = prefix_is_logger(prefix);
  bool typed, ignored;
  switch (peek(lexer)) {
  case '%':
    switch (check_definitions(lexer, &typed)) {
    case DEFINITIONS_ASSIGNED:
      return (typed || logger) && check_operator(lexer);
    case DEFINITIONS_PARAMETERS:
      return logger && only_blanks_left(lexer);
    case DEFINITIONS_NONE:
      return false;
    }
    return false;
  case 'g':
    if (!take_word(lexer, "graph"))
      return false;
    if (peek(lexer) == '(') {
      take(lexer);
      return check_parameters(lexer);
    }
    // A printable graph's header shows nothing but its last bracket.
    if (!logger || prefix->last == ':' || !is_blank(peek(lexer)))
      return false;
    for (int32_t last = ' ', before = ' ';;) {
      if (at_end(lexer))
        return before == ' ' && (last == '(' || last == '{');
      before = last;
      last = peek(lexer);
      take(lexer);
    }
  case 'w':
    return take_word(lexer, "with ") && check_with(lexer);
  case '=':
    take(lexer);
    if (!logger || !is_blank(peek(lexer)))
      return false;
    take_blanks(lexer);
    return check_operator(lexer);
  case 'b':
    return logger && take_word(lexer, "block") && take_digits(lexer) && take_word(lexer, "(") &&
           check_parameters(lexer);
  case 'r':
    if (!logger || !take_word(lexer, "return"))
      return false;
    take_blanks(lexer);
    if (peek(lexer) == '(') {
      take(lexer);
      return check_refs(lexer, &ignored) && check_tail(lexer, &ignored);
    }
    while (peek(lexer) == '%') {
      take(lexer);
      check_plain_name(lexer);
      if (only_blanks_left(lexer))
        return true;
      if (peek(lexer) != ',')
        return false;
      take(lexer);
      take_blanks(lexer);
    }
    return false;
  case '-':
    if (!logger || !take_word(lexer, "->"))
      return false;
    take_blanks(lexer);
    return take_word(lexer, "(") && check_refs(lexer, &ignored) && check_tail(lexer, &ignored);
  case '}':
    take(lexer);
    return logger && prefix->last != ':' && only_blanks_left(lexer);
  case ')':
    take(lexer);
    if (!logger || prefix->last == ':')
      return false;
    if (peek(lexer) == ':')
      take(lexer);
    else if (!take_word(lexer, " ") ||
             !(peek(lexer) == '{' ? take_word(lexer, "{")
                                  : peek(lexer) == 'i' ? take_word(lexer, "initializers (")
                                                       : take_word(lexer, "optional inputs with matching initializers (")))
      return false;
    return only_blanks_left(lexer);
  default:
    return false;
  }
}

// Looks for IR inside a line that doesn't start as IR. Either a log's prefix comes first, or it is
// the last line of Python arguments that began further up, or it is text.
// A candidate that fails has moved on; the search goes on where it gave up, so it stays linear.
static bool scan_embedded(TSLexer *lexer, const bool *valid, Prefix prefix, bool proto)
{
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    bool boundary = false;
    if (is_blank(c)) {
      mark(lexer);
      take_blanks(lexer);
      prefix.clock = 0;
      boundary = true;
    } else {
      prefix_add(&prefix, c);
      take(lexer);
      if ((c == ')' || (c == ']' && proto)) && peek(lexer) == '(') {
        mark(lexer);
        take(lexer);
        bool empty, proof;
        if (check_refs(lexer, &empty) && check_tail(lexer, &proof) && (proof || !empty))
          return emit(lexer, PYTHON_TAIL);
        prefix.last = 'x';
        continue;
      }
      if (c == '(' || c == ':' || c == '|' || c == '>' || c == ']') {
        mark(lexer);
        take_blanks(lexer);
        boundary = true;
      }
    }
    if (!boundary || at_end(lexer))
      continue;
    c = peek(lexer);
    if (c == '%' || c == 'g' || c == 'w' || c == '=' || c == 'b' || c == 'r' || c == '-' || c == '}' || c == ')') {
      if (check_embedded(lexer, &prefix))
        return emit(lexer, LOG_PREFIX);
      prefix.last = 'x';
    }
  }
  if (!valid[TEXT_LINE])
    return false;
  mark(lexer);
  return emit(lexer, TEXT_LINE);
}

static bool scan_percent(TSLexer *lexer, const bool *valid)
{
  bool has_blank, ignored;
  take(lexer);
  // After a log's prefix all checks have been made.
  bool sure = !valid[TEXT_LINE];
  switch (take_defined_name(lexer, &has_blank)) {
  case NAME_TYPED:
    if (sure || check_type_head(lexer))
      return emit(lexer, LINE_NAME);
    break;
  case NAME_ASSIGNED:
    if (sure || check_call_head(lexer))
      return emit(lexer, LINE_NAME);
    break;
  case NAME_LISTED: {
    if (sure)
      return emit(lexer, LINE_NAME);
    enum DefinitionsEnd end = check_definitions(lexer, &ignored);
    if (end == DEFINITIONS_PARAMETERS || (end == DEFINITIONS_ASSIGNED && check_call_head(lexer)))
      return emit(lexer, LINE_NAME);
    break;
  }
  case NAME_COMMA:
    if (sure || !has_blank)
      return emit(lexer, LINE_NAME);
    break;
  case NAME_CLOSED:
    if (sure || (!has_blank && (peek(lexer) == ':' || peek(lexer) == '{')))
      return emit(lexer, LINE_NAME);
    break;
  case NAME_BRACKET:
    return emit(lexer, LINE_NAME);
  case NAME_CUT:
    if (sure)
      return emit(lexer, LINE_NAME);
    break;
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

// `graph(` or `graph NAME (`.
static bool scan_graph(TSLexer *lexer, const bool *valid)
{
  if (!take_word(lexer, "graph"))
    return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
  mark(lexer);
  if (peek(lexer) == '(') {
    take(lexer);
    take_blanks(lexer);
    if (peek(lexer) == '%' || peek(lexer) == ')' || at_end(lexer))
      return emit(lexer, GRAPH);
    return scan_embedded(lexer, valid, (Prefix){ .last = '(' }, false);
  }
  if (is_blank(peek(lexer))) {
    int32_t last = ' ', before = ' ';
    while (!at_end(lexer)) {
      if (is_blank(peek(lexer))) {
        take_blanks(lexer);
        if (at_end(lexer))
          break;
        before = last;
        last = ' ';
      } else {
        before = last;
        last = peek(lexer);
        take(lexer);
      }
    }
    if (before == ' ' && (last == '(' || last == '{'))
      return emit(lexer, PRINTABLE_GRAPH);
    if (!valid[TEXT_LINE])
      return false;
    mark(lexer);
    return emit(lexer, TEXT_LINE);
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'h' }, false);
}

static bool scan_with(TSLexer *lexer, const bool *valid)
{
  if (take_word(lexer, "with")) {
    mark(lexer);
    if (is_blank(peek(lexer)) && check_with(lexer))
      return emit(lexer, WITH);
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

static bool scan_block(TSLexer *lexer, const bool *valid)
{
  if (take_word(lexer, "block") && take_digits(lexer)) {
    mark(lexer);
    if (take_word(lexer, "(")) {
      take_blanks(lexer);
      if (peek(lexer) == '%' || peek(lexer) == ')' || at_end(lexer))
        return emit(lexer, BLOCK_NAME);
    }
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

static bool scan_return(TSLexer *lexer, const bool *valid, uint32_t indent)
{
  if (take_word(lexer, "return")) {
    mark(lexer);
    // A printable graph without outputs; elsewhere a lone `return` is a line of Python.
    if (at_end(lexer) && indent == 2)
      return emit(lexer, RETURN);
    take_blanks(lexer);
    if (peek(lexer) == '%')
      return emit(lexer, RETURN);
    if (peek(lexer) == '(') {
      take(lexer);
      take_blanks(lexer);
      if (peek(lexer) == '%' || peek(lexer) == ')')
        return emit(lexer, RETURN);
    }
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

// `-> (` or `---------------- stage 1 ----------------`.
static bool scan_dash(TSLexer *lexer, const bool *valid)
{
  take(lexer);
  if (peek(lexer) == '>') {
    take(lexer);
    mark(lexer);
    take_blanks(lexer);
    if (take_word(lexer, "(")) {
      take_blanks(lexer);
      if (peek(lexer) == '%' || peek(lexer) == ')')
        return emit(lexer, ARROW);
    }
  } else if (peek(lexer) == '-') {
    while (peek(lexer) == '-')
      take(lexer);
    if (take_word(lexer, " stage ") && take_digits(lexer) && take_word(lexer, " -")) {
      while (peek(lexer) == '-')
        take(lexer);
      mark(lexer);
      if (only_blanks_left(lexer))
        return emit(lexer, STAGE_SEPARATOR);
    }
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

// ` = prim::Print(%x)`: a statement without outputs.
static bool scan_assignment(TSLexer *lexer, const bool *valid, enum Token *ret_token)
{
  (void)valid;
  skip(lexer);
  if (!is_blank(peek(lexer)))
    return false;
  skip_blanks(lexer);
  bool python = peek(lexer) == '^';
  if (!python && !is_letter(peek(lexer)))
    return false;
  bool qualified;
  take_operator(lexer, &qualified);
  mark(lexer);
  *ret_token = python ? LINE_PYTHON_OP : LINE_OP;
  return peek(lexer) == '(' || peek(lexer) == '[' || qualified;
}

// `) {`, `) initializers (`, or `):` after parameters that were wrapped.
static bool scan_close(TSLexer *lexer, const bool *valid)
{
  take(lexer);
  if (peek(lexer) == ':') {
    take(lexer);
    if (peek(lexer) == ':')
      take(lexer);
    mark(lexer);
    if (only_blanks_left(lexer))
      return emit(lexer, LINE_HEADER_END);
  } else if (peek(lexer) == ' ') {
    take(lexer);
    const char *rest = peek(lexer) == '{'   ? "{"
                       : peek(lexer) == 'i' ? "initializers ("
                                            : "optional inputs with matching initializers (";
    if (take_word(lexer, rest)) {
      mark(lexer);
      if (only_blanks_left(lexer))
        return emit(lexer, PRINTABLE_SECTION);
    }
  } else if (peek(lexer) == '(') {
    // Raw Python arguments may break right before their closing bracket.
    mark(lexer);
    take(lexer);
    bool empty, proof;
    if (check_refs(lexer, &empty) && check_tail(lexer, &proof) && (proof || !empty))
      return emit(lexer, PYTHON_TAIL);
  }
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

static bool scan_closing_brace(TSLexer *lexer, const bool *valid)
{
  take(lexer);
  mark(lexer);
  if (only_blanks_left(lexer))
    return emit(lexer, CLOSING_BRACE);
  return scan_embedded(lexer, valid, (Prefix){ .last = 'x' }, false);
}

static bool scan_line_start(TSLexer *lexer, const bool *valid, uint32_t indent)
{
  enum Token token;
  switch (peek(lexer)) {
  case '%':
    return scan_percent(lexer, valid);
  case 'g':
    return scan_graph(lexer, valid);
  case 'w':
    return scan_with(lexer, valid);
  case 'b':
    return scan_block(lexer, valid);
  case 'r':
    return scan_return(lexer, valid, indent);
  case '-':
    return scan_dash(lexer, valid);
  case ')':
    return scan_close(lexer, valid);
  case '}':
    return scan_closing_brace(lexer, valid);
  case '=':
    if (scan_assignment(lexer, valid, &token))
      return emit(lexer, token);
    return valid[TEXT_LINE] && emit_text(lexer);
  case '>':
    return scan_embedded(lexer, valid, (Prefix){ 0 }, true);
  default:
    return scan_embedded(lexer, valid, (Prefix){ 0 }, false);
  }
}

// ---- Inside a line ------------------------------------------------------------------------------

// After a defined name or its type.
static bool scan_after_name(TSLexer *lexer, const bool *valid)
{
  bool has_blank, ignored;
  switch (peek(lexer)) {
  case ':':
    if (!valid[TYPE])
      return false;
    skip(lexer);
    skip_blanks(lexer);
    return take_type(lexer, true) && emit(lexer, TYPE);
  case '[':
    if (!valid[TYPE])
      return false;
    if (!take_printable_type(lexer))
      return false;
    mark(lexer);
    return emit(lexer, TYPE);
  case '=':
    if (!valid[OP_KIND])
      return false;
    skip(lexer);
    skip_blanks(lexer);
    if (peek(lexer) == '^')
      return take_operator(lexer, &ignored) && (mark(lexer), emit(lexer, PYTHON_OP));
    return take_operator(lexer, &ignored) && (mark(lexer), emit(lexer, OP_KIND));
  case ',':
    // Skipping the blanks makes the comma part of what is skipped.
    take(lexer);
    mark(lexer);
    skip_blanks(lexer);
    if (at_end(lexer))
      return valid[COMMA] && emit(lexer, COMMA);
    if (peek(lexer) != '%')
      return false;
    take(lexer);
    if (valid[DEFINITION_NAME] && valid[PARAMETER_NAME]) {
      enum NameEnd end = take_defined_name(lexer, &has_blank);
      if (end == NAME_ASSIGNED || ((end == NAME_TYPED || end == NAME_LISTED) && is_assigned_list(lexer)))
        return emit(lexer, DEFINITION_NAME);
      return emit(lexer, PARAMETER_NAME);
    }
    take_defined_name(lexer, &has_blank);
    return emit(lexer, valid[DEFINITION_NAME] ? DEFINITION_NAME : PARAMETER_NAME);
  case '%': // The first parameter, after the opening bracket.
    if (!valid[PARAMETER_NAME])
      return false;
    take(lexer);
    take_defined_name(lexer, &has_blank);
    return emit(lexer, PARAMETER_NAME);
  case ')':
    return valid[HEADER_END] && take_header_end(lexer, true) && emit(lexer, HEADER_END);
  default:
    return false;
  }
}

static bool scan_argument(TSLexer *lexer, const bool *valid)
{
  switch (peek(lexer)) {
  case ')':
    if (!valid[CLOSE])
      return false;
    take(lexer);
    mark(lexer);
    return emit(lexer, CLOSE);
  case ',':
    skip(lexer);
    skip_blanks(lexer);
    if (peek(lexer) != '%')
      return false;
    // fallthrough
  case '%':
    if (!valid[VALUE_REF])
      return false;
    take(lexer);
    take_ref(lexer, true);
    return emit(lexer, VALUE_REF);
  default:
    return false;
  }
}

// `return %a, %b`: only `, %`, a comment or the line's end ends a name.
static bool scan_bare_ref(TSLexer *lexer)
{
  if (peek(lexer) == ',') {
    skip(lexer);
    skip_blanks(lexer);
  }
  if (peek(lexer) != '%')
    return false;
  take(lexer);
  for (;;) {
    int32_t c = peek(lexer);
    if (c == ',') {
      mark(lexer);
      take(lexer);
      take_blanks(lexer);
      if (peek(lexer) == '%' || at_end(lexer))
        break;
    } else if (is_blank(c)) {
      mark(lexer);
      take_blanks(lexer);
      if (peek(lexer) == '#' || at_end(lexer))
        break;
    } else if (at_end(lexer)) {
      mark(lexer);
      break;
    } else {
      take(lexer);
    }
  }
  return emit(lexer, BARE_REF);
}

static bool scan_attribute_value(TSLexer *lexer, const bool *valid)
{
  if (peek(lexer) != '=')
    return false;
  skip(lexer);
  skip_blanks(lexer);
  switch (take_value(lexer, true)) {
  case VALUE_WHOLE:
    return emit(lexer, ATTRIBUTE_VALUE);
  case VALUE_CUT:
    return valid[CUT_VALUE] && emit(lexer, CUT_VALUE);
  case VALUE_BAD:
    break;
  }
  return false;
}

// Raw Python values, printed as they are: they end where `(%` or `()` follows a closing bracket.
// When that doesn't happen, they go on in the next line.
static bool scan_python_arguments(TSLexer *lexer)
{
  while (!at_end(lexer)) {
    int32_t c = peek(lexer);
    take(lexer);
    if (c != ')' || peek(lexer) != '(')
      continue;
    mark(lexer);
    take(lexer);
    if (peek(lexer) == '%' || peek(lexer) == ')')
      return emit(lexer, PYTHON_ARGUMENTS);
  }
  mark(lexer);
  return emit(lexer, PYTHON_ARGUMENTS);
}

// `, scope: SCOPE` and the oldest printers' `, uses = [...]`.
static bool scan_after_comma(TSLexer *lexer, const bool *valid)
{
  skip(lexer);
  skip_blanks(lexer);
  if (peek(lexer) == 'u' && valid[USES]) {
    if (!take_word(lexer, "uses"))
      return false;
    take_blanks(lexer);
    if (!take_word(lexer, "="))
      return false;
    take_blanks(lexer);
    if (peek(lexer) != '[')
      return false;
    uint32_t depth = 0;
    do {
      if (at_end(lexer))
        return false;
      if (peek(lexer) == '[')
        depth++;
      else if (peek(lexer) == ']')
        depth--;
      take(lexer);
    } while (depth > 0);
    mark(lexer);
    return emit(lexer, USES);
  }
  if (!valid[SCOPE] || !skip_word(lexer, "scope:"))
    return false;
  skip_blanks(lexer);
  mark(lexer);
  while (!at_end(lexer) && peek(lexer) != '#' && peek(lexer) != ';') {
    if (is_blank(peek(lexer))) {
      take_blanks(lexer);
    } else {
      take(lexer);
      mark(lexer);
    }
  }
  return emit(lexer, SCOPE);
}

static bool scan_graph_name(TSLexer *lexer, const bool *valid)
{
  int32_t c = peek(lexer);
  // `graph  (` has no name.
  if (c == '(' || c == '{') {
    take(lexer);
    mark(lexer);
    if (only_blanks_left(lexer))
      return c == '{' && emit(lexer, BRACE);
  }
  if (!valid[GRAPH_NAME])
    return false;
  // The name ends before the line's last word.
  bool any = false;
  while (!at_end(lexer)) {
    if (is_blank(peek(lexer))) {
      mark(lexer);
      take_blanks(lexer);
      if (peek(lexer) == '(' || peek(lexer) == '{') {
        take(lexer);
        if (only_blanks_left(lexer))
          break;
      }
    } else {
      any = true;
      take(lexer);
    }
  }
  return any && emit(lexer, GRAPH_NAME);
}

// ---- Entry --------------------------------------------------------------------------------------

// While the parser recovers it takes any token. Names are kept, so that a damaged line still shows
// what it refers to; everything between them is one token each.
static bool scan_in_error(TSLexer *lexer)
{
  if (peek(lexer) == '%') {
    take(lexer);
    check_plain_name(lexer);
    mark(lexer);
    return emit(lexer, JUNK);
  }
  while (!at_end(lexer) && peek(lexer) != '%')
    take(lexer);
  mark(lexer);
  return emit(lexer, JUNK);
}

static bool scan(TSLexer *lexer, const bool *valid)
{
  uint32_t indent = skip_blanks(lexer);
  bool new_line = false;
  while (at_end(lexer)) {
    if (!valid[TEXT_LINE])
      return false;
    if (peek(lexer) == 0)
      return new_line && emit(lexer, END);
    skip(lexer);
    new_line = true;
    indent = skip_blanks(lexer);
  }
  if (new_line || (valid[LINE_NAME] && !valid[TEXT_LINE]))
    return scan_line_start(lexer, valid, indent);
  if (valid[ERROR_SENTINEL])
    return scan_in_error(lexer);
  if (valid[GRAPH_NAME] || valid[BRACE])
    return scan_graph_name(lexer, valid);
  if (valid[TYPE] || valid[DEFINITION_NAME] || valid[PARAMETER_NAME] || valid[HEADER_END] || valid[OP_KIND]) {
    if (scan_after_name(lexer, valid))
      return true;
    return false;
  }
  if (valid[ATTRIBUTE_VALUE])
    return scan_attribute_value(lexer, valid);
  if (valid[SOURCE_LOCATION] && peek(lexer) == '#') {
    skip(lexer);
    skip_blanks(lexer);
    return take_location(lexer, true) && emit(lexer, SOURCE_LOCATION);
  }
  if (peek(lexer) == ',' && (valid[SCOPE] || valid[USES]))
    return scan_after_comma(lexer, valid);
  if (valid[PYTHON_ARGUMENTS])
    return peek(lexer) == '(' && scan_python_arguments(lexer);
  if (valid[BARE_REF])
    return scan_bare_ref(lexer);
  if (valid[COMMENT_TEXT]) {
    take_trimmed_rest(lexer);
    return emit(lexer, COMMENT_TEXT);
  }
  if (valid[WITH_NAME]) {
    bool ignored;
    return take_operator(lexer, &ignored) && (mark(lexer), emit(lexer, WITH_NAME));
  }
  if (valid[GRAPH] && !valid[WITH]) {
    if (peek(lexer) == '=') {
      skip(lexer);
      skip_blanks(lexer);
    }
    return take_word(lexer, "graph") && (mark(lexer), emit(lexer, GRAPH));
  }
  return valid[TEXT_LINE] && lexer->get_column(lexer) <= indent + 1 && scan_line_start(lexer, valid, indent);
}

void *tree_sitter_torch_ir_external_scanner_create(void) { return NULL; }

void tree_sitter_torch_ir_external_scanner_destroy(void *payload) { (void)payload; }

unsigned tree_sitter_torch_ir_external_scanner_serialize(void *payload, char *buffer)
{
  (void)payload;
  (void)buffer;
  return 0;
}

void tree_sitter_torch_ir_external_scanner_deserialize(void *payload, const char *buffer, unsigned length)
{
  (void)payload;
  (void)buffer;
  (void)length;
}

bool tree_sitter_torch_ir_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid_symbols)
{
  (void)payload;
  return scan(lexer, valid_symbols);
}
