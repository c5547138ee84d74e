#include "graph/torchscript/written_line.h"

#include "base/ascii.h"
#include "text/lines.h"

typedef struct Scan {
  Str text;
  uint32_t at;
  bool any_name;
  uint32_t comma_end;  ///< Of the last comma after a parameter: the last thing of a header's line.
  SyntaxNodes *nodes;
  WrittenFault fault;
} Scan;

// --- Characters ---

static char peek(const Scan *scan)
{
  return scan->at < scan->text.len ? scan->text.data[scan->at] : '\n';
}

static bool at_line_end(const Scan *scan)
{
  return peek(scan) == '\n' || peek(scan) == '\r';
}

static bool at_tail(const Scan *scan)
{
  return at_line_end(scan) || peek(scan) == '#';
}

static void skip_blanks(Scan *scan)
{
  while (peek(scan) == ' ' || peek(scan) == '\t')
    scan->at++;
}

/// Says what was expected where the scan is; the first to say so is right.
static bool fail(Scan *scan, char token, const char *expected)
{
  if (!scan->fault.expected)
    scan->fault = (WrittenFault){ scan->at, expected, token };
  return false;
}

static bool take(Scan *scan, char c)
{
  if (peek(scan) != c || scan->at >= scan->text.len)
    return false;
  scan->at++;
  return true;
}

static bool take_word(Scan *scan, Str word)
{
  if (!str_starts_with(str_slice(scan->text, scan->at, scan->text.len), word))
    return false;
  scan->at += (uint32_t)word.len;
  return true;
}

// --- Nodes ---

static size_t open_node(Scan *scan, NodeKind kind, uint16_t depth)
{
  vec_push(scan->nodes, (SyntaxNode){ .kind = (uint8_t)kind, .depth = depth, .start = scan->at });
  return scan->nodes->count - 1;
}

static void close_node(Scan *scan, size_t node)
{
  scan->nodes->items[node].end = scan->at;
}

/// `# words` up to the end of the line.
static void take_comment(Scan *scan, uint16_t depth)
{
  size_t comment = open_node(scan, NODE_COMMENT, depth);
  uint32_t end = scan->at;
  for (; !at_line_end(scan); scan->at++) {
    if (peek(scan) != ' ' && peek(scan) != '\t')
      end = scan->at + 1;
  }
  scan->nodes->items[comment].end = end;
}

/// Inside of brackets: comments, and the beginnings of lines that can't be the first of anything.
static void skip_space(Scan *scan)
{
  for (;;) {
    skip_blanks(scan);
    if (!at_tail(scan) || scan->at >= scan->text.len)
      return;
    size_t next = lines_next(scan->text, scan->at);
    if (next >= scan->text.len || !line_may_continue(scan->text, next))
      return;
    if (peek(scan) == '#')
      take_comment(scan, 3);
    scan->at = (uint32_t)next;
  }
}

// --- Parts ---

static bool is_name(const Scan *scan, char c)
{
  return ascii_is_dotted(c) || (scan->any_name && (c == '/' || c == '-' || c == ':'));
}

/// `%12`
static bool take_name(Scan *scan, NodeKind kind, uint16_t depth)
{
  size_t node = open_node(scan, kind, depth);
  if (!take(scan, '%'))
    return fail(scan, '%', "a name that begins with '%'");
  uint32_t start = scan->at;
  while (is_name(scan, peek(scan)))
    scan->at++;
  while (scan->at > start && scan->text.data[scan->at - 1] == ':')
    scan->at--;  // It ends the name.
  if (scan->at == start)
    return fail(scan, 0, "a name");
  close_node(scan, node);
  return true;
}

/// Balanced brackets on one line, with what a type may hold.
static bool take_brackets(Scan *scan)
{
  uint32_t depth = 0;
  do {
    char c = peek(scan);
    if (c == '(' || c == '[')
      depth++;
    else if (c == ')' || c == ']')
      depth--;
    else if (!ascii_is_dotted(c) && (c == '\n' || !strchr(" ,:=*?!", c)))
      return fail(scan, ')', "')' at the end of the type");
    if (c == '=' && depth > 0 && scan->at > 0 && scan->text.data[scan->at - 1] == ')')
      return fail(scan, ')', "')' at the end of the type");
    scan->at++;
  } while (depth > 0);
  return true;
}

static bool take_type(Scan *scan)
{
  skip_blanks(scan);
  size_t node = open_node(scan, NODE_TYPE, 3);
  if (!ascii_is_name_start(peek(scan)) && peek(scan) != '(')
    return fail(scan, 0, "a type, such as Tensor or int[]");
  while (ascii_is_dotted(peek(scan)))
    scan->at++;
  for (;;) {
    close_node(scan, node);
    skip_blanks(scan);
    if (peek(scan) == '(' || peek(scan) == '[') {
      if (!take_brackets(scan))
        return false;
    } else if (!take(scan, '?')) {
      break;
    }
  }
  return true;
}

/// `%12 : int`
static bool take_definition(Scan *scan, NodeKind kind)
{
  size_t definition = open_node(scan, kind, 2);
  if (!take_name(scan, NODE_VALUE_NAME, 3))
    return false;
  close_node(scan, definition);
  skip_blanks(scan);
  if (!take(scan, ':'))
    return true;
  if (!take_type(scan))
    return false;
  scan->nodes->items[definition].end = vec_last(scan->nodes)->end;
  return true;
}

/// A quoted string with its escapes.
static bool take_string(Scan *scan)
{
  char quote = peek(scan);
  scan->at++;
  while (!at_line_end(scan)) {
    char c = peek(scan);
    scan->at++;
    if (c == quote)
      return true;
    if (c == '\\' && !at_line_end(scan))
      scan->at++;
  }
  return fail(scan, quote, "'\"' at the end of the string");
}

/// Up to the `,` or `]` after it, on one line.
static bool take_value(Scan *scan)
{
  size_t node = open_node(scan, NODE_ATTRIBUTE_VALUE, 4);
  uint32_t start = scan->at;
  uint32_t end = start;
  uint32_t depth = 0;
  for (;; end = peek(scan) == ' ' ? end : scan->at + 1, scan->at++) {
    while (peek(scan) == '"') {
      if (!take_string(scan))
        return false;
      end = scan->at;
    }
    char c = peek(scan);
    if (depth == 0 && (c == ',' || c == ']' || at_tail(scan)))
      break;
    if (at_line_end(scan) || c == '%' || c == '#' || c == '\'' || (c == ')' && depth == 0))
      return fail(scan, ']', "']' at the end of the attributes");
    if (c == '(' || c == '[' || c == '{' || c == '<')
      depth++;
    else if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0)
      depth--;
  }
  scan->nodes->items[node].end = end;
  return end > start || fail(scan, 0, "a value");
}

static bool take_attribute(Scan *scan)
{
  size_t attribute = open_node(scan, NODE_ATTRIBUTE, 3);
  size_t name = open_node(scan, NODE_ATTRIBUTE_NAME, 4);
  if (!ascii_is_name_start(peek(scan)))
    return fail(scan, 0, "the name of an attribute");
  while (ascii_is_dotted(peek(scan)))
    scan->at++;
  close_node(scan, name);
  skip_blanks(scan);
  if (!take(scan, '='))
    return fail(scan, '=', "'=' and the attribute's value");
  skip_blanks(scan);
  if (!take_value(scan))
    return false;
  scan->nodes->items[attribute].end = vec_last(scan->nodes)->end;
  return true;
}

/// `[alpha=1., name="x"]`
static bool take_attributes(Scan *scan)
{
  size_t list = open_node(scan, NODE_ATTRIBUTE_LIST, 2);
  scan->at++;
  skip_space(scan);
  while (peek(scan) != ']') {
    if (!take_attribute(scan))
      return false;
    skip_space(scan);
    if (peek(scan) == ']')
      break;
    if (!take(scan, ','))
      return fail(scan, ']', "']' at the end of the attributes");
    skip_space(scan);
  }
  scan->at++;
  close_node(scan, list);
  return true;
}

/// `(%1, %2)`
static bool take_arguments(Scan *scan)
{
  size_t list = open_node(scan, NODE_ARGUMENT_LIST, 2);
  if (!take(scan, '('))
    return fail(scan, '(', "'(' and the arguments");
  skip_space(scan);
  while (peek(scan) != ')') {
    if (!take_name(scan, NODE_VALUE_REF, 3))
      return at_tail(scan) ? fail(scan, ')', "')' at the end of the arguments") : false;
    skip_space(scan);
    if (peek(scan) == ')')
      break;
    if (!take(scan, ','))
      return peek(scan) == '%' ? fail(scan, ',', "',' between two arguments")
                               : fail(scan, ')', "',' or ')' after an argument");
    skip_space(scan);
    if (peek(scan) == ')')
      return fail(scan, 0, "another argument after the ','");
  }
  scan->at++;
  close_node(scan, list);
  return true;
}

/// `aten::add`
static bool take_op(Scan *scan)
{
  size_t op = open_node(scan, NODE_OP_KIND, 2);
  if (!ascii_is_name_start(peek(scan)))
    return fail(scan, 0, "an operator, such as aten::relu");
  while (ascii_is_dotted(peek(scan)))
    scan->at++;
  if (!take(scan, ':'))
    return fail(scan, 0, "'::' after the operator's namespace");
  if (!take(scan, ':'))
    return fail(scan, ':', "'::' after the operator's namespace");
  if (!ascii_is_name_start(peek(scan)))
    return fail(scan, 0, "the operator's name");
  while (ascii_is_dotted(peek(scan)))
    scan->at++;
  close_node(scan, op);
  return true;
}

// --- Ends of lines ---

/// Whether the text ends in `:12:3`, with something before it.
static bool ends_in_position(Str s)
{
  for (int number = 0; number < 2; number++) {
    size_t end = s.len;
    s.len = ascii_digits_start(s, s.len);
    if (s.len == end || s.len < 2 || s.data[s.len - 1] != ':')
      return false;
    s.len--;
  }
  return s.data[0] != ':';
}

/// `# m.py:12:3` or other words.
static bool take_note(Scan *scan)
{
  if (at_line_end(scan))
    return true;
  if (peek(scan) != '#')
    return fail(scan, 0, "the end of the line");
  uint32_t hash = scan->at;
  take_comment(scan, 2);
  SyntaxNode *node = vec_last(scan->nodes);
  Str words = str_trim(str_slice(scan->text, hash + 1, node->end));
  if (!ends_in_position(words))
    return true;
  // Two comments are the grammar's business.
  if (str_find_char(words, '#', 0) != STR_NOT_FOUND)
    return false;
  node->kind = NODE_SOURCE_LOCATION;
  node->start = (uint32_t)(words.data - scan->text.data);
  return true;
}

static bool take_tail(Scan *scan)
{
  skip_blanks(scan);
  if (take(scan, ',')) {
    skip_blanks(scan);
    if (!take_word(scan, STR("scope:")))
      return fail(scan, 0, "'scope:'");
    skip_blanks(scan);
    size_t scope = open_node(scan, NODE_SCOPE, 2);
    while (!at_tail(scan))
      scan->at++;
    Str words = str_trim(str_slice(scan->text, scan->nodes->items[scope].start, scan->at));
    scan->nodes->items[scope].end = (uint32_t)(words.data + words.len - scan->text.data);
  }
  return take_note(scan);
}

// --- Lines ---

/// From the first `%` on: definitions, then either a call or the end of a header's line.
static bool take_statement(Scan *scan)
{
  size_t statement = open_node(scan, NODE_STATEMENT, 1);
  for (;;) {
    if (!take_definition(scan, NODE_DEFINITION))
      return false;
    skip_blanks(scan);
    if (!take(scan, ','))
      break;
    skip_blanks(scan);
  }
  bool has_type = vec_last(scan->nodes)->kind == NODE_TYPE;
  if (!take(scan, '='))
    return has_type ? fail(scan, '=', "'=' and an operator") : fail(scan, ':', "':' and a type, or '='");
  skip_blanks(scan);
  if (!take_op(scan))
    return false;
  skip_blanks(scan);
  if (peek(scan) == '[' && !take_attributes(scan))
    return false;
  skip_blanks(scan);
  if (!take_arguments(scan))
    return false;
  close_node(scan, statement);
  if (!take_tail(scan))
    return false;
  if (vec_last(scan->nodes)->depth == 2)
    scan->nodes->items[statement].end = vec_last(scan->nodes)->end;
  return true;
}

/// `%a : int, %b : int):`, or what of it is on this line.
static bool take_parameters(Scan *scan, bool may_go_on)
{
  skip_blanks(scan);
  while (!at_tail(scan) && peek(scan) != ')') {
    if (!take_definition(scan, NODE_PARAMETER))
      return false;
    skip_blanks(scan);
    if (peek(scan) == ')')
      break;
    if (!take(scan, ','))
      return fail(scan, ')', "',' or '):' after a parameter");
    scan->comma_end = scan->at;
    skip_blanks(scan);
  }
  if (at_tail(scan))
    return may_go_on || fail(scan, 0, "'):'");
  size_t end = open_node(scan, NODE_HEADER_END, 2);
  scan->at++;
  skip_blanks(scan);
  if (!take(scan, ':'))
    return fail(scan, ':', "':' after the ')'");
  close_node(scan, end);
  skip_blanks(scan);
  return true;
}

/// Ends a line whose node ends with its last child.
static bool end_line(Scan *scan, size_t line)
{
  skip_blanks(scan);
  if (!take_note(scan))
    return false;
  uint32_t end = scan->comma_end;
  for (size_t i = line + 1; i < scan->nodes->count; i++)
    end = scan->nodes->items[i].end > end ? scan->nodes->items[i].end : end;
  scan->nodes->items[line].end = end;
  return true;
}

static bool take_graph(Scan *scan)
{
  size_t line = open_node(scan, NODE_GRAPH_HEADER, 1);
  scan->at += (uint32_t)strlen("graph");
  skip_blanks(scan);
  if (!take(scan, '('))
    return fail(scan, '(', "'(' and the graph's inputs");
  return take_parameters(scan, true) && scan->nodes->count > line + 1 && end_line(scan, line);
}

static bool take_parameter_line(Scan *scan)
{
  size_t line = open_node(scan, NODE_PARAMETER_LINE, 1);
  return take_parameters(scan, true) && end_line(scan, line);
}

static bool take_block(Scan *scan)
{
  size_t line = open_node(scan, NODE_BLOCK_HEADER, 1);
  size_t name = open_node(scan, NODE_BLOCK_NAME, 2);
  scan->at += (uint32_t)strlen("block");
  while (ascii_is_digit(peek(scan)))
    scan->at++;
  close_node(scan, name);
  skip_blanks(scan);
  if (!take(scan, '('))
    return fail(scan, '(', "'(' and the block's inputs");
  return take_parameters(scan, false) && end_line(scan, line);
}

static bool take_return(Scan *scan, NodeKind kind, Str word)
{
  size_t line = open_node(scan, kind, 1);
  scan->at += (uint32_t)word.len;
  skip_blanks(scan);
  return take_arguments(scan) && end_line(scan, line);
}

/// Whether the line, up to its end, holds an `=` outside of brackets and strings.
static bool is_assigned(const Scan *scan)
{
  uint32_t depth = 0;
  for (size_t i = scan->at; i < scan->text.len; i++) {
    char c = scan->text.data[i];
    if (c == '\n' || c == '\r' || c == '#' || c == '"')
      return false;
    if (c == '=' && depth == 0)
      return true;
    if (c == '(' || c == '[')
      depth++;
    else if ((c == ')' || c == ']') && depth > 0)
      depth--;
  }
  return false;
}

static bool take_line(Scan *scan)
{
  static const struct {
    Str word;
    NodeKind kind;
  } returns[] = { { STR_INIT("return"), NODE_RETURN_STATEMENT }, { STR_INIT("->"), NODE_BLOCK_RETURN } };
  Str rest = str_slice(scan->text, scan->at, scan->text.len);
  for (size_t i = 0; i < COUNT(returns); i++) {
    if (str_starts_with(rest, returns[i].word))
      return take_return(scan, returns[i].kind, returns[i].word);
  }
  if (str_starts_with(rest, STR("graph")))
    return take_graph(scan);
  if (str_starts_with(rest, STR("block")))
    return take_block(scan);
  if (peek(scan) != '%')
    return false;
  return scan->any_name || is_assigned(scan) ? take_statement(scan) : take_parameter_line(scan);
}

uint32_t written_line_parse(Str text, uint32_t start, bool any_name, SyntaxNodes *nodes, WrittenFault *ret_fault)
{
  size_t before = nodes->count;
  Scan scan = { .text = text, .at = start, .any_name = any_name, .nodes = nodes };
  skip_blanks(&scan);
  bool is_whole = take_line(&scan) && at_line_end(&scan);
  *ret_fault = scan.fault;
  if (is_whole)
    return scan.at;
  nodes->count = before;
  return 0;
}
