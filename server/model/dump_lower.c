// Lowering of one chunk: walks the lines of the syntax list in order and keeps the stack of open blocks. What it finds
// goes into the tables of lower_tables.c.

#include "model/lower_private.h"

// --- Blocks ---

/// What is defined in the innermost block can't be seen any more.
static void pop_block(Lowering *lowering)
{
  uint32_t mark = vec_last(&lowering->blocks)->def_mark;
  while (lowering->visible_defs.count > mark)
    lowering->is_visible.items[lowering->visible_defs.items[--lowering->visible_defs.count]] = false;
  lowering->blocks.count--;
}

/// Closes the blocks that a line at `indent` lies outside of.
static void close_blocks(Lowering *lowering, int16_t indent)
{
  Segment *s = lowering_segment(lowering);
  if (s->flags & SEGMENT_HEADER_OPEN)  // Lines of the header are missing, or could not be read.
    s->flags = (uint16_t)((s->flags & ~SEGMENT_HEADER_OPEN) | SEGMENT_GAP);
  lowering->is_body = true;
  if (s->first_indent == INDENT_LIMIT)
    s->first_indent = indent;
  if (indent < s->min_indent)
    s->min_indent = indent;
  if (lowering->blocks.count > 0) {
    OpenBlock *innermost = vec_last(&lowering->blocks);
    if (innermost->is_empty && indent <= innermost->indent)
      s->flags |= SEGMENT_UNINDENTED;
    innermost->is_empty = false;
  }
  while (lowering->blocks.count > 0 && vec_last(&lowering->blocks)->indent >= indent)
    pop_block(lowering);
}

// --- Lines ---

static void add_definition(Lowering *lowering, uint32_t start, uint32_t len)
{
  uint32_t id = lowering_add_symbol(lowering, start, len);
  DumpSymbol *symbol = &lowering->symbols.items[id];
  if (symbol->flags & SYMBOL_DEFINED)
    symbol->flags |= SYMBOL_DEFINED_TWICE;
  symbol->flags |= SYMBOL_DEFINED;
  if (!lowering->is_visible.items[id]) {
    lowering->is_visible.items[id] = true;
    symbol->indent = lowering->blocks.count > 0 ? vec_last(&lowering->blocks)->indent : INDENT_GRAPH;
    vec_push(&lowering->visible_defs, id);
  }
  vec_push(&lowering->occurrences, (Occurrence){ id, start });
}

static void add_use(Lowering *lowering, uint32_t start, uint32_t len)
{
  uint32_t id = lowering_add_symbol(lowering, start, len);
  lowering->symbols.items[id].flags |= SYMBOL_USED;
  if (!lowering->is_visible.items[id])
    lowering->symbols.items[id].flags |= SYMBOL_IMPORTED;
  vec_push(&lowering->line_uses, (Occurrence){ id, start });
}

static void add_problem(Lowering *lowering, const SyntaxNode *node)
{
  // One problem a line says enough.
  if (lowering->problems.count > 0 && vec_last(&lowering->problems)->start >= lowering->starts[lowering->line])
    return;
  vec_push(&lowering->problems, (SyntaxProblem){ node->start, node->end, node->kind == NODE_MISSING });
}

static uint32_t line_of(Lowering *lowering, uint32_t offset)
{
  while (lowering->line + 1 < lowering->line_count && lowering->starts[lowering->line + 1] <= offset)
    lowering->line++;
  return lowering->line;
}

/// White space from `offset` on. A statement without outputs is printed as ` = op`, one column further in.
static int16_t indent_from(Str text, uint32_t offset)
{
  int16_t indent = 0;
  while (offset < text.len && indent < INDENT_LIMIT - 1 && (text.data[offset] == ' ' || text.data[offset] == '\t')) {
    offset++;
    indent++;
  }
  return offset < text.len && text.data[offset] == '=' && indent > 0 ? (int16_t)(indent - 1) : indent;
}

static bool names_value(const SyntaxNode *node)
{
  return node->end - node->start > 1;  // A bare `%` is a missing input of a printable graph.
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

/// Reads the names, the operator and the problems of the line `nodes[i, end)`.
/// Definitions come first in the text too, but for damaged lines that is made sure of here.
static void read_line(Lowering *lowering, const SyntaxNode *nodes, size_t count, Item *item)
{
  item->first_occurrence = (uint32_t)lowering->occurrences.count;
  vec_clear(&lowering->line_uses);
  for (size_t i = 0; i < count; i++) {
    const SyntaxNode *node = &nodes[i];
    switch ((NodeKind)node->kind) {
    case NODE_VALUE_NAME:
      if (names_value(node)) {
        add_definition(lowering, node->start, node->end - node->start);
        item->def_count++;
      }
      break;
    case NODE_VALUE_REF:
      if (names_value(node))
        add_use(lowering, node->start, node->end - node->start);
      break;
    case NODE_PYTHON_OP:
      item->is_python_op = true;
      item->op = lowering_add_op(lowering, node->start, node->end - node->start);
      break;
    case NODE_OP_KIND:
      item->op = lowering_add_op(lowering, node->start, node->end - node->start);
      if (str_starts_with(syntax_text(node, lowering->text), STR("onnx::")))
        lowering_segment(lowering)->flags |= SEGMENT_LOWERED;
      break;
    case NODE_ATTRIBUTE_NAME:
      if (str_equal(syntax_text(node, lowering->text), STR("onnx_name")))  // The exporter adds it to every node.
        lowering_segment(lowering)->flags |= SEGMENT_LOWERED;
      break;
    case NODE_HEADER_END:
      end_header(lowering, (ItemKind)item->kind);
      break;
    case NODE_ERROR:
    case NODE_MISSING:
      add_problem(lowering, node);
      break;
    default:
      break;
    }
  }
  vec_append(&lowering->occurrences, lowering->line_uses.items, lowering->line_uses.count);
}

/// Where the line's indentation begins: behind a log prefix, if there is one.
static uint32_t indent_start(const Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  if (count > 1 && nodes[1].kind == NODE_LOG_PREFIX)
    return nodes[1].end;
  return lowering->starts[lowering->line];
}

static void add_item(Lowering *lowering, ItemKind kind, const SyntaxNode *nodes, size_t count)
{
  int16_t indent = indent_from(lowering->text, indent_start(lowering, nodes, count));
  if (lowering->is_closed)
    lowering_next_segment(lowering, 0);  // Behind the end of a graph anything but a header is a piece of another one.
  if (item_nests(kind))
    close_blocks(lowering, indent);
  if (kind == ITEM_BLOCK_HEADER)
    vec_push(&lowering->blocks, (OpenBlock){ indent, true, (uint32_t)lowering->visible_defs.count });

  Item item = {
    .line = line_of(lowering, nodes[0].start), .op = NO_OP, .indent = (uint16_t)indent, .kind = (uint8_t)kind
  };
  read_line(lowering, nodes, count, &item);
  vec_push(&lowering->items, item);
  if (kind == ITEM_RETURN) {
    lowering_segment(lowering)->flags |= SEGMENT_RETURN;
    lowering->is_closed = true;
  }
}

static uint32_t line_end_of(const Lowering *lowering, uint32_t line)
{
  return line + 1 < lowering->line_count ? lowering->starts[line + 1] : (uint32_t)lowering->text.len;
}

/// Does another item of the line, read from its sound beginning, define the name that stands at `start`?
static bool defines_at(const Lowering *lowering, uint32_t line, uint32_t start)
{
  for (size_t i = lowering->items.count; i-- > 0 && lowering->items.items[i].line == line;) {
    const Item *item = &lowering->items.items[i];
    for (uint32_t o = item->first_occurrence; o < item->first_occurrence + item->def_count; o++) {
      if (lowering->occurrences.items[o].start == start)
        return true;
    }
  }
  return false;
}

/// A line that could not be read at all: what it defines is still taken, so that one mistake stays one mistake.
static void add_damaged_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  uint32_t line = line_of(lowering, nodes[0].start);
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].kind == NODE_ERROR || nodes[i].kind == NODE_MISSING)
      add_problem(lowering, &nodes[i]);
  }
  uint32_t line_start = lowering->starts[line];
  uint32_t line_end = line_end_of(lowering, line);
  Str rest = str_trim(str_slice(lowering->text, line_start, line_end));
  if (rest.len < 2 || rest.data[0] != '%')
    return;
  Item item = { .line = line, .op = NO_OP, .kind = ITEM_STATEMENT };
  item.indent = (uint16_t)indent_from(lowering->text, line_start);
  item.first_occurrence = (uint32_t)lowering->occurrences.count;
  if (lowering->is_closed)
    lowering_next_segment(lowering, 0);
  close_blocks(lowering, (int16_t)item.indent);
  size_t len = 1;
  while (len < rest.len && rest.data[len] != ' ' && rest.data[len] != ',' && rest.data[len] != ':' &&
         rest.data[len] != '=')
    len++;
  uint32_t name_start = (uint32_t)(rest.data - lowering->text.data);
  if (len > 1 && !defines_at(lowering, line, name_start)) {
    add_definition(lowering, name_start, (uint32_t)len);
    item.def_count = 1;
  }
  vec_clear(&lowering->line_uses);
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].kind == NODE_VALUE_REF && names_value(&nodes[i]) && nodes[i].start > rest.data - lowering->text.data)
      add_use(lowering, nodes[i].start, nodes[i].end - nodes[i].start);
  }
  vec_append(&lowering->occurrences, lowering->line_uses.items, lowering->line_uses.count);
  vec_push(&lowering->items, item);
}

static bool says_gap(Str line)
{
  static const Str words[] = { STR_INIT("..."), STR_INIT("\xe2\x80\xa6"), STR_INIT("truncated"), STR_INIT("omitted") };
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (str_find(line, words[i], 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

static void lower_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  switch ((NodeKind)nodes[0].kind) {
  case NODE_STATEMENT:
    add_item(lowering, ITEM_STATEMENT, nodes, count);
    break;
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
    add_item(lowering, ITEM_PARAMETERS, nodes, count);
    break;
  case NODE_PRINTABLE_SECTION:
    add_item(lowering, ITEM_SECTION, nodes, count);
    break;
  case NODE_BLOCK_HEADER:
    add_item(lowering, ITEM_BLOCK_HEADER, nodes, count);
    break;
  case NODE_BLOCK_RETURN:
    add_item(lowering, ITEM_BLOCK_RETURN, nodes, count);
    break;
  case NODE_RETURN_STATEMENT:
    add_item(lowering, ITEM_RETURN, nodes, count);
    break;
  case NODE_PYTHON_OP_CONTINUATION:
    add_item(lowering, ITEM_CONTINUATION, nodes, count);
    break;
  case NODE_TEXT_LINE:
    if (says_gap(syntax_text(&nodes[0], lowering->text))) {
      add_item(lowering, ITEM_GAP, nodes, 1);
      lowering_segment(lowering)->flags |= SEGMENT_GAP;
    }
    break;
  case NODE_CLOSING_BRACE:
    // Of a graph whose beginning is missing: something stood before this.
    if (lowering_segment(lowering)->flags == 0 && lowering_segment(lowering)->first_item == lowering->items.count) {
      add_item(lowering, ITEM_GAP, nodes, 1);
      lowering_segment(lowering)->flags |= SEGMENT_GAP;
    }
    break;
  case NODE_ERROR:
  case NODE_MISSING:
    add_damaged_line(lowering, nodes, count);
    break;
  default:
    break;
  }
}

/// A damaged line may come in pieces, the first of which looks sound: `%4` of `%4 : int =`.
static bool is_damaged(const SyntaxNode *nodes, size_t count)
{
  if (nodes[0].kind != NODE_PARAMETER_LINE && nodes[0].kind != NODE_STATEMENT)
    return false;
  for (size_t i = 1; i < count; i++) {
    if (nodes[i].depth == 1 && (nodes[i].kind == NODE_ERROR || nodes[i].kind == NODE_MISSING))
      return true;
  }
  return false;
}

DumpIndex *dump_lower(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count)
{
  lowering_begin(lowering, text, starts, line_count);
  SyntaxList list = syntax_parse(lowering->parser, text);
  for (size_t i = 0; i < list.count;) {
    uint32_t line_end = line_end_of(lowering, line_of(lowering, list.nodes[i].start));
    size_t first_end = syntax_subtree_end(list, i);
    size_t end = first_end;
    while (end < list.count && list.nodes[end].start < line_end)
      end++;
    if (is_damaged(list.nodes + i, end - i)) {
      add_damaged_line(lowering, list.nodes + i, end - i);
      i = end;
    } else {
      lower_line(lowering, list.nodes + i, first_end - i);
      i = first_end;
    }
  }
  return lowering_finish(lowering);
}
