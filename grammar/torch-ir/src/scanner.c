// The scanner of the torch-ir grammar: says what kind of line a line is (line_start.h), and reads
// names, types, attribute values and trailing comments as one token each (take.h).
//
// It keeps no state: what the parser expects tells where in a line it is. Line breaks are not tokens
// but part of the white space before a line's first token, and only where a line may end; so no
// construct ever reaches into the next line. Separators are skipped in the same way. Both keep the
// tree small, which is where most of the time would go.
//
// The file is compiled alone, so the headers beside it hold functions.

#include "line_start.h"
#include "take.h"
#include "tokens.h"

// After ` = `.
static bool scan_operator(TSLexer *lexer)
{
  bool ignored;
  bool python = peek(lexer) == '^';
  if (!take_operator(lexer, &ignored))
    return false;
  mark(lexer);
  return emit(lexer, python ? PYTHON_OP : OP_KIND);
}

// After a name that is being defined, or after its type.
static bool scan_after_name(TSLexer *lexer, const bool *valid)
{
  switch (peek(lexer)) {
  case ':':
    if (!valid[TYPE])
      return false;
    skip(lexer);
    skip_blanks(lexer);
    return take_type(lexer, true) && emit(lexer, TYPE);
  case '[':
    return valid[TYPE] && take_printable_type(lexer, true) && emit(lexer, TYPE);
  case '=':
    if (!valid[OP_KIND])
      return false;
    skip(lexer);
    skip_blanks(lexer);
    return scan_operator(lexer);
  case ')':
    if (!valid[HEADER_END])
      return false;
    take_header_end(lexer, true);
    return emit(lexer, HEADER_END);
  case ',':
    take(lexer);
    mark(lexer);
    // Skipping blanks makes the comma, too, part of what comes before the name.
    skip_blanks(lexer);
    if (at_end_or_comment(lexer))
      return valid[COMMA] && emit(lexer, COMMA);
    if (peek(lexer) != '%')
      return false;
    break;
  case '%':
    break;
  default:
    return false;
  }

  bool ignored;
  take(lexer);
  enum NameEnd end = take_defined_name(lexer, true, &ignored);
  if (!valid[DEFINITION_NAME])
    return valid[PARAMETER_NAME] && emit(lexer, PARAMETER_NAME);
  if (!valid[PARAMETER_NAME])
    return emit(lexer, DEFINITION_NAME);
  // The second name of a line tells what the first one was.
  List list = { 0 };
  return emit(lexer, check_list(lexer, end, &list) == LIST_ASSIGNED ? DEFINITION_NAME : PARAMETER_NAME);
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
  if (peek(lexer) != '(')
    return false;
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

// In `return %a, %b` no bracket ends a name: only `, %`, a comment or the line's end does.
static bool scan_bare_ref(TSLexer *lexer)
{
  if (peek(lexer) == ',') {
    skip(lexer);
    skip_blanks(lexer);
  }
  if (peek(lexer) != '%')
    return false;
  for (;;) {
    int32_t c = peek(lexer);
    if (c == ',' || is_blank(c) || at_end(lexer)) {
      mark(lexer);
      take_char(lexer, ',');
      take_blanks(lexer);
      if (at_end(lexer) || peek(lexer) == (c == ',' ? '%' : '#'))
        return emit(lexer, BARE_REF);
    } else {
      take(lexer);
    }
  }
}

// `uses = [...]`, which the oldest printers wrote after a statement.
static bool scan_uses(TSLexer *lexer)
{
  if (!take_word(lexer, "uses"))
    return false;
  take_blanks(lexer);
  if (!take_char(lexer, '='))
    return false;
  take_blanks(lexer);
  uint32_t depth = 0;
  do {
    if (at_end(lexer) || (depth == 0 && peek(lexer) != '['))
      return false;
    depth += (uint32_t)bracket(peek(lexer));
    take(lexer);
  } while (depth > 0);
  mark(lexer);
  return emit(lexer, USES);
}

// `scope: SCOPE`, up to a comment. The word counts as white space.
static bool scan_scope(TSLexer *lexer)
{
  for (const char *word = "scope:"; *word; word++) {
    if (peek(lexer) != *word)
      return false;
    skip(lexer);
  }
  skip_blanks(lexer);
  mark(lexer);
  while (!at_end(lexer)) {
    if (is_blank(peek(lexer))) {
      take_blanks(lexer);
      if (peek(lexer) == '#')
        break;
    } else {
      take(lexer);
      mark(lexer);
    }
  }
  return emit(lexer, SCOPE);
}

// After a call's arguments.
static bool scan_tail(TSLexer *lexer, const bool *valid)
{
  int32_t c = peek(lexer);
  if (c == '#' && valid[SOURCE_LOCATION]) {
    skip(lexer);
    skip_blanks(lexer);
    return take_location(lexer, true) && emit(lexer, SOURCE_LOCATION);
  }
  if (c != ',')
    return false;
  skip(lexer);
  skip_blanks(lexer);
  if (peek(lexer) == 'u')
    return valid[USES] && scan_uses(lexer);
  return valid[SCOPE] && scan_scope(lexer);
}

// `NAME` before the last word, `(` or `{`; the last word itself if it is `{`.
static bool scan_graph_name(TSLexer *lexer, const bool *valid)
{
  int32_t c = peek(lexer);
  if (c == '(' || c == '{') {
    take(lexer);
    mark(lexer);
    if (only_blanks_left(lexer))
      return c == '{' && emit(lexer, BRACE);
  }
  if (!valid[GRAPH_NAME])
    return false;
  bool any = false;
  while (!at_end(lexer)) {
    if (is_blank(peek(lexer))) {
      mark(lexer);
      take_blanks(lexer);
      if ((take_char(lexer, '(') || take_char(lexer, '{')) && only_blanks_left(lexer))
        break;
    } else {
      any = true;
      take(lexer);
    }
  }
  return any && emit(lexer, GRAPH_NAME);
}

// While the parser recovers it takes any token. References are left to the grammar, so that a
// damaged line still shows them; whatever lies between is one token, so that no character is
// looked at twice.
static bool scan_in_error(TSLexer *lexer)
{
  if (peek(lexer) == '%')
    return false;
  while (!at_end(lexer) && peek(lexer) != '%')
    take(lexer);
  mark(lexer);
  return emit(lexer, JUNK);
}

static bool scan(TSLexer *lexer, const bool *valid)
{
  uint32_t indent = skip_blanks(lexer);
  bool is_new_line = false;
  while (at_end(lexer)) {
    // A line that isn't finished here is damaged.
    if (!valid[TEXT_LINE])
      return false;
    if (peek(lexer) == 0)
      return is_new_line && emit(lexer, END);
    skip(lexer);
    is_new_line = true;
    indent = skip_blanks(lexer);
  }

  if (is_new_line || (valid[LINE_NAME] && !valid[TEXT_LINE]))
    return scan_line_start(lexer, valid, indent);
  if (valid[ERROR_SENTINEL])
    return scan_in_error(lexer);

  if (valid[OP_KIND] && !valid[DEFINITION_NAME])
    return scan_operator(lexer);
  if (valid[TYPE] || valid[OP_KIND] || valid[PARAMETER_NAME] || valid[HEADER_END])
    return scan_after_name(lexer, valid);
  if (valid[ATTRIBUTE_VALUE])
    return scan_attribute_value(lexer, valid);
  if (valid[SOURCE_LOCATION] && (peek(lexer) == '#' || peek(lexer) == ','))
    return scan_tail(lexer, valid);
  if (valid[PYTHON_ARGUMENTS])
    return scan_python_arguments(lexer);
  if (valid[BARE_REF])
    return scan_bare_ref(lexer);
  if (valid[COMMENT_TEXT]) {
    take_rest(lexer);
    return emit(lexer, COMMENT_TEXT);
  }
  if (valid[GRAPH_NAME] || valid[BRACE])
    return scan_graph_name(lexer, valid);
  if (valid[WITH_NAME]) {
    bool ignored;
    if (!take_operator(lexer, &ignored))
      return false;
    mark(lexer);
    return emit(lexer, WITH_NAME);
  }
  if (valid[GRAPH] && !valid[WITH]) {
    if (peek(lexer) != '=')
      return false;
    skip(lexer);
    skip_blanks(lexer);
    if (!take_word(lexer, "graph"))
      return false;
    mark(lexer);
    return emit(lexer, GRAPH);
  }

  // Either the first line of a text, or something after a finished line. A byte order mark
  // counts as a column.
  return valid[TEXT_LINE] && lexer->get_column(lexer) <= indent + 1 && scan_line_start(lexer, valid, indent);
}

void *tree_sitter_torch_ir_external_scanner_create(void)
{
  return NULL;
}

void tree_sitter_torch_ir_external_scanner_destroy(void *payload)
{
  (void)payload;
}

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
