// textDocument/definition: a value's definition, the file of a source location, and the graph that an operator names.

#include "core/symbolic_places.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/line_view.h"
#include "graph/features/source_path.h"
#include "graph/features/torch_source.h"

static LocationList one_location(const FeatureContext *context, Location location)
{
  Location *items = ARENA_NEW(context->arena, Location);
  *items = location;
  return (LocationList){ items, 1 };
}

static LocationList define_name(const FeatureContext *context, const NameAt *name)
{
  Place place;
  if (!name_at_definition(snapshot_dump(context->snapshot), name, &place))
    return (LocationList){ 0 };
  const Document *document = snapshot_document(context->snapshot);
  return one_location(context, (Location){
                                   .origin = name->range,
                                   .target = dump_line_content(document, dump_place_line(context->snapshot, place)),
                                   .selection = dump_place_range(context->snapshot, place),
                               });
}

/// The file of a source location, at its line; nothing if it is not on this machine.
static LocationList locate_source(const FeatureContext *context, const LineTail *tail, Range origin)
{
  Str path;
  if (!source_path_find(context, tail->file, &path))
    return (LocationList){ 0 };
  return one_location(context, (Location){
                                   .origin = origin,
                                   .is_file = true,
                                   .path = path,
                                   .line = tail->file_line > 0 ? tail->file_line - 1 : 0,
                                   .column = tail->file_column,
                               });
}

/// The source location under the offset, if its file exists.
static bool define_source(const FeatureContext *context, size_t offset, LocationList *ret_list)
{
  const Document *document = snapshot_document(context->snapshot);
  uint32_t line = document_line_of(document, offset);
  Str text = document_line(document, line);
  LineTail tail = line_tail(text);
  if (tail.location.len == 0)
    return false;
  size_t start = document_line_start(document, line) + (size_t)(tail.location.data - text.data);
  if (offset < start || offset > start + tail.location.len)
    return false;
  *ret_list = locate_source(context, &tail, (Range){ start, start + tail.location.len });
  return true;
}

/// The first line of a graph; false for a piece of a graph that has no header.
static bool graph_header(const Dump *dump, uint32_t graph, Place *ret_place)
{
  const Graph *g = &dump->graphs[graph];
  const Segment *segment = &dump->chunks[g->first_chunk]->index->segments[g->first_segment];
  if (!(segment->flags & SEGMENT_HEADER) || segment->item_count == 0)
    return false;
  *ret_place = (Place){ .chunk = g->first_chunk, .item = segment->first_item };
  return true;
}

/// Whether the header names its graph so: `with prim::X_0 = graph(` or `graph sub_graph1 (`.
static bool header_has_name(const FeatureContext *context, Place header, Str name, Range *ret_range)
{
  const Item *item = dump_place_item(snapshot_dump(context->snapshot), header);
  uint32_t line = dump_place_line(context->snapshot, header);
  Str title;
  if (item->kind == ITEM_GRAPH_HEADER && item->op == NO_OP)
    return graph_title(context, line, &title, ret_range) && str_equal(title, name);
  LineView view = line_view(context->snapshot, line, context->arena);
  for (size_t i = 0; i < view.count; i++) {
    bool names_graph = view.nodes[i].kind == NODE_GRAPH_NAME || view.nodes[i].kind == NODE_OP_KIND;
    if (names_graph && str_equal(line_view_text(&view, i), name)) {
      *ret_range = line_view_range(&view, i);
      return true;
    }
  }
  return false;
}

/// The graph of that name: the next one after the line, where printers put it, else the first of all.
static LocationList define_graph(const FeatureContext *context, uint32_t from, Str name, Range origin)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  for (uint32_t i = 0; i < dump->graph_count && !feature_is_cancelled(context); i++) {
    uint32_t graph = (from + i) % dump->graph_count;
    Place header;
    Range range;
    if (!graph_header(dump, graph, &header) || !header_has_name(context, header, name, &range))
      continue;
    uint32_t line = dump_place_line(context->snapshot, header);
    return one_location(context, (Location){
                                     .origin = origin,
                                     .target = dump_line_content(snapshot_document(context->snapshot), line),
                                     .selection = range,
                                 });
  }
  return (LocationList){ 0 };
}

/// `<graph sub_graph1>` names a graph; so do the operator of a node with a subgraph of its own, and
/// `self.true_graph_0`.
static Str graph_named_by(const LineView *view, size_t node)
{
  Str text = line_view_text(view, node);
  if (view->nodes[node].kind == NODE_OP_KIND)
    return text;
  if (view->nodes[node].kind == NODE_SCOPE)
    return str_starts_with(text, STR("self.")) ? str_slice(text, 5, text.len) : text;
  if (view->nodes[node].kind != NODE_ATTRIBUTE_VALUE)
    return (Str){ 0 };
  text = str_trim(text);
  if (!str_starts_with(text, STR("<graph ")) || !str_ends_with(text, STR(">")))
    return (Str){ 0 };
  return str_slice(text, 7, text.len - 1);
}

/// The line of Python that made a node of a model, as the comments above it say.
static LocationList define_origin(const FeatureContext *context, const LineView *view, size_t node)
{
  LineTail tail = line_origin(context->snapshot, view->line);
  bool is_told = snapshot_dialect(context->snapshot)->has_places_above && tail.location.len > 0;
  return is_told ? locate_source(context, &tail, line_view_range(view, node)) : (LocationList){ 0 };
}

LocationList graph_implementation(const FeatureContext *context, size_t offset)
{
  Place place;
  if (!dump_place_at(context->snapshot, offset, &place))
    return (LocationList){ 0 };
  const Document *document = snapshot_document(context->snapshot);
  LineView view = line_view(context->snapshot, document_line_of(document, offset), context->arena);
  size_t node = line_view_at(&view, offset);
  if (node == NO_NODE || view.nodes[node].kind != NODE_OP_KIND)
    return (LocationList){ 0 };
  Str text = line_view_text(&view, node);
  Range range = line_view_range(&view, node);
  LocationList list = symbolic_places(context, text, range);
  Str op = dialect_operator_name(snapshot_dialect(context->snapshot), text, context->arena).name;
  if (list.count == 0)
    list = operator_places(context, op, true, range);
  return list.count > 0 ? list : torch_source_find(context, op, range);
}

LocationList graph_definition(const FeatureContext *context, size_t offset)
{
  NameAt name;
  LocationList list;
  if (name_at(context->snapshot, offset, &name))
    return define_name(context, &name);
  Place place;
  if (define_source(context, offset, &list))
    return list;
  if (!dump_place_at(context->snapshot, offset, &place))
    return (LocationList){ 0 };
  const Document *document = snapshot_document(context->snapshot);
  LineView view = line_view(context->snapshot, document_line_of(document, offset), context->arena);
  size_t node = line_view_at(&view, offset);
  if (node != NO_NODE && view.nodes[node].kind == NODE_OP_KIND) {
    list = symbolic_places(context, line_view_text(&view, node), line_view_range(&view, node));
    Str op =
        dialect_operator_name(snapshot_dialect(context->snapshot), line_view_text(&view, node), context->arena).name;
    if (list.count == 0)
      list = operator_places(context, op, false, line_view_range(&view, node));
    if (list.count == 0)
      list = define_origin(context, &view, node);
    if (list.count > 0)
      return list;
  }
  Str graph_name = node == NO_NODE ? (Str){ 0 } : graph_named_by(&view, node);
  if (graph_name.len == 0)
    return (LocationList){ 0 };
  uint32_t from = dump_place_graph(snapshot_dump(context->snapshot), place);
  return define_graph(context, from, graph_name, line_view_range(&view, node));
}
