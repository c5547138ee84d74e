// Puts the segments of all chunks together into graphs.

#include "analysis/dump_private.h"
#include "base/vec.h"

typedef Vec(Graph) GraphVec;

static bool has_body(const DumpIndex *index, const Segment *segment)
{
  for (uint32_t i = 0; i < segment->item_count; i++) {
    ItemKind kind = (ItemKind)index->items[segment->first_item + i].kind;
    if (kind == ITEM_STATEMENT || kind == ITEM_BLOCK_HEADER || kind == ITEM_BLOCK_RETURN || kind == ITEM_RETURN)
      return true;
  }
  return false;
}

static void begin_graph(GraphVec *graphs, uint32_t chunk, uint32_t segment, uint16_t flags)
{
  bool follows = graphs->count > 0 && (flags & SEGMENT_PRINTABLE) && (vec_last(graphs)->flags & SEGMENT_PRINTABLE);
  vec_push(graphs, (Graph){ .first_chunk = chunk,
                            .first_segment = segment,
                            .last_chunk = chunk,
                            .flags = flags,
                            .min_indent = INDENT_LIMIT,
                            .follows_printable = follows });
}

void dump_compose(Dump *dump)
{
  GraphVec graphs = { 0 };
  dump->first_graph = xcalloc(dump->chunk_count, sizeof(*dump->first_graph));
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t s = 0; s < index->segment_count; s++) {
      const Segment *segment = &index->segments[s];
      // Segment 0 continues the graph before it, unless that one has ended and something new begins here.
      bool continues = s == 0 && c > 0 && !((vec_last(&graphs)->flags & SEGMENT_RETURN) && has_body(index, segment));
      if (!continues)
        begin_graph(&graphs, c, s, segment->flags);
      vec_last(&graphs)->flags |= segment->flags;
      vec_last(&graphs)->last_chunk = c;
      if (segment->min_indent < vec_last(&graphs)->min_indent)
        vec_last(&graphs)->min_indent = segment->min_indent;
      if (s == 0)
        dump->first_graph[c] = (uint32_t)graphs.count - 1;
    }
  }
  dump->graph_count = (uint32_t)graphs.count;
  dump->graphs = vec_take(&graphs);
}
