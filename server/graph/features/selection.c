// textDocument/selectionRange: from the word under the cursor outwards to list, line, block, graph and document.

#include "base/limits.h"
#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_view.h"

typedef Vec(Range) RangeVec;

/// Adds a range that is larger than the last one and holds it.
static void widen(RangeVec *ranges, Range range)
{
  if (ranges->count > 0) {
    Range last = *vec_last(ranges);
    bool holds = range.start <= last.start && range.end >= last.end;
    if (!holds || (range.start == last.start && range.end == last.end))
      return;
  }
  vec_push(ranges, range);
}

static void add_line(RangeVec *ranges, const FeatureContext *context, size_t offset)
{
  const Document *document = snapshot_document(context->snapshot);
  uint32_t line = document_line_of(document, offset);
  LineView view = line_view(context->snapshot, line, context->arena);
  for (size_t node = line_view_at(&view, offset); node != NO_NODE; node = line_view_parent(&view, node))
    widen(ranges, line_view_range(&view, node));
  Range content = dump_line_content(document, line);
  if (ranges->count == 0 && (offset < content.start || offset > content.end))
    vec_push(ranges, (Range){ offset, offset });
  widen(ranges, content);
}

static Range line_span(const Document *document, uint32_t first, uint32_t last)
{
  return (Range){ dump_line_content(document, first).start, dump_line_content(document, last).end };
}

/// Goes on from `last` to the last item of the graph that is indented deeper than `indent`.
static Place nested_end(const FeatureContext *context, Place last, int indent)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  uint32_t graph = dump_place_graph(dump, last);
  Place next = last;
  while (dump_place_next(dump, &next) && !feature_is_cancelled(context)) {
    const Item *item = dump_place_item(dump, next);
    if (item->indent <= indent || item->kind == ITEM_RETURN || dump_place_graph(dump, next) != graph)
      break;
    last = next;
  }
  return last;
}

/// Adds the blocks around the item, and the statements that own them: each line above that is indented less than all
/// lines between.
static void add_blocks(RangeVec *ranges, const FeatureContext *context, Place place)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  const Document *document = snapshot_document(context->snapshot);
  uint32_t graph = dump_place_graph(dump, place);
  const Item *item = dump_place_item(dump, place);
  bool can_nest = item->kind == ITEM_STATEMENT || item->kind == ITEM_BLOCK_HEADER || item->kind == ITEM_BLOCK_RETURN;
  if (!can_nest || (dump->graphs[graph].flags & SEGMENT_UNINDENTED))
    return;
  Place at = place;
  Place end = place;
  int indent = item->indent + 1;
  do {
    item = dump_place_item(dump, at);
    if (item->indent >= indent || (item->kind != ITEM_STATEMENT && item->kind != ITEM_BLOCK_HEADER))
      continue;
    indent = item->indent;
    end = nested_end(context, end, indent);
    widen(ranges, line_span(document, dump_place_line(context->snapshot, at), dump_place_line(context->snapshot, end)));
  } while (indent > 0 && ranges->count < SELECTION_RANGE_LIMIT && dump_place_previous(dump, &at) &&
           dump_place_graph(dump, at) == graph && !feature_is_cancelled(context));
}

static void add_graph(RangeVec *ranges, const FeatureContext *context, Place place)
{
  const Dump *dump = snapshot_dump(context->snapshot);
  const Graph *graph = &dump->graphs[dump_place_graph(dump, place)];
  Place first;
  if (!dump_first_item(dump, graph, &first))
    return;
  uint32_t chunk = graph->last_chunk;
  const Segment *segment = NULL;
  // The last chunks of a graph may hold no item of it.
  do
    segment = &dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)];
  while (segment->item_count == 0 && chunk-- > first.chunk);
  Place last = { .chunk = chunk, .item = segment->first_item + segment->item_count - 1 };
  widen(ranges, line_span(snapshot_document(context->snapshot), dump_place_line(context->snapshot, first),
                          dump_place_line(context->snapshot, last)));
}

SelectionList graph_selection(const FeatureContext *context, size_t offset)
{
  const Document *document = snapshot_document(context->snapshot);
  size_t length = document_length(document);
  RangeVec ranges = { 0 };
  Place place;
  add_line(&ranges, context, offset);
  if (dump_place_at(context->snapshot, offset, &place)) {
    add_blocks(&ranges, context, place);
    add_graph(&ranges, context, place);
  }
  widen(&ranges, (Range){ 0, length });
  Range *items = vec_copy(&ranges, context->arena);
  SelectionList list = { items, ranges.count };
  vec_free(&ranges);
  return list;
}
