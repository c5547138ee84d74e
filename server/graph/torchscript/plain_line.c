#include "graph/torchscript/plain_line.h"

#include "base/ascii.h"

enum {
  IN_NAME = 1,      ///< In the name of a value, after the `%`.
  IN_OP = 2,        ///< In the namespace or the name of an operator.
  IN_WORD = 4,      ///< In the name of an attribute.
  IN_TYPE = 8,      ///< In a type outside of brackets.
  IN_NESTED = 16,   ///< In a type inside of brackets.
  IN_NUMBERS = 32,  ///< In a number, or in a list of numbers.
  IN_STRING = 64,
  IN_PLACE = 128,  ///< In a scope or a source location.
};

enum {
  WORD = IN_NAME | IN_OP | IN_WORD | IN_TYPE | IN_NESTED | IN_STRING | IN_PLACE,
  DIGIT = WORD | IN_NUMBERS,
};

/// What each character may be part of; zero stops every scan.
__extension__ static const uint8_t classes[256] = {
  ['A' ... 'Z'] = WORD,
  ['a' ... 'd'] = WORD,
  ['e'] = DIGIT,  // Of an exponent.
  ['f' ... 'z'] = WORD,
  ['_'] = WORD,
  ['0' ... '9'] = DIGIT,
  ['.'] = DIGIT & ~IN_WORD,
  [':'] = IN_NAME | IN_NESTED | IN_PLACE,
  ['/'] = IN_NAME | IN_STRING | IN_PLACE,
  ['-'] = IN_NAME | IN_STRING | IN_PLACE | IN_NUMBERS,
  ['+'] = IN_NUMBERS,
  ['?'] = IN_TYPE | IN_NESTED,
  [' '] = IN_NESTED | IN_STRING,
  [','] = IN_NESTED,
  ['='] = IN_NESTED,
  ['*'] = IN_NESTED,
};

typedef struct Scan {
  const char *text;
  uint32_t len;
  uint32_t at;
  uint32_t base;
  SyntaxNodes *nodes;
} Scan;

static char peek(const Scan *scan)
{
  return scan->at < scan->len ? scan->text[scan->at] : '\0';
}

static bool take(Scan *scan, Str expected)
{
  if (scan->len - scan->at < expected.len || memcmp(scan->text + scan->at, expected.data, expected.len) != 0)
    return false;
  scan->at += (uint32_t)expected.len;
  return true;
}

/// Passes over characters of a class; false if there is none.
static bool take_class(Scan *scan, uint8_t flag)
{
  uint32_t start = scan->at;
  while (scan->at < scan->len && (classes[(unsigned char)scan->text[scan->at]] & flag))
    scan->at++;
  return scan->at > start;
}

static size_t open_node(Scan *scan, NodeKind kind, uint16_t depth, uint32_t start)
{
  vec_push(scan->nodes, (SyntaxNode){ .kind = (uint8_t)kind, .depth = depth, .start = scan->base + start });
  return scan->nodes->count - 1;
}

static void close_node(Scan *scan, size_t node)
{
  scan->nodes->items[node].end = scan->base + scan->at;
}

static void add_node(Scan *scan, NodeKind kind, uint16_t depth, uint32_t start)
{
  close_node(scan, open_node(scan, kind, depth, start));
}

/// `%12`
static bool take_name(Scan *scan, NodeKind kind, uint16_t depth)
{
  uint32_t start = scan->at;
  if (!take(scan, STR("%")) || !take_class(scan, IN_NAME))
    return false;
  add_node(scan, kind, depth, start);
  return true;
}

/// A type up to the ` = ` or `, %` after it, with balanced brackets.
static bool take_type(Scan *scan)
{
  uint32_t start = scan->at;
  uint32_t depth = 0;
  if (ascii_is_digit(peek(scan)) || peek(scan) == '?' || peek(scan) == '.' || peek(scan) == '[')
    return false;  // No type begins so.
  for (;; scan->at++) {
    char c = peek(scan);
    if (c == '=' && scan->text[scan->at - 1] == ' ')
      break;  // ` =` ends a type wherever it is.
    if (c == '(' || c == '[')
      depth++;
    else if ((c == ')' || c == ']') && depth > 0)
      depth--;
    else if (!(classes[(unsigned char)c] & (depth > 0 ? IN_NESTED : IN_TYPE)))
      break;
  }
  if (depth > 0 || scan->at == start)
    return false;
  add_node(scan, NODE_TYPE, 3, start);
  return true;
}

/// `%12 : int, %13 : int = `
static bool take_definitions(Scan *scan)
{
  do {
    size_t definition = open_node(scan, NODE_DEFINITION, 2, scan->at);
    if (!take_name(scan, NODE_VALUE_NAME, 3) || !take(scan, STR(" : ")) || !take_type(scan))
      return false;
    close_node(scan, definition);
  } while (take(scan, STR(", ")));
  return take(scan, STR(" = "));
}

/// `aten::add`
static bool take_op(Scan *scan)
{
  uint32_t start = scan->at;
  // One namespace, one name, and nothing that could be a number.
  if (ascii_is_digit(peek(scan)) || !take_class(scan, IN_OP) || !take(scan, STR("::")) || !take_class(scan, IN_OP) ||
      peek(scan) == ':')
    return false;
  add_node(scan, NODE_OP_KIND, 2, start);
  return true;
}

/// A number, a list of numbers, `{1}`, a simple string or `<Tensor>`.
static bool take_value(Scan *scan)
{
  switch (peek(scan)) {
  case '[':
    scan->at++;
    do {
      if (!take_class(scan, IN_NUMBERS))
        return false;
    } while (take(scan, STR(", ")));
    return take(scan, STR("]"));
  case '{':
    scan->at++;
    return take_class(scan, IN_NUMBERS) && take(scan, STR("}"));
  case '"':
    scan->at++;
    take_class(scan, IN_STRING);
    return take(scan, STR("\""));
  case '<':
    return take(scan, STR("<Tensor>"));
  default:
    return take_class(scan, IN_NUMBERS);
  }
}

/// `[alpha=1., name="x"]`
static bool take_attributes(Scan *scan)
{
  size_t list = open_node(scan, NODE_ATTRIBUTE_LIST, 2, scan->at);
  scan->at++;
  do {
    uint32_t start = scan->at;
    size_t attribute = open_node(scan, NODE_ATTRIBUTE, 3, start);
    if (!take_class(scan, IN_WORD))
      return false;
    add_node(scan, NODE_ATTRIBUTE_NAME, 4, start);
    if (!take(scan, STR("=")))
      return false;
    start = scan->at;
    if (!take_value(scan))
      return false;
    add_node(scan, NODE_ATTRIBUTE_VALUE, 4, start);
    close_node(scan, attribute);
  } while (take(scan, STR(", ")));
  if (!take(scan, STR("]")))
    return false;
  close_node(scan, list);
  return true;
}

/// `(%1, %2)`
static bool take_arguments(Scan *scan)
{
  size_t list = open_node(scan, NODE_ARGUMENT_LIST, 2, scan->at);
  if (!take(scan, STR("(")))
    return false;
  if (peek(scan) != ')') {
    do {
      if (!take_name(scan, NODE_VALUE_REF, 3))
        return false;
    } while (take(scan, STR(", ")));
  }
  if (!take(scan, STR(")")))
    return false;
  close_node(scan, list);
  return true;
}

/// Whether the text ends in `:12:3`, with something before it that can be a file's name. Colons and numbers alone
/// can't.
static bool ends_in_position(Str s)
{
  for (int number = 0; number < 2; number++) {
    size_t end = s.len;
    while (s.len > 0 && ascii_is_digit(s.data[s.len - 1]))
      s.len--;
    if (s.len == end || s.len == 0 || s.data[s.len - 1] != ':')
      return false;
    s.len--;
  }
  return s.len > 0 && s.data[0] != ':';
}

/// `, scope: M::/N::n # m.py:12:3`, each part optional, up to the end of the line.
static bool take_tail(Scan *scan)
{
  if (take(scan, STR(", scope: "))) {
    uint32_t start = scan->at;
    if (!take_class(scan, IN_PLACE))
      return false;
    add_node(scan, NODE_SCOPE, 2, start);
  }
  if (take(scan, STR(" # "))) {
    uint32_t start = scan->at;
    if (!take_class(scan, IN_PLACE) || !ends_in_position(str_make(scan->text + start, scan->at - start)))
      return false;
    add_node(scan, NODE_SOURCE_LOCATION, 2, start);
  }
  return scan->at == scan->len;
}

static bool take_statement(Scan *scan)
{
  while (peek(scan) == ' ')
    scan->at++;
  size_t statement = open_node(scan, NODE_STATEMENT, 1, scan->at);
  if (peek(scan) != '%' || !take_definitions(scan) || !take_op(scan))
    return false;
  if (peek(scan) == '[' && !take_attributes(scan))
    return false;
  if (!take_arguments(scan) || !take_tail(scan))
    return false;
  close_node(scan, statement);
  scan->nodes->items[statement].state = SYNTAX_PLAIN;
  return true;
}

bool plain_line_parse(Str line, uint32_t base, SyntaxNodes *nodes)
{
  size_t before = nodes->count;
  Scan scan = { .text = line.data, .len = (uint32_t)line.len, .base = base, .nodes = nodes };
  if (take_statement(&scan))
    return true;
  nodes->count = before;
  return false;
}
