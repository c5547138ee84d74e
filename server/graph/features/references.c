// textDocument/references: every place of a value; of an operator its uses, here and in other dumps, and the symbolic
// functions of the workspace that convert it.

#include "base/limits.h"
#include "base/vec.h"
#include "core/symbolic_places.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_view.h"

typedef struct Collector {
  const FeatureContext *context;
  Range origin;
  bool include_declaration;
  Vec(Location) found;
} Collector;

static bool collect(Place place, bool is_definition, void *user)
{
  Collector *collector = user;
  if (is_definition && !collector->include_declaration)
    return true;
  const Snapshot *snapshot = collector->context->snapshot;
  Range range = dump_place_range(snapshot, place);
  vec_push(&collector->found, (Location){ .origin = collector->origin, .target = range, .selection = range });
  // On a damaged line a use may come before a definition, which the index has first.
  for (size_t i = collector->found.count - 1; i > 0; i--) {
    Location *pair = &collector->found.items[i - 1];
    if (pair[0].selection.start <= pair[1].selection.start)
      break;
    Location later = pair[0];
    pair[0] = pair[1];
    pair[1] = later;
  }
  return collector->found.count < REFERENCE_LIMIT && !feature_is_cancelled(collector->context);
}

/// A value may be called what the operator is, so it is looked for after the definitions.
static void collect_use(Collector *collector, Place place, Str op)
{
  const Snapshot *snapshot = collector->context->snapshot;
  const Document *document = snapshot_document(snapshot);
  const Item *item = dump_place_item(snapshot_dump(snapshot), place);
  uint32_t line = dump_place_line(snapshot, place);
  size_t start = document_line_start(document, line);
  Str text = document_line(document, line);
  size_t from = 0;
  if (item->def_count > 0) {
    place.occurrence = item->first_occurrence + item->def_count - 1;
    from = dump_place_range(snapshot, place).end - start;
  }
  Range range = workspace_op_in_line(str_slice(text, from, text.len), start + from, op);
  if (range.end > range.start && collector->found.count < REFERENCE_LIMIT)
    vec_push(&collector->found, (Location){ .origin = collector->origin, .target = range, .selection = range });
}

/// The uses of an operator in the document, under whatever name it is looked up by the same one.
static void collect_uses(Collector *collector, Str name)
{
  const Dump *dump = snapshot_dump(collector->context->snapshot);
  for (uint32_t c = 0; c < dump->chunk_count && !feature_is_cancelled(collector->context); c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t i = 0; i < index->item_count; i++) {
      const Item *item = &index->items[i];
      if (item->op == NO_OP || item->kind != ITEM_STATEMENT)
        continue;
      Str op = dump_op_name(index, chunk_text(dump->chunks[c]), item->op);
      if (str_equal(workspace_graph_name(op), name))
        collect_use(collector, (Place){ c, i, 0 }, op);
    }
  }
}

/// The operator of a statement.
static bool op_at(const FeatureContext *context, size_t offset, Str *ret_op, Range *ret_range)
{
  Place place;
  if (!dump_place_at(context->snapshot, offset, &place))
    return false;
  const ChunkState *chunk = snapshot_dump(context->snapshot)->chunks[place.chunk];
  const Item *item = &chunk->index->items[place.item];
  if (item->op == NO_OP || item->kind != ITEM_STATEMENT)
    return false;
  const Document *document = snapshot_document(context->snapshot);
  LineView view = line_view(context->snapshot, document_line_of(document, offset), context->arena);
  size_t node = line_view_at(&view, offset);
  if (node == NO_NODE || view.nodes[node].kind != NODE_OP_KIND)
    return false;
  // On a damaged line there may be more.
  Str op = dump_op_name(chunk->index, chunk_text(chunk), item->op);
  if (!str_equal(line_view_text(&view, node), op))
    return false;
  *ret_op = op;
  *ret_range = line_view_range(&view, node);
  return true;
}

static LocationList finish(Collector *collector, PlaceList *others)
{
  size_t here = collector->found.count;
  Location *items = ARENA_ARRAY(collector->context->arena, Location, here + others->found.count);
  if (here > 0)
    memcpy(items, collector->found.items, here * sizeof(*items));
  if (others->found.count > 0)
    memcpy(items + here, others->found.items, others->found.count * sizeof(*items));
  LocationList list = { items, here + others->found.count };
  vec_free(&collector->found);
  vec_free(&others->found);
  return list;
}

static LocationList references_of_op(const FeatureContext *context, size_t offset, bool include_declaration)
{
  Str op;
  Collector collector = { .context = context };
  if (!op_at(context, offset, &op, &collector.origin))
    return (LocationList){ 0 };
  PlaceList others = { .context = context, .origin = collector.origin, .include_declaration = include_declaration };
  Str name = workspace_graph_name(op);
  collect_uses(&collector, name);
  symbolic_places_add_registrations(&others, name);
  symbolic_places_add_uses(&others, name);
  return finish(&collector, &others);
}

LocationList graph_references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  NameAt name;
  if (!name_at(context->snapshot, offset, &name))
    return references_of_op(context, offset, include_declaration);
  Collector collector = { .context = context, .origin = name.range, .include_declaration = include_declaration };
  name_at_each_occurrence(snapshot_dump(context->snapshot), &name, collect, &collector);
  return finish(&collector, &(PlaceList){ .context = context });
}
