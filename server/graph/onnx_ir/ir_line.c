#include "graph/onnx_ir/ir_line.h"

#include "base/ascii.h"
#include "base/vec.h"
#include "graph/onnx_ir/ir_scan.h"

enum {
  REPORT_INDENT = 8,  ///< In reports a model stands that far in.
  INNER_INDENT = 12,  ///< A graph in an attribute stands at least that far in.
};

typedef struct Line {
  SyntaxParser *parser;
  IrScan scan;
  uint32_t start;  ///< Of what is not blank.
  uint32_t indent;
} Line;

// --- Nodes ---

static size_t open_node(Line *line, NodeKind kind, uint16_t depth, uint32_t start)
{
  vec_push(&line->parser->nodes,
           (SyntaxNode){ .kind = (uint8_t)kind, .depth = depth, .start = start, .end = line->scan.at });
  return line->parser->nodes.count - 1;
}

static void close_node(Line *line, size_t node)
{
  line->parser->nodes.items[node].end = line->scan.at;
}

static void add_span(Line *line, NodeKind kind, uint16_t depth, OnnxSpan at)
{
  size_t node = open_node(line, kind, depth, at.start);
  line->parser->nodes.items[node].end = at.end;
}

/// The rest of the line as one node.
static void add_rest(Line *line, NodeKind kind)
{
  line->scan.at = line->scan.end;
  close_node(line, open_node(line, kind, 1, line->start));
}

static bool starts_with(const Line *line, Str word)
{
  return str_starts_with(str_slice(line->scan.text, line->start, line->scan.end), word);
}

// --- Values ---

static void add_type(Line *line, const IrValue *value, uint16_t depth)
{
  if (value->element.end > value->element.start)
    add_span(line, NODE_TYPE, depth,
             (OnnxSpan){ value->element.start, value->shape.end > 0 ? value->shape.end : value->element.end });
}

/// An input, an initializer or an output: the line doesn't tell which, and what is an output is defined above, too.
static void take_parameter_line(Line *line)
{
  IrValue value;
  size_t node = open_node(line, NODE_PARAMETER_LINE, 1, line->start);
  if (ir_take_value(&line->scan, &value)) {
    size_t parameter = open_node(line, NODE_PARAMETER, 2, value.whole.start);
    add_span(line, NODE_VALUE_NAME, 3, value.name);
    add_type(line, &value, 3);
    close_node(line, parameter);
  }
  close_node(line, node);
}

// --- Statements ---

static void take_operands(Line *line)
{
  IrScan *scan = &line->scan;
  size_t list = open_node(line, NODE_ARGUMENT_LIST, 2, scan->at);
  ir_take(scan, '(');
  do {
    IrValue value;
    if (ir_take_value(scan, &value)) {
      add_span(line, NODE_ARGUMENT, 3, value.whole);
      add_span(line, NODE_VALUE_REF, 4, value.name);
    } else if (!ir_take_word(scan, STR("None"))) {
      break;
    }
  } while (ir_take(scan, ','));
  ir_take(scan, ')');
  close_node(line, list);
}

static void take_attribute(Line *line, OnnxSpan key)
{
  IrScan *scan = &line->scan;
  size_t attribute = open_node(line, NODE_ATTRIBUTE, 3, key.start);
  add_span(line, NODE_ATTRIBUTE_NAME, 4, key);
  if (ir_take(scan, '=')) {
    uint32_t start = scan->at;
    ir_skip_attribute_value(scan);
    if (scan->at > start)
      add_span(line, NODE_ATTRIBUTE_VALUE, 4, (OnnxSpan){ start, scan->at });
  }
  close_node(line, attribute);
}

static void take_attributes(Line *line)
{
  IrScan *scan = &line->scan;
  if (ir_peek(scan) != '{')
    return;
  size_t list = open_node(line, NODE_ATTRIBUTE_LIST, 2, scan->at);
  scan->at++;
  OnnxSpan key;
  while (ir_take_key(scan, &key)) {
    take_attribute(line, key);
    if (!ir_take(scan, ','))
      break;
  }
  ir_take(scan, '}');
  close_node(line, list);
}

/// `%"y"<FLOAT,[2]>, %"z"<?,?> ⬅️ ::Op(%"x") {axis=1}`; false if it has no arrow.
static bool take_statement(Line *line)
{
  IrScan *scan = &line->scan;
  size_t count = line->parser->nodes.count;
  size_t statement = open_node(line, NODE_STATEMENT, 1, line->start);
  IrValue value;
  do {
    if (!ir_take_value(scan, &value))
      break;
    size_t definition = open_node(line, NODE_DEFINITION, 2, value.whole.start);
    add_span(line, NODE_VALUE_NAME, 3, value.name);
    add_type(line, &value, 3);
    close_node(line, definition);
  } while (ir_take(scan, ','));
  IrOperator op;
  if (!ir_take_arrow(scan) || !ir_take_operator(scan, &op)) {
    line->parser->nodes.count = count;
    scan->at = line->start;
    return false;
  }
  bool is_default = op.domain.end == op.domain.start;
  add_span(line, NODE_OP_KIND, 2, (OnnxSpan){ is_default ? op.op.start : op.domain.start, op.op.end });
  take_operands(line);
  take_attributes(line);
  close_node(line, statement);
  return true;
}

static void take_return(Line *line)
{
  size_t node = open_node(line, NODE_BLOCK_RETURN, 1, line->start);
  ir_take_word(&line->scan, STR("return"));
  size_t list = open_node(line, NODE_ARGUMENT_LIST, 2, line->scan.at);
  IrValue value;
  do {
    if (!ir_take_value(&line->scan, &value))
      break;
    add_span(line, NODE_VALUE_REF, 3, value.name);
  } while (ir_take(&line->scan, ','));
  close_node(line, list);
  close_node(line, node);
}

// --- Headers ---

/// `graph(`, `def pkg::name(`
static bool take_header(Line *line)
{
  Str text = str_slice(line->scan.text, line->start, line->scan.end);
  Str name = str_slice(text, 0, str_find_char(text, '(', 0));
  bool is_function = str_starts_with(text, STR("def ")) && str_contains(name, STR("::"));
  bool is_graph = starts_with(line, STR("graph(")) && line->scan.end == line->start + 6;
  if (!is_function && !is_graph)
    return false;
  bool is_block = is_graph && line->indent >= INNER_INDENT;
  size_t node = open_node(line, is_block ? NODE_BLOCK_HEADER : NODE_GRAPH_HEADER, 1, line->start);
  if (is_function) {
    uint32_t end = line->scan.end;
    while (end > line->start + 4 && (line->scan.text.data[end - 1] == '(' || line->scan.text.data[end - 1] == ' '))
      end--;
    add_span(line, NODE_GRAPH_NAME, 2, (OnnxSpan){ line->start + 4, end });
  }
  line->scan.at = line->scan.end;
  close_node(line, node);
  return true;
}

/// `) {`
static bool take_header_end(Line *line)
{
  if (!starts_with(line, STR(") {")))
    return false;
  size_t node = open_node(line, NODE_PARAMETER_LINE, 1, line->start);
  line->scan.at = line->start + 3;
  add_span(line, NODE_HEADER_END, 2, (OnnxSpan){ line->start + 2, line->start + 3 });
  close_node(line, node);
  return true;
}

/// `}` ends a graph, or one in an attribute after which the node goes on: `}, else_branch=`, `}}`.
static void take_closer(Line *line)
{
  bool is_end = line->indent == 0 || line->indent == REPORT_INDENT;
  line->scan.at = line->start + 1;
  close_node(line, open_node(line, is_end ? NODE_RETURN_STATEMENT : NODE_CLOSING_BRACE, 1, line->start));
}

/// `12 |  # node_name`, above each node.
static bool is_number_line(const Line *line)
{
  uint32_t at = line->start;
  while (at < line->scan.end && ascii_is_digit(line->scan.text.data[at]))
    at++;
  Str rest = str_slice(line->scan.text, at, line->scan.end);
  return at > line->start && str_starts_with(str_trim(rest), STR("|"));
}

static void parse_line(Line *line)
{
  char first = line->scan.text.data[line->start];
  if (first == '%') {
    if (!take_statement(line))
      take_parameter_line(line);
  } else if (first == '}') {
    take_closer(line);
  } else if (starts_with(line, STR("return ")) || starts_with(line, STR("return%"))) {
    take_return(line);
  } else if (first == '#' || is_number_line(line)) {
    add_rest(line, NODE_COMMENT);
  } else if (!take_header(line) && !take_header_end(line)) {
    add_rest(line, NODE_TEXT_LINE);
  }
}

SyntaxList ir_line_parse(SyntaxParser *parser, Str text)
{
  vec_clear(&parser->nodes);
  for (size_t start = 0; start < text.len;) {
    size_t end = start;
    while (end < text.len && text.data[end] != '\n' && text.data[end] != '\r')
      end++;
    size_t next = end + 1;
    size_t first = start;
    while (first < end && ascii_is_blank(text.data[first]))
      first++;
    while (end > first && ascii_is_blank(text.data[end - 1]))
      end--;
    if (first < end) {
      Line line = { .parser = parser,
                    .scan = { text, (uint32_t)first, (uint32_t)end },
                    .start = (uint32_t)first,
                    .indent = (uint32_t)(first - start) };
      parse_line(&line);
    }
    start = next;
  }
  return (SyntaxList){ .nodes = parser->nodes.items, .count = parser->nodes.count };
}
