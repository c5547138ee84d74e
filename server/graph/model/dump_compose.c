// Puts the segments of all chunks together: the graphs, and the blocks that go on from one chunk into the next.

#include "base/limits.h"
#include "graph/model/dump_private.h"

typedef struct Composer {
  Dump *dump;
  Vec(Graph) graphs;
  Vec(OuterBlock) blocks;
  uint32_t top;         ///< The innermost open block of those.
  int16_t open_empty;   ///< Indent of the block that is still without a line, or NO_INDENT.
  bool has_items;       ///< The last graph has a line.
  uint32_t text_chunk;  ///< Of the first line since then that is nothing of a graph; or NO_CHUNK.
  uint32_t text_start;
} Composer;

enum {
  NO_INDENT = INT16_MIN,
  PART_FLAGS =
      SEGMENT_OPEN_EMPTY | SEGMENT_HEADER_END | SEGMENT_BRACE_FIRST,  ///< Of a part of a graph, not of the whole.
};

// --- Graphs ---

/// Printable graphs follow one another; of a dump whose beginning is missing the first may be a piece.
static bool may_hold_outer_names(const Graph *before)
{
  bool has_lines = before->min_indent != INDENT_LIMIT || (before->flags & SEGMENT_GAP);
  bool is_piece = !(before->flags & SEGMENT_HEADER) && has_lines;
  return (before->flags & SEGMENT_PRINTABLE) || is_piece;
}

static void begin_graph(Composer *composer, uint32_t chunk, uint32_t segment, uint16_t flags)
{
  bool follows =
      composer->graphs.count > 0 && (flags & SEGMENT_PRINTABLE) && may_hold_outer_names(vec_last(&composer->graphs));
  vec_push(&composer->graphs, (Graph){ .first_chunk = chunk,
                                       .first_segment = segment,
                                       .min_indent = INDENT_LIMIT,
                                       .text_chunk = NO_CHUNK,
                                       .follows_printable = follows });
  composer->top = NO_BLOCK;
  composer->open_empty = NO_INDENT;
  composer->has_items = false;
  composer->text_chunk = NO_CHUNK;
}

/// Of a block header at the very end of a chunk: whether what follows in the next one is indented deeper.
static bool is_unindented(const Segment *segment, int16_t open_empty)
{
  return open_empty != NO_INDENT && segment->first_indent <= open_empty;
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

static void note_text(uint32_t *noted_chunk, uint32_t *noted_start, uint32_t chunk, uint32_t start)
{
  if (*noted_chunk != NO_CHUNK || chunk == NO_CHUNK || start == NO_TEXT)
    return;
  *noted_chunk = chunk;
  *noted_start = start;
}

/// Text stands inside of a graph if lines of the graph come before and after it.
static void take_text(Composer *composer, uint32_t chunk, const Segment *segment)
{
  Graph *graph = vec_last(&composer->graphs);
  note_text(&composer->text_chunk, &composer->text_start, chunk, segment->text_before);
  if (segment->item_count == 0)
    return;
  if (composer->has_items)
    note_text(&graph->text_chunk, &graph->text_start, composer->text_chunk, composer->text_start);
  note_text(&graph->text_chunk, &graph->text_start, chunk, segment->text_inside);
  composer->text_chunk = NO_CHUNK;
  note_text(&composer->text_chunk, &composer->text_start, chunk, segment->text_after);
}

static void extend_graph(Composer *composer, uint32_t chunk, const Segment *segment)
{
  take_text(composer, chunk, segment);
  Graph *graph = vec_last(&composer->graphs);
  continue_header(graph, segment);
  graph->flags |= segment->flags & ~PART_FLAGS;
  if (is_unindented(segment, composer->open_empty))
    graph->flags |= SEGMENT_UNINDENTED;
  graph->last_chunk = chunk;
  composer->has_items |= segment->item_count > 0;
  if (segment->min_indent < graph->min_indent)
    graph->min_indent = segment->min_indent;

  const DumpIndex *index = composer->dump->chunks[chunk]->index;
  if (segment->flags & SEGMENT_OPEN_EMPTY)
    composer->open_empty = index->open_headers[segment->first_open + segment->open_count - 1].indent;
  else if (segment->first_indent != INDENT_LIMIT)
    composer->open_empty = NO_INDENT;
}

// --- Blocks ---

/// Ends the blocks that the segment's least indented line lies outside of. Returns the least indent of their headers.
static int16_t close_blocks(Composer *composer, uint32_t chunk, const Segment *segment)
{
  int16_t closed = INDENT_LIMIT;
  while (composer->top != NO_BLOCK && composer->blocks.items[composer->top].indent >= segment->min_indent) {
    OuterBlock *block = &composer->blocks.items[composer->top];
    block->end_chunk = chunk;
    closed = block->indent;
    composer->top = block->parent;
  }
  return closed;
}

static void open_blocks(Composer *composer, uint32_t chunk, const Segment *segment)
{
  const OpenHeader *headers = composer->dump->chunks[chunk]->index->open_headers + segment->first_open;
  for (uint32_t i = 0; i < segment->open_count; i++) {
    vec_push(&composer->blocks, (OuterBlock){ .parent = composer->top,
                                              .chunk = chunk,
                                              .item = headers[i].item,
                                              .end_chunk = NO_CHUNK,
                                              .indent = headers[i].indent });
    composer->top = (uint32_t)composer->blocks.count - 1;
  }
}

// --- Chunks ---

/// Segment 0 continues the graph before it, unless that one has ended and something new begins here.
static void begin_chunk(Composer *composer, uint32_t c, const Segment *segment)
{
  if (c == 0)
    begin_graph(composer, c, 0, segment->flags);
  Graph *graph = vec_last(&composer->graphs);
  // A brace that nothing comes before closes a graph whose beginning is missing.
  if ((segment->flags & SEGMENT_BRACE_FIRST) && graph->flags == 0 && !composer->has_items)
    graph->flags |= SEGMENT_GAP;
  if ((graph->flags & SEGMENT_RETURN) && segment->item_count > 0)
    begin_graph(composer, c, 0, segment->flags);
}

static void add_chunk(Composer *composer, uint32_t c)
{
  const DumpIndex *index = composer->dump->chunks[c]->index;
  ChunkFrame *frame = &composer->dump->frames[c];
  begin_chunk(composer, c, &index->segments[0]);
  frame->first_graph = (uint32_t)composer->graphs.count - 1;
  frame->entry = composer->top;
  extend_graph(composer, c, &index->segments[0]);
  frame->closed = close_blocks(composer, c, &index->segments[0]);
  frame->outside = composer->top;
  for (uint32_t s = 1; s < index->segment_count; s++) {
    begin_graph(composer, c, s, index->segments[s].flags);
    extend_graph(composer, c, &index->segments[s]);
  }
  frame->first_block = (uint32_t)composer->blocks.count;
  open_blocks(composer, c, &index->segments[index->segment_count - 1]);
}

void dump_compose(Dump *dump)
{
  Composer composer = { .dump = dump, .top = NO_BLOCK, .open_empty = NO_INDENT };
  dump->frames = xcalloc(dump->chunk_count, sizeof(*dump->frames));
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    add_chunk(&composer, c);
  dump->graph_count = (uint32_t)composer.graphs.count;
  dump->graphs = vec_take(&composer.graphs);
  dump->block_count = (uint32_t)composer.blocks.count;
  dump->blocks = vec_take(&composer.blocks);
}
