#include "graph/features/line_view.h"

#include "base/limits.h"

LineView line_view(const Snapshot *snapshot, uint32_t line, Arena *arena)
{
  const Document *document = snapshot_document(snapshot);
  const GraphDialect *dialect = snapshot_dialect(snapshot);
  LineView view = {
    .line = line, .start = document_line_start(document, line), .text = document_line(document, line), .arena = arena
  };
  if (view.text.len > LINE_VIEW_LIMIT)
    return view;
  // With its ending, as the chunk's parse sees it; a chunk holds whole lines and the text is followed by a NUL.
  Str whole = view.text;
  size_t end =
      line + 1 < document_line_count(document) ? document_line_start(document, line + 1) : document_length(document);
  whole.len = end - view.start;
  SyntaxParser *parser = dialect_take_parser(dialect);
  SyntaxList list = dialect->parse(parser, whole);
  SyntaxNode *nodes = ARENA_ARRAY(arena, SyntaxNode, list.count);
  for (size_t i = 0; i < list.count; i++) {
    nodes[i] = list.nodes[i];
    if (nodes[i].end > view.text.len)
      nodes[i].end = (uint32_t)view.text.len;
    if (nodes[i].start > nodes[i].end)
      nodes[i].start = nodes[i].end;
  }
  view.nodes = nodes;
  view.count = list.count;
  dialect_give_parser(dialect, parser);
  return view;
}

static bool is_leaf(const LineView *view, size_t i)
{
  return i + 1 >= view->count || view->nodes[i + 1].depth <= view->nodes[i].depth;
}

size_t line_view_at(const LineView *view, size_t offset)
{
  if (offset < view->start)
    return NO_NODE;
  size_t at = offset - view->start;
  size_t inside = NO_NODE;
  size_t ending = NO_NODE;
  for (size_t i = 0; i < view->count && view->nodes[i].start <= at; i++) {
    if (view->nodes[i].end > at)
      inside = i;
    else if (view->nodes[i].end == at && view->nodes[i].start < at)
      ending = i;
  }
  // After a word and before a bracket the word is meant.
  bool means_ending = ending != NO_NODE && is_leaf(view, ending) && (inside == NO_NODE || !is_leaf(view, inside));
  return means_ending ? ending : inside;
}

size_t line_view_parent(const LineView *view, size_t i)
{
  for (size_t k = i; k-- > 0;) {
    if (view->nodes[k].depth < view->nodes[i].depth)
      return k;
  }
  return NO_NODE;
}

size_t line_view_find(const LineView *view, NodeKind kind, size_t from)
{
  for (size_t i = from; i < view->count; i++) {
    if (view->nodes[i].kind == kind)
      return i;
  }
  return NO_NODE;
}

bool graph_title(const FeatureContext *context, uint32_t line, Str *ret_title, Range *ret_range)
{
  if (line == 0)
    return false;
  LineView view = line_view(context->snapshot, line - 1, context->arena);
  if (line_view_find(&view, NODE_GRAPH_TITLE, 0) == NO_NODE)
    return false;
  size_t name = line_view_find(&view, NODE_GRAPH_NAME, 0);
  if (name == NO_NODE)
    return false;
  *ret_title = line_view_text(&view, name);
  *ret_range = line_view_range(&view, name);
  return true;
}

/// The type of the name at node `i`: after it, or first in its parameter, as ONNX text has it.
static size_t type_node(const LineView *view, size_t i)
{
  if (i + 1 < view->count && view->nodes[i + 1].kind == NODE_TYPE && view->nodes[i + 1].depth == view->nodes[i].depth)
    return i + 1;
  bool is_before = i >= 2 && view->nodes[i - 1].kind == NODE_TYPE && view->nodes[i - 2].kind == NODE_PARAMETER &&
                   view->nodes[i - 2].start == view->nodes[i - 1].start;
  return is_before ? i - 1 : NO_NODE;
}

Str line_view_type_of(const LineView *view, size_t name_offset)
{
  for (size_t i = 0; i < view->count; i++) {
    const SyntaxNode *node = &view->nodes[i];
    if (node->kind != NODE_VALUE_NAME || view->start + node->start != name_offset)
      continue;
    size_t type = type_node(view, i);
    if (type != NO_NODE)
      return dialect_plain_type(line_view_text(view, type), view->arena);
  }
  return (Str){ 0 };
}

Str line_view_operator(const LineView *view)
{
  for (size_t i = 0; i < view->count; i++) {
    if (view->nodes[i].kind == NODE_OP_KIND || view->nodes[i].kind == NODE_PYTHON_OP)
      return line_view_text(view, i);
  }
  return (Str){ 0 };
}

bool line_view_attribute(const LineView *view, Str name, Str *ret_value)
{
  for (size_t i = 0; i + 1 < view->count; i++) {
    if (view->nodes[i].kind == NODE_ATTRIBUTE_NAME && view->nodes[i + 1].kind == NODE_ATTRIBUTE_VALUE &&
        str_equal(str_trim(line_view_text(view, i)), name)) {
      *ret_value = str_trim(line_view_text(view, i + 1));
      return true;
    }
  }
  return false;
}

size_t line_view_arguments(const LineView *view, size_t limit, size_t *ret_nodes)
{
  size_t count = 0;
  uint32_t end = 0;  // Of the argument that the names below are a part of.
  for (size_t i = 0; i < view->count; i++) {
    const SyntaxNode *node = &view->nodes[i];
    bool is_whole = node->kind == NODE_ARGUMENT || node->kind == NODE_ATTRIBUTE;
    if (node->start < end || !(is_whole || node->kind == NODE_VALUE_REF))
      continue;
    end = is_whole ? node->end : 0;
    if (node->kind == NODE_ATTRIBUTE)
      continue;
    if (count < limit)
      ret_nodes[count] = i;
    count++;
  }
  return count;
}
