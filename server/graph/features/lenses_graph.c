// textDocument/codeLens in graphs: above each graph how many nodes it has, how many of them can't be exported, and how
// much its inputs hold, as far as their types say: the weights of a traced model are inputs of its graph.

#include "base/vec.h"
#include "describe/type_tensor.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/model/graph_walk.h"
#include "graph/model/refusals.h"
#include "graph/model/snapshot_dump.h"

typedef struct GraphCounts {
  Place header;
  bool has_header;
  uint64_t nodes;
  uint64_t refused;
  uint64_t values;  ///< Of all inputs whose sizes are known...
  uint64_t bytes;   ///< ...and what they take.
} GraphCounts;

static bool is_header(ItemKind kind)
{
  return kind == ITEM_GRAPH_HEADER || kind == ITEM_PRINTABLE_HEADER;
}

static void add_input(GraphCounts *counts, Str type)
{
  TensorText tensor;
  if (!type_read_tensor(type, &tensor) || !tensor.dtype || tensor.dtype->bytes == 0 || !tensor.is_ranked ||
      tensor.rank > DIM_LIMIT)
    return;
  uint64_t count = 1;
  for (size_t i = 0; i < tensor.rank; i++) {
    if (tensor.is_dynamic[i] || (tensor.sizes[i] > 0 && count > UINT32_MAX / tensor.sizes[i] * (uint64_t)UINT16_MAX))
      return;
    count *= tensor.sizes[i];
  }
  counts->values += count;
  counts->bytes += count * (uint64_t)tensor.dtype->bytes;
}

static void count_item(const GraphWalk *walk, Place place, GraphCounts *counts)
{
  const Item *item = walk_item(walk, place);
  counts->nodes += item->kind == ITEM_STATEMENT && item->op != NO_OP;
  if (is_header((ItemKind)item->kind) && !counts->has_header) {
    counts->has_header = true;
    counts->header = place;
  }
  bool is_input = is_header((ItemKind)item->kind) || item->kind == ITEM_PARAMETERS;
  for (uint32_t i = 0; is_input && i < item->def_count; i++)
    add_input(counts, walk_type(walk, walk_definition(walk, place, i)));
}

static GraphCounts *count_graphs(const FeatureContext *context, const Dump *dump)
{
  GraphWalk walk = { .dump = dump };
  GraphCounts *counts = ARENA_ARRAY(context->arena, GraphCounts, dump->graph_count);
  const Refusals *refusals = snapshot_refusals(context->snapshot);
  for (uint32_t c = 0; c < dump->chunk_count && !feature_is_cancelled(context); c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t s = 0; s < index->segment_count; s++) {
      GraphCounts *graph = &counts[dump_graph_of(dump, c, s)];
      for (uint32_t i = 0; i < index->segments[s].item_count; i++)
        count_item(&walk, (Place){ c, index->segments[s].first_item + i, 0 }, graph);
    }
    const RefusalList *list = refusals->chunks[c];
    for (uint32_t i = 0; list && i < list->count; i++) {
      uint32_t segment = dump_index_segment_of(index, list->items[i].item);
      counts[dump_graph_of(dump, c, segment)].refused += list->items[i].fate == FATE_CONVERTED;
    }
  }
  return counts;
}

/// "102 MB"
static Str say_bytes(uint64_t bytes, Arena *arena)
{
  static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
  double amount = (double)bytes;
  size_t unit = 0;
  for (; amount >= 1000 && unit + 1 < COUNT(units); unit++)
    amount /= 1000;
  return arena_printf(arena, unit > 0 && amount < 10 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
}

static Str say_title(const GraphCounts *counts, Arena *arena)
{
  Str nodes = arena_printf(arena, "%llu node%s", (unsigned long long)counts->nodes, counts->nodes == 1 ? "" : "s");
  Str refused = counts->refused == 0
                    ? (Str){ 0 }
                    : arena_printf(arena, ", %llu of them can't be exported", (unsigned long long)counts->refused);
  Str size = counts->values == 0
                 ? (Str){ 0 }
                 : arena_printf(arena, " | inputs: %llu values, %.*s", (unsigned long long)counts->values,
                                STR_ARG(say_bytes(counts->bytes, arena)));
  const Str parts[] = { nodes, refused, size };
  return arena_join(arena, parts, COUNT(parts));
}

LensList graph_lenses(const FeatureContext *context)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  const Document *document = snapshot_document(context->snapshot);
  const GraphCounts *counts = count_graphs(context, dump);
  Lens *items = ARENA_ARRAY(context->arena, Lens, dump->graph_count);
  LensList list = { .items = items };
  for (uint32_t i = 0; i < dump->graph_count && list.count < LENS_LIMIT; i++) {
    if (!counts[i].has_header || counts[i].nodes == 0)
      continue;
    Range line = dump_line_content(document, dump_place_line(context->snapshot, counts[i].header));
    items[list.count++] = (Lens){ .range = line, .title = say_title(&counts[i], context->arena) };
  }
  return list;
}
