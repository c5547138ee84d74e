#include "graph/onnx/onnx_line.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_read.h"

enum { INFO_INDENT = 3 };

typedef struct Line {
  SyntaxParser *parser;
  Str text;
  uint32_t at;
  uint32_t end;
  uint32_t indent;
} Line;

// --- Nodes ---

static size_t open_node(Line *line, NodeKind kind, uint16_t depth, uint32_t start)
{
  vec_push(&line->parser->nodes,
           (SyntaxNode){ .kind = (uint8_t)kind, .depth = depth, .start = start, .end = line->at });
  return line->parser->nodes.count - 1;
}

static void close_node(Line *line, size_t node)
{
  line->parser->nodes.items[node].end = line->at;
}

// --- Characters ---

static void skip_blanks(Line *line)
{
  while (line->at < line->end && ascii_is_blank(line->text.data[line->at]))
    line->at++;
}

/// The end of a text without the blanks at it.
static uint32_t trimmed_end(const Line *line, uint32_t start, uint32_t end)
{
  while (end > start && ascii_is_blank(line->text.data[end - 1]))
    end--;
  return end;
}

static char peek(Line *line)
{
  skip_blanks(line);
  return line->at < line->end ? line->text.data[line->at] : '\0';
}

static bool take(Line *line, char c)
{
  if (c == '\0' || peek(line) != c)
    return false;
  line->at++;
  return true;
}

static bool take_arrow(Line *line)
{
  if (peek(line) != '=' || line->at + 1 >= line->end || line->text.data[line->at + 1] != '>')
    return false;
  line->at += 2;
  return true;
}

static Str peek_word(Line *line)
{
  skip_blanks(line);
  uint32_t end = line->at;
  if (end < line->end && (ascii_is_letter(line->text.data[end]) || line->text.data[end] == '_')) {
    while (end < line->end && ascii_is_word(line->text.data[end]))
      end++;
  }
  return str_slice(line->text, line->at, end);
}

/// After the string that begins here, or the line's end.
static void skip_string(Line *line)
{
  line->at++;
  while (line->at < line->end && line->text.data[line->at] != '"')
    line->at += line->text.data[line->at] == '\\' && line->at + 1 < line->end ? 2 : 1;
  line->at += line->at < line->end;
}

/// A name in quotes or without, as any printer wrote it; what is named is the text between the quotes.
static bool take_name(Line *line, OnnxSpan *ret_name)
{
  char c = peek(line);
  uint32_t start = line->at;
  if (c == '"') {
    skip_string(line);
    bool is_closed = line->at > start + 1 && line->text.data[line->at - 1] == '"';
    *ret_name = (OnnxSpan){ start + 1, line->at - is_closed };
    return ret_name->end > ret_name->start;
  }
  while (line->at < line->end && (unsigned char)line->text.data[line->at] > ' ' &&
         !memchr(",()[]{}<>=\"#", line->text.data[line->at], 12))
    line->at++;
  *ret_name = (OnnxSpan){ start, line->at };
  return line->at > start;
}

static void add_name(Line *line, NodeKind kind, uint16_t depth, OnnxSpan name)
{
  size_t node = open_node(line, kind, depth, name.start);
  line->parser->nodes.items[node].end = name.end;
}

/// After the bracket that closes the one here, or the line's end; a comment is the rest of the line.
static void skip_brackets(Line *line)
{
  uint32_t depth = 0;
  do {
    char c = line->text.data[line->at];
    if (c == '"') {
      skip_string(line);
      continue;
    }
    line->at = c == '#' ? line->end : line->at + 1;
    depth += c == '{' || c == '[' || c == '(';
    depth -= depth > 0 && (c == '}' || c == ']' || c == ')');
  } while (depth > 0 && line->at < line->end);
}

/// Moves to one of the signs that is in no string and no bracket, or to the line's end.
static void skip_to(Line *line, const char *signs)
{
  for (char c; (c = peek(line)) != '\0' && !strchr(signs, c);) {
    if (c == '"')
      skip_string(line);
    else if (c == '{' || c == '[' || c == '(')
      skip_brackets(line);
    else
      line->at++;
  }
}

// --- Types and values ---

static bool is_wrapper(Str word)
{
  static const char *const words[] = { "seq", "map", "optional", "sparse_tensor", "opaque" };
  return str_is_one_of(word, words, COUNT(words));
}

/// `float[2] x`: moves after the type; false if none is here.
static bool take_type(Line *line)
{
  Str word = peek_word(line);
  uint32_t start = line->at;
  if (is_wrapper(word)) {
    line->at += (uint32_t)word.len;
    if (peek(line) == '(') {
      skip_brackets(line);
      return true;
    }
  } else if (word.len > 0 && onnx_element_of(word) != 0) {
    line->at += (uint32_t)word.len;
    if (line->at < line->end && line->text.data[line->at] == '[')
      skip_brackets(line);
    char next = peek(line);
    if (next != ',' && next != ')' && next != '=' && next != '\0' && next != '{')
      return true;
  }
  line->at = start;
  return false;
}

/// What a list of values in a header defines.
typedef enum ValueRole {
  VALUES_DEFINED,  ///< Inputs.
  VALUES_NAMED,    ///< Outputs.
  VALUES_MIXED,    ///< Initializers are defined, what only has a type is named.
} ValueRole;

static bool take_value(Line *line, ValueRole role, uint16_t depth)
{
  skip_blanks(line);
  size_t parameter = open_node(line, NODE_PARAMETER, depth, line->at);
  uint32_t type_start = line->at;
  if (take_type(line))
    add_name(line, NODE_TYPE, depth + 1, (OnnxSpan){ type_start, trimmed_end(line, type_start, line->at) });
  OnnxSpan name;
  if (!take_name(line, &name)) {
    line->parser->nodes.count = parameter;
    return false;
  }
  uint32_t name_end = line->at;
  bool has_data = peek(line) == '=' && !str_starts_with(str_slice(line->text, line->at, line->end), STR("=>"));
  bool is_defined = role == VALUES_DEFINED || (role == VALUES_MIXED && has_data);
  line->at = has_data ? line->at : name_end;
  add_name(line, is_defined ? NODE_VALUE_NAME : NODE_VALUE_REF, depth + 1, name);
  if (has_data) {
    line->at++;
    if (peek(line) == '{' || peek(line) == '[')
      skip_brackets(line);
  }
  close_node(line, parameter);
  return true;
}

/// Values with commas between, up to a bracket or the line's end.
static bool take_values(Line *line, ValueRole role, uint16_t depth)
{
  bool has_any = false;
  while (take_value(line, role, depth)) {
    has_any = true;
    if (!take(line, ','))
      break;
  }
  return has_any;
}

// --- Statements ---

/// `<float[2] w = {…}, float[N] y> {` after the outputs. True if the header ends here.
static bool take_header_rest(Line *line)
{
  if (take(line, '<')) {
    take_values(line, VALUES_MIXED, 2);
    take(line, '>');
  }
  bool is_end = take(line, '{');
  if (is_end)
    close_node(line, open_node(line, NODE_HEADER_END, 2, line->at - 1));
  return is_end;
}

/// `g (float[2] x) => (float[2] y) <…> {`, as far as the line goes. True if it is one.
static bool take_signature(Line *line, bool has_name)
{
  if (peek(line) == '<') {  // Attributes of a function.
    line->at++;
    skip_to(line, ">");
    take(line, '>');
  }
  bool has_inputs = take(line, '(');
  if (has_inputs)
    take_values(line, VALUES_DEFINED, 2);
  bool is_whole = !has_inputs || take(line, ')');
  if (!is_whole)
    return has_name && peek(line) == '\0';
  bool has_arrow = take_arrow(line);
  if (!has_arrow && has_name)
    return has_inputs && peek(line) == '\0';
  if (has_arrow && take(line, '(')) {
    take_values(line, VALUES_NAMED, 2);
    take(line, ')');
  }
  bool is_end = take_header_rest(line);
  return has_arrow || is_end;
}

/// True before `then_branch: graph = t (…) =>`.
static bool at_graph_attribute(Line *line)
{
  Str word = peek_word(line);
  uint32_t start = line->at;
  line->at += (uint32_t)word.len;
  if (take(line, ':'))
    line->at += (uint32_t)peek_word(line).len;
  bool is_graph = word.len > 0 && take(line, '=');
  Str name = is_graph ? peek_word(line) : (Str){ 0 };
  line->at += (uint32_t)name.len;
  if (name.len > 0 && peek(line) == '(')
    skip_brackets(line);
  is_graph = name.len > 0 && take_arrow(line);
  line->at = start;
  return is_graph;
}

/// `then_branch: graph = ` in the header of its graph.
static void take_graph_attribute(Line *line)
{
  uint32_t start = (skip_blanks(line), line->at);
  line->at += (uint32_t)peek_word(line).len;
  add_name(line, NODE_ATTRIBUTE_NAME, 2, (OnnxSpan){ start, line->at });
  if (take(line, ':'))
    line->at += (uint32_t)peek_word(line).len;
  take(line, '=');
}

static bool take_header(Line *line, NodeKind kind)
{
  size_t count = line->parser->nodes.count;
  uint32_t start = (skip_blanks(line), line->at);
  size_t header = open_node(line, kind, 1, start);
  if (kind == NODE_BLOCK_HEADER)
    take_graph_attribute(line);
  OnnxSpan name;
  bool is_header = take_name(line, &name);
  if (is_header) {
    add_name(line, kind == NODE_BLOCK_HEADER ? NODE_BLOCK_NAME : NODE_GRAPH_NAME, 2, name);
    is_header = take_signature(line, true);
  }
  if (!is_header) {
    line->parser->nodes.count = count;
    line->at = start;
    return false;
  }
  close_node(line, header);
  return true;
}

/// `<axis: int = 1, …>` after its `<`. True if the header of a graph is next.
static bool take_attributes(Line *line)
{
  do {
    if (at_graph_attribute(line))
      return true;
    Str word = peek_word(line);
    if (word.len == 0)
      return false;
    uint32_t start = line->at;
    size_t attribute = open_node(line, NODE_ATTRIBUTE, 3, start);
    line->at += (uint32_t)word.len;
    add_name(line, NODE_ATTRIBUTE_NAME, 4, (OnnxSpan){ start, line->at });
    if (take(line, ':'))
      line->at += (uint32_t)peek_word(line).len;
    if (take(line, '=')) {
      uint32_t value = (skip_blanks(line), line->at);
      skip_to(line, ",>#");
      uint32_t end = trimmed_end(line, value, line->at);
      add_name(line, NODE_ATTRIBUTE_VALUE, 4, (OnnxSpan){ value, end });
      line->parser->nodes.items[attribute].end = end;
    } else {
      close_node(line, attribute);
    }
  } while (take(line, ','));
  return false;
}

static void take_operands(Line *line, uint16_t depth)
{
  size_t list = open_node(line, NODE_ARGUMENT_LIST, depth, line->at);
  line->at++;
  for (;;) {
    OnnxSpan name;
    char c = peek(line);
    if (c == '\0' || c == ')' || c == '#')
      break;
    uint32_t before = line->at;
    if (take_name(line, &name)) {
      bool is_quoted = c == '"';  // With its quotes it is the argument, without them the value.
      if (is_quoted)
        close_node(line, open_node(line, NODE_ARGUMENT, depth + 1, before));
      add_name(line, NODE_VALUE_REF, depth + 1 + is_quoted, name);
    }
    take(line, ',');
    if (line->at == before)
      break;
  }
  take(line, ')');
  close_node(line, list);
}

/// A word, or a name that a printer put into quotes because it is none.
static bool take_word(Line *line)
{
  uint32_t start = (skip_blanks(line), line->at);
  if (peek(line) == '"')
    skip_string(line);
  else
    line->at += (uint32_t)peek_word(line).len;
  return line->at > start;
}

/// `my.domain.Op:overload`, `my."Op.1"`; false if no bracket follows.
static bool take_operator(Line *line)
{
  uint32_t start = (skip_blanks(line), line->at);
  uint32_t end;
  do {
    if (!take_word(line))
      return false;
    end = line->at;
  } while (line->at < line->end && line->text.data[line->at] == '.' && ++line->at);
  if (take(line, ':'))
    take_word(line);
  add_name(line, NODE_OP_KIND, 2, (OnnxSpan){ start, end });
  char next = peek(line);
  return next == '(' || next == '<';
}

/// Attributes of a node; a graph among them ends the statement's own nodes.
static bool take_attribute_list(Line *line)
{
  size_t list = open_node(line, NODE_ATTRIBUTE_LIST, 2, line->at);
  line->at++;
  bool has_graph = take_attributes(line);
  if (!has_graph)
    take(line, '>');
  close_node(line, list);
  return has_graph;
}

static bool take_outputs(Line *line)
{
  for (;;) {
    OnnxSpan name;
    uint32_t start = (skip_blanks(line), line->at);
    if (take_name(line, &name)) {
      size_t definition = open_node(line, NODE_DEFINITION, 2, start);
      add_name(line, NODE_VALUE_NAME, 3, name);
      close_node(line, definition);
    }
    if (!take(line, ','))
      break;
  }
  return peek(line) == '=' && !take_arrow(line) && take(line, '=');
}

/// `[label] a, b = Op <attributes> (x, y)`
static bool take_statement(Line *line)
{
  size_t count = line->parser->nodes.count;
  uint32_t start = (skip_blanks(line), line->at);
  size_t statement = open_node(line, NODE_STATEMENT, 1, start);
  OnnxSpan label;
  if (take(line, '[')) {
    if (take_name(line, &label))
      add_name(line, NODE_SCOPE, 2, label);
    take(line, ']');
  }
  if (!take_outputs(line) || !take_operator(line)) {
    line->parser->nodes.count = count;
    line->at = start;
    return false;
  }
  bool has_graph = peek(line) == '<' && take_attribute_list(line);
  if (!has_graph && peek(line) == '(') {
    take_operands(line, 2);
    has_graph = peek(line) == '<' && take_attribute_list(line);
  }
  close_node(line, statement);
  if (has_graph)
    take_header(line, NODE_BLOCK_HEADER);
  return true;
}

// --- Lines ---

static void add_text(Line *line, NodeKind kind)
{
  size_t node = open_node(line, kind, 1, line->at);
  line->at = line->end;
  close_node(line, node);
}

/// `) => (`, `) {`: more of a header that goes over several lines.
static bool take_header_part(Line *line, uint32_t start)
{
  size_t node = open_node(line, NODE_PARAMETER_LINE, 1, start);
  take(line, ')');
  bool is_header = take_signature(line, false);
  close_node(line, node);
  return is_header || line->at > start;
}

/// `}`, `>`, `,` and `)` before what else stands in the line. False if there are none.
static bool take_closers(Line *line, bool is_first)
{
  uint32_t start = (skip_blanks(line), line->at);
  char c = peek(line);
  if (c == '}') {
    line->at++;
    close_node(line,
               open_node(line, is_first && line->indent == 0 ? NODE_RETURN_STATEMENT : NODE_CLOSING_BRACE, 1, start));
    return true;
  }
  if (c == '>' || c == ',') {
    line->at++;
    if (c == '>' && peek(line) == '(') {
      size_t node = open_node(line, NODE_PARAMETER_LINE, 1, line->at);
      take_operands(line, 2);
      close_node(line, node);
    } else if (c == '>' && peek(line) == '{') {
      line->at++;
    }
    return true;
  }
  return (c == ')' || c == '=') && take_header_part(line, start);
}

/// A line of inputs, outputs or initializers, or of the operands of a long statement.
static bool take_value_line(Line *line)
{
  size_t count = line->parser->nodes.count;
  uint32_t start = (skip_blanks(line), line->at);
  size_t node = open_node(line, NODE_PARAMETER_LINE, 1, start);
  // Inputs with comments stand further in than the types of values.
  bool is_typed = take_type(line);
  line->at = start;
  ValueRole role = !is_typed || line->indent <= INFO_INDENT ? VALUES_MIXED : VALUES_DEFINED;
  bool is_good = take_values(line, role, 2);
  char next = peek(line);
  bool is_closed = next == ')' || next == '>' || next == '\0' || next == '#';
  bool has_comma = line->at > start && line->text.data[line->at - 1] == ',';
  char first = line->text.data[start];
  bool is_number = ascii_is_digit(first) || first == '-' || first == '.';
  if (is_number || !is_good || !is_closed || (!is_typed && next != ')' && !has_comma)) {
    line->parser->nodes.count = count;
    line->at = start;
    return false;
  }
  close_node(line, node);
  return true;
}

/// The end of a long statement, whose attributes begin above: `3, 3], strides: ints = [2, 2]> (x, w)`.
static bool take_statement_rest(Line *line)
{
  uint32_t start = line->at;
  skip_to(line, ">#");
  if (!take(line, '>') || peek(line) != '(') {
    line->at = start;
    return false;
  }
  size_t node = open_node(line, NODE_PARAMETER_LINE, 1, line->at);
  take_operands(line, 2);
  close_node(line, node);
  return true;
}

/// `<float[2] w = {1, 2}, …>` in a line of its own, below its header; keys of a model have no types.
static bool take_listed_values(Line *line)
{
  uint32_t start = line->at;
  take(line, '<');
  bool is_value = take_type(line);
  line->at = start;
  if (is_value) {
    size_t node = open_node(line, NODE_PARAMETER_LINE, 1, start);
    take_header_rest(line);
    close_node(line, node);
  }
  return is_value;
}

/// `<ir_version: 8, opset_import: ["" : 17]>`; nothing of it is a part of a graph.
static void add_header_keys(Line *line)
{
  size_t node = open_node(line, NODE_TEXT_LINE, 1, line->at);
  line->at++;
  skip_to(line, ">#");
  take(line, '>');
  close_node(line, node);
}

static void parse_part(Line *line, bool is_first)
{
  if (is_first && peek(line) == '<') {
    if (!take_listed_values(line))
      add_header_keys(line);
    return;
  }
  if (peek(line) == '#' ||
      (peek(line) == '/' && str_starts_with(str_slice(line->text, line->at, line->end), STR("//"))))
    add_text(line, NODE_COMMENT);
  else if (take_closers(line, is_first) || (at_graph_attribute(line) && take_header(line, NODE_BLOCK_HEADER)) ||
           take_statement(line))
    return;
  else if (!take_header(line, NODE_GRAPH_HEADER) && !take_value_line(line) && !(is_first && take_statement_rest(line)))
    add_text(line, NODE_TEXT_LINE);
}

static void parse_line(SyntaxParser *parser, Str text, size_t start, size_t end)
{
  Line line = { .parser = parser, .text = text, .at = (uint32_t)start, .end = (uint32_t)end };
  line.end = trimmed_end(&line, line.at, line.end);
  skip_blanks(&line);
  line.indent = line.at - (uint32_t)start;
  for (uint32_t part = 0; peek(&line) != '\0'; part++) {
    uint32_t before = line.at;
    if (part == ONNX_LINE_PART_LIMIT)
      add_text(&line, NODE_TEXT_LINE);
    else
      parse_part(&line, part == 0);
    if (line.at == before)
      add_text(&line, NODE_TEXT_LINE);
  }
}

SyntaxList onnx_line_parse(SyntaxParser *parser, Str text)
{
  vec_clear(&parser->nodes);
  for (size_t line = 0; line < text.len;) {
    size_t end = line;
    while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r')
      end++;
    parse_line(parser, text, line, end);
    line = end + 1;
  }
  return (SyntaxList){ .nodes = parser->nodes.items, .count = parser->nodes.count };
}
