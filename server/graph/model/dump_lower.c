// Lowering of one chunk: walks the lines of the syntax list in order. What a line says becomes an item (lower_items.c)
// and goes into the tables of lower_tables.c.

#include "core/language.h"
#include "graph/model/damaged_text.h"
#include "graph/model/lowering.h"

// --- Lines ---

/// `%4 Float(2, 3)`: a name may hold blanks, but this one lacks the colon before its type. Returns the name alone.
static NameSpan without_type(Lowering *lowering, const SyntaxNode *node, NameSpan name)
{
  static const Str types[] = { STR_INIT("Tensor"), STR_INIT("Float"), STR_INIT("Long"), STR_INIT("Double"),
                               STR_INIT("Int"),    STR_INIT("Bool"),  STR_INIT("Half"), STR_INIT("int"),
                               STR_INIT("float"),  STR_INIT("bool"),  STR_INIT("str"),  STR_INIT("NoneType") };
  Str text = str_slice(lowering->text, name.start, name.end);
  size_t first = str_find_char(text, ' ', 0);
  if (!lowering->dialect->diagnose)
    return name;
  for (size_t blank = first; blank != STR_NOT_FOUND; blank = str_find_char(text, ' ', blank + 1)) {
    Str type = str_slice(text, blank + 1, text.len);
    bool is_broken = type.len > 0 && type.data[0] == ':';  // What follows can't be read as a type.
    for (size_t i = 0; i < COUNT(types); i++) {
      bool is_type = str_starts_with(type, types[i]) &&
                     (type.len == types[i].len || type.data[types[i].len] == '(' || type.data[types[i].len] == '[');
      if (!is_type && !is_broken)
        continue;
      lowering_add_problem(lowering, node);
      return (NameSpan){ name.start, name.start + (uint32_t)first };
    }
  }
  return name;
}

/// `[alpha 1]`: only operators without a namespace have attributes that are not `name=value`.
static bool is_malformed_attribute(const Lowering *lowering, const SyntaxNode *nodes, size_t count, size_t i)
{
  Str name = syntax_text(&nodes[i], lowering->text);
  bool has_value = i + 1 < count && nodes[i + 1].kind == NODE_ATTRIBUTE_VALUE;
  if ((has_value && str_find_char(name, '@', 0) == STR_NOT_FOUND) || !lowering->dialect->diagnose)
    return false;
  size_t op = i;
  while (op > 0 && nodes[op].kind != NODE_OP_KIND)
    op--;
  return op > 0 && str_contains(syntax_text(&nodes[op], lowering->text), STR("::"));
}

/// `(, %y)` or `(%x, )`; commas are white space to the grammar.
static bool has_stray_comma(const Lowering *lowering, const SyntaxNode *list)
{
  const char *data = lowering->text.data;
  if (list->end - list->start < 3 || data[list->end - 1] != ')')
    return false;
  uint32_t last = list->end - 2;
  while (data[last] == ' ' && last > list->start)
    last--;
  return data[list->start + 1] == ',' || data[last] == ',';
}

/// `%8 %7`: a name may hold nearly any character, but before another name a comma is missing.
static void add_uses(Lowering *lowering, const SyntaxNode *node)
{
  NameSpan name = lowering_name_of(lowering, node);
  const char *data = lowering->text.data;
  char sign = lowering->dialect->name_sign;
  bool is_split = false;
  while (sign && lowering->dialect->diagnose && name.end > name.start + 1) {
    const char *next = memchr(data + name.start + 1, sign, name.end - name.start - 1);
    if (!next)
      break;
    uint32_t second = (uint32_t)(next - data);
    Str first = str_trim(str_slice(lowering->text, name.start, second));
    if (!is_split)
      lowering_add_problem(lowering, node);
    is_split = true;
    if (text_is_identifier(first))
      lowering_add_use(lowering, (NameSpan){ name.start, name.start + (uint32_t)first.len });
    name.start = second;
  }
  lowering_add_use(lowering, name);
}

static uint32_t line_of(Lowering *lowering, uint32_t offset)
{
  while (lowering->line + 1 < lowering->line_count && lowering->starts[lowering->line + 1] <= offset)
    lowering->line++;
  return lowering->line;
}

/// The end of the graph's header: its own line, or one of those that continue it.
static void end_header(Lowering *lowering, ItemKind kind)
{
  Segment *s = lowering_segment(lowering);
  if (kind == ITEM_PARAMETERS && !(s->flags & SEGMENT_HEADER) && !lowering->is_body)
    s->flags |= SEGMENT_HEADER_END;
  if (kind == ITEM_PARAMETERS || kind == ITEM_GRAPH_HEADER)
    s->flags &= (uint16_t)~SEGMENT_HEADER_OPEN;
}

static void read_op(Lowering *lowering, const SyntaxNode *node, Item *item)
{
  item->op = lowering_add_op(lowering, node->start, node->end - node->start);
  if (str_starts_with(syntax_text(node, lowering->text), STR("onnx::")))
    lowering_segment(lowering)->flags |= SEGMENT_LOWERED;
}

/// The exporter adds one attribute to every node.
static void read_attribute_name(Lowering *lowering, const SyntaxNode *node, Item *item)
{
  item->has_attributes = true;
  if (str_equal(syntax_text(node, lowering->text), STR("onnx_name")))
    lowering_segment(lowering)->flags |= SEGMENT_LOWERED;
}

/// The same as read_line() of a statement without faults, as nearly all are: a name is its node, and nothing is
/// checked.
static void read_plain_line(Lowering *lowering, const SyntaxNode *nodes, size_t count, Item *item)
{
  for (size_t i = 1; i < count; i++) {
    const SyntaxNode *node = &nodes[i];
    if (node->kind == NODE_VALUE_NAME)
      lowering_add_definition(lowering, (NameSpan){ node->start, node->end });
    else if (node->kind == NODE_VALUE_REF)
      lowering_add_use(lowering, (NameSpan){ node->start, node->end });
    else if (node->kind == NODE_OP_KIND)
      read_op(lowering, node, item);
    else if (node->kind == NODE_ATTRIBUTE_NAME)
      read_attribute_name(lowering, node, item);
  }
}

/// Reads the names, the operator and the problems of a line.
static void read_line(Lowering *lowering, const SyntaxNode *nodes, size_t count, Item *item)
{
  for (size_t i = 0; i < count; i++) {
    const SyntaxNode *node = &nodes[i];
    switch ((NodeKind)node->kind) {
    case NODE_VALUE_NAME:
      lowering_add_definition(lowering, without_type(lowering, node, lowering_name_of(lowering, node)));
      break;
    case NODE_VALUE_REF:
      add_uses(lowering, node);
      break;
    case NODE_ARGUMENT_LIST:
      if (lowering->dialect->diagnose && has_stray_comma(lowering, node))
        lowering_add_problem(lowering, node);
      break;
    case NODE_PYTHON_OP:
      item->is_python_op = true;
      item->op = lowering_add_op(lowering, node->start, node->end - node->start);
      break;
    case NODE_OP_KIND:
      read_op(lowering, node, item);
      if (text_is_malformed_op(syntax_text(node, lowering->text)))
        lowering_add_problem(lowering, node);
      break;
    case NODE_ATTRIBUTE_NAME:
      if (is_malformed_attribute(lowering, nodes, count, i))
        lowering_add_problem(lowering, node);
      read_attribute_name(lowering, node, item);
      break;
    case NODE_HEADER_END:
      end_header(lowering, (ItemKind)item->kind);
      break;
    case NODE_ERROR:
    case NODE_MISSING:
      lowering_add_problem(lowering, node);
      break;
    default:
      break;
    }
  }
}

/// Where the line's indentation begins: after a log prefix, if there is one.
static uint32_t indent_start(const Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  if (count > 1 && nodes[1].kind == NODE_LOG_PREFIX)
    return nodes[1].end;
  return lowering->starts[lowering->line];
}

static void add_item(Lowering *lowering, ItemKind kind, const SyntaxNode *nodes, size_t count)
{
  int16_t indent = lowering_indent(lowering->text, indent_start(lowering, nodes, count));
  if (lowering->is_closed)
    lowering_next_segment(lowering, 0);  // After the end of a graph anything but a header is a piece of another one.
  if (item_nests(kind))
    lowering_close_blocks(lowering, indent);
  if (kind == ITEM_BLOCK_HEADER)
    vec_push(&lowering->blocks, (OpenBlock){ .header = { (uint32_t)lowering->items.count, indent },
                                             .is_empty = true,
                                             .def_mark = (uint32_t)lowering->visible_defs.count });

  Item item = { .line = lowering->line, .op = NO_OP, .indent = (uint16_t)indent, .kind = (uint8_t)kind };
  lowering_begin_item(lowering, &item);
  if (nodes[0].state == SYNTAX_PLAIN)
    read_plain_line(lowering, nodes, count, &item);
  else
    read_line(lowering, nodes, count, &item);
  lowering_end_item(lowering, &item);
  if (kind == ITEM_RETURN) {
    lowering_segment(lowering)->flags |= SEGMENT_RETURN;
    lowering->is_closed = true;
  }
}

static void lower_closing_brace(Lowering *lowering)
{
  Segment *segment = lowering_segment(lowering);
  // Where nothing comes before it, in no chunk, the beginning of the graph is missing.
  if (segment->flags == 0 && segment->first_item == lowering->items.count)
    segment->flags |= SEGMENT_BRACE_FIRST;
}

/// A comment after whatever a log wrote before it.
static bool is_comment(const Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  uint32_t start = count > 1 && nodes[1].kind == NODE_LOG_PREFIX ? nodes[1].end : nodes[0].start;
  return str_starts_with(str_trim(str_slice(lowering->text, start, nodes[0].end)), STR("#"));
}

static void add_text_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  Str rest = lowering_line_text(lowering);
  if (text_says_gap(syntax_text(&nodes[0], lowering->text))) {
    add_item(lowering, ITEM_GAP, nodes, 1);
    lowering_segment(lowering)->flags |= SEGMENT_GAP;
  } else if (lowering->dialect->diagnose && text_is_damaged_statement(rest, lowering->dialect->name_sign)) {
    lowering_add_problem(lowering, &nodes[0]);
    lowering_add_damaged_names(lowering, rest, nodes, 0);
  } else if (lowering->text_line == NO_TEXT && !lowering->dialect->is_model && !is_comment(lowering, nodes, count)) {
    lowering->text_line = nodes[0].start;
  }
}

/// Whether the next line with anything on it begins with a comma or a bracket. It is never in another chunk, as no
/// chunk begins with a line that may continue one.
static bool goes_on_below(const Lowering *lowering)
{
  for (uint32_t line = lowering->line + 1; line < lowering->line_count; line++) {
    Str text = str_trim(str_slice(lowering->text, lowering->starts[line], lowering_line_end(lowering, line)));
    if (text.len > 0 && text.data[0] != '#')
      return text.data[0] == ',' || text.data[0] == ')';
  }
  return false;
}

/// A line of a header goes on with a comma or ends it. Without either, a name with a type is a statement that lost the
/// rest. Nothing else around the line is asked, because it may be in another chunk.
static void lower_parameter_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  Str line = lowering_line_text(lowering);
  Str rest = str_trim(str_slice(line, 0, str_find(line, STR(" #"), 0)));
  bool is_named = rest.len > 1 && rest.data[0] == lowering->dialect->name_sign;
  bool goes_on = is_named && (strchr(",:){", rest.data[rest.len - 1]) || goes_on_below(lowering));
  if (!lowering->dialect->diagnose || !is_named || goes_on || !str_contains(rest, STR(" : "))) {
    add_item(lowering, ITEM_PARAMETERS, nodes, count);
  } else {
    lowering_add_problem(lowering, &nodes[0]);
    lowering_add_damaged_names(lowering, line, nodes, count);
  }
}

/// Of the lines that are one item and nothing else.
static bool plain_item_of(NodeKind line, ItemKind *ret_kind)
{
  static const struct {
    NodeKind line;
    ItemKind item;
  } plain[] = {
    { NODE_STATEMENT, ITEM_STATEMENT },       { NODE_PRINTABLE_SECTION, ITEM_SECTION },
    { NODE_BLOCK_HEADER, ITEM_BLOCK_HEADER }, { NODE_BLOCK_RETURN, ITEM_BLOCK_RETURN },
    { NODE_RETURN_STATEMENT, ITEM_RETURN },   { NODE_PYTHON_OP_CONTINUATION, ITEM_CONTINUATION },
  };
  for (size_t i = 0; i < COUNT(plain); i++) {
    if (plain[i].line == line) {
      *ret_kind = plain[i].item;
      return true;
    }
  }
  return false;
}

static void lower_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  ItemKind kind;
  if (plain_item_of((NodeKind)nodes[0].kind, &kind)) {
    add_item(lowering, kind, nodes, count);
    return;
  }
  switch ((NodeKind)nodes[0].kind) {
  case NODE_GRAPH_HEADER:
    lowering_next_segment(lowering, SEGMENT_HEADER | SEGMENT_HEADER_OPEN);
    add_item(lowering, ITEM_GRAPH_HEADER, nodes, count);
    break;
  case NODE_PRINTABLE_GRAPH_HEADER:
    // One that takes nothing is mostly the body of an If, and sees the names of the graph around it.
    lowering_next_segment(lowering, lowering->text.data[nodes[0].end - 1] == '{' ? SEGMENT_PRINTABLE
                                                                                 : SEGMENT_HEADER | SEGMENT_PRINTABLE);
    add_item(lowering, ITEM_PRINTABLE_HEADER, nodes, count);
    break;
  case NODE_PARAMETER_LINE:
    lower_parameter_line(lowering, nodes, count);
    break;
  case NODE_TEXT_LINE:
    add_text_line(lowering, nodes, count);
    break;
  case NODE_CLOSING_BRACE:
    lower_closing_brace(lowering);
    break;
  case NODE_ERROR:
  case NODE_MISSING:
    lowering_add_damaged_line(lowering, nodes, count);
    break;
  default:
    break;
  }
}

/// A damaged line may come in pieces, the first of which looks sound: `%4` of `%4 : int =`.
static bool is_damaged(const SyntaxNode *nodes, size_t count)
{
  if ((nodes[0].kind != NODE_PARAMETER_LINE && nodes[0].kind != NODE_STATEMENT) || nodes[0].state == SYNTAX_PLAIN)
    return false;
  for (size_t i = 1; i < count; i++) {
    if (nodes[i].depth == 1 && (nodes[i].kind == NODE_ERROR || nodes[i].kind == NODE_MISSING))
      return true;
  }
  return false;
}

/// Notes that a graph of another language begins in this line. Lines of its own are mostly no damage and no text. What
/// follows is read as ever, as it may be in another chunk.
static void note_other(Lowering *lowering, const SyntaxNode *node, bool damaged)
{
  bool may_begin = damaged || node->kind == NODE_TEXT_LINE || node->kind == NODE_GRAPH_HEADER ||
                   node->kind == NODE_ERROR || node->kind == NODE_MISSING;
  const Language *language = may_begin ? language_of_line(lowering_line_text(lowering)) : NULL;
  if (language && language->dialect && language->dialect != lowering->dialect)
    vec_push(&lowering->unread, (Unread){ node->start, node->end, UNREAD_OTHER_LANGUAGE });
}

DumpIndex *dump_lower(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count)
{
  lowering_begin(lowering, text, starts, line_count);
  SyntaxList list = lowering->dialect->parse(lowering->parser, text);
  lowering_find_comments(lowering, list);
  vec_append(&lowering->unread, list.unread, list.unread_count);
  for (size_t i = 0; i < list.count;) {
    uint32_t line_end = lowering_line_end(lowering, line_of(lowering, list.nodes[i].start));
    size_t first_end = syntax_subtree_end(list, i);
    size_t end = first_end;
    while (end < list.count && list.nodes[end].start < line_end)
      end++;
    bool damaged = is_damaged(list.nodes + i, end - i);
    note_other(lowering, &list.nodes[i], damaged);
    if (damaged) {
      lowering_add_damaged_line(lowering, list.nodes + i, end - i);
      i = end;
    } else {
      lower_line(lowering, list.nodes + i, first_end - i);
      i = first_end;
    }
  }
  return lowering_finish(lowering);
}
