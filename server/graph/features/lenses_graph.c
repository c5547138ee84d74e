// textDocument/codeLens in graphs: above each graph how many nodes it has, how many of them can't be exported, and how
// much its inputs hold, as far as their types say: the weights of a traced model are inputs of its graph.

#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/lens_counts.h"
#include "graph/model/graph_walk.h"
#include "graph/model/refusals.h"
#include "graph/model/snapshot_dump.h"

typedef struct GraphCounts {
  Place header;
  bool has_header;
  LensCounts sum;
} GraphCounts;

static bool is_header(ItemKind kind)
{
  return kind == ITEM_GRAPH_HEADER || kind == ITEM_PRINTABLE_HEADER;
}

static void count_item(const FeatureContext *context, const GraphWalk *walk, Place place, GraphCounts *counts)
{
  const Item *item = walk_item(walk, place);
  counts->sum.nodes += item->kind == ITEM_STATEMENT && item->op != NO_OP;
  if (is_header((ItemKind)item->kind) && !counts->has_header) {
    counts->has_header = true;
    counts->header = place;
  }
  bool is_input = is_header((ItemKind)item->kind) || item->kind == ITEM_PARAMETERS;
  for (uint32_t i = 0; is_input && i < item->def_count; i++)
    lens_counts_add(context, walk, walk_definition(walk, place, i), &counts->sum);
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
        count_item(context, &walk, (Place){ c, index->segments[s].first_item + i, 0 }, graph);
    }
    const RefusalList *list = refusals->chunks[c];
    for (uint32_t i = 0; list && i < list->count; i++) {
      uint32_t segment = dump_index_segment_of(index, list->items[i].item);
      counts[dump_graph_of(dump, c, segment)].sum.refused += list->items[i].fate == FATE_CONVERTED;
    }
  }
  return counts;
}

LensList graph_lenses(const FeatureContext *context)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  const Document *document = snapshot_document(context->snapshot);
  const GraphCounts *counts = count_graphs(context, dump);
  LensVec lenses = { 0 };
  for (uint32_t i = 0; i < dump->graph_count && lenses.count < LENS_LIMIT; i++) {
    if (!counts[i].has_header || counts[i].sum.nodes == 0)
      continue;
    Range line = dump_line_content(document, dump_place_line(context->snapshot, counts[i].header));
    vec_push(&lenses, (Lens){ .range = line, .title = lens_counts_title(&counts[i].sum, context->arena) });
  }
  lens_add_modules(context, &lenses);
  LensList list = { .items = vec_copy(&lenses, context->arena), .count = lenses.count };
  vec_free(&lenses);
  return list;
}
