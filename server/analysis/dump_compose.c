// Puts the segments of all chunks together into graphs.

#include "analysis/dump_private.h"
#include "base/vec.h"

typedef Vec(Graph) GraphVec;

enum {
  NO_BLOCK = INT16_MIN,
  PART_FLAGS = SEGMENT_OPEN_EMPTY | SEGMENT_HEADER_END,  ///< Of a part of a graph, not of the whole.
};

/// Printable graphs stand one behind another; of a dump whose beginning is missing the first may be a piece.
static bool may_hold_outer_names(const Graph *before)
{
  bool has_lines = before->min_indent != INDENT_LIMIT || (before->flags & SEGMENT_GAP);
  bool is_piece = !(before->flags & SEGMENT_HEADER) && has_lines;
  return (before->flags & SEGMENT_PRINTABLE) || is_piece;
}

static void begin_graph(GraphVec *graphs, uint32_t chunk, uint32_t segment, uint16_t flags)
{
  bool follows = graphs->count > 0 && (flags & SEGMENT_PRINTABLE) && may_hold_outer_names(vec_last(graphs));
  flags &= (uint16_t)~PART_FLAGS;
  vec_push(graphs, (Graph){ .first_chunk = chunk,
                            .first_segment = segment,
                            .last_chunk = chunk,
                            .flags = flags,
                            .min_indent = INDENT_LIMIT,
                            .follows_printable = follows });
}

/// A block header at the very end of a chunk: is what follows in the next one indented deeper?
static bool is_unindented(const Segment *segment, int16_t open_empty)
{
  return open_empty != NO_BLOCK && segment->first_indent <= open_empty;
}

/// The indent of the block that is still without a line at the end of this part of a graph, if there is one.
static int16_t open_empty_behind(const DumpIndex *index, const Segment *segment, int16_t before)
{
  if (segment->flags & SEGMENT_OPEN_EMPTY)
    return index->open_indents[segment->first_open + segment->open_count - 1];
  return segment->first_indent == INDENT_LIMIT ? before : NO_BLOCK;
}

/// A header that is still open at the end of a chunk ends in the next one, or some of its lines are missing.
static void continue_header(Graph *graph, const Segment *segment)
{
  if (!(graph->flags & SEGMENT_HEADER_OPEN))
    return;
  bool ends = segment->flags & SEGMENT_HEADER_END;
  if (ends || segment->first_indent != INDENT_LIMIT)
    graph->flags &= (uint16_t)~SEGMENT_HEADER_OPEN;
  if (!ends && segment->first_indent != INDENT_LIMIT)
    graph->flags |= SEGMENT_GAP;
}

void dump_compose(Dump *dump)
{
  GraphVec graphs = { 0 };
  int16_t open_empty = NO_BLOCK;
  dump->first_graph = xcalloc(dump->chunk_count, sizeof(*dump->first_graph));
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t s = 0; s < index->segment_count; s++) {
      const Segment *segment = &index->segments[s];
      // Segment 0 continues the graph before it, unless that one has ended and something new begins here.
      bool continues = s == 0 && c > 0 && !((vec_last(&graphs)->flags & SEGMENT_RETURN) && segment->item_count > 0);
      if (!continues)
        begin_graph(&graphs, c, s, segment->flags);
      else if (is_unindented(segment, open_empty))
        vec_last(&graphs)->flags |= SEGMENT_UNINDENTED;
      if (continues)
        continue_header(vec_last(&graphs), segment);
      open_empty = open_empty_behind(index, segment, continues ? open_empty : NO_BLOCK);
      vec_last(&graphs)->flags |= segment->flags & ~PART_FLAGS;
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
