// What is wrong with the names of a chunk. Most chunks have nothing wrong, which their symbols alone tell; only the
// names in doubt are then followed through the lines.

#include "base/limits.h"
#include "graph/model/dump_private.h"

enum {
  DOUBT_USES = 1,  ///< Some use may not see a definition.
  DOUBT_DUPLICATE = 2,
  DOUBT_UNUSED = 4,
  LINKED = 8,  ///< Settled by what other chunks say.
};

typedef struct BlockMark {
  int16_t indent;
  size_t def_mark;
} BlockMark;

typedef struct FaultFinder {
  const ChunkState *chunk;
  const Segment *segment;
  const Graph *graph;
  uint32_t entry;    ///< The innermost block that is open where the segment begins, or NO_BLOCK.
  uint32_t cut_at;   ///< A name that ends here may be only half there: the end of the document, else 0.
  uint8_t *doubts;   ///< By symbol of the segment.
  uint8_t *visible;  ///< By symbol: is a local definition visible here?
  uint8_t *defined;  ///< By symbol: was there a local definition before here?
  int16_t lowest;    ///< Least indent of the segment so far.
  Vec(BlockMark) blocks;
  Vec(uint32_t) visible_defs;
  Vec(Fault) faults;
} FaultFinder;

static bool link_holds_throughout(const FaultFinder *finder, const NameLink *link)
{
  return (link->flags & LINK_BEFORE) && (link->indent == INDENT_GRAPH || finder->segment->min_indent > link->indent);
}

/// What a name has that is in no other chunk.
static const NameLink no_link = { .def_chunk = NO_CHUNK, .next_chunk = NO_CHUNK };

static const NameLink *link_of(const FaultFinder *finder, uint32_t symbol)
{
  const NameLink *link = dump_chunk_link(finder->chunk, symbol);
  return link ? link : &no_link;
}

/// Whether names without a definition are worth a word: only where all definitions are known to be in the text.
static bool knows_definitions(const Graph *graph)
{
  return (graph->flags & SEGMENT_HEADER) && !(graph->flags & SEGMENT_GAP) && !graph->follows_printable;
}

static uint8_t doubts_of(const FaultFinder *finder, const DumpSymbol *symbol, const NameLink *link)
{
  uint8_t doubts = 0;
  const Graph *graph = finder->graph;
  if ((symbol->flags & SYMBOL_IMPORTED) && knows_definitions(graph) && !link_holds_throughout(finder, link))
    doubts |= DOUBT_USES;
  if ((graph->flags & SEGMENT_HEADER) &&
      ((symbol->flags & SYMBOL_DEFINED_TWICE) || ((symbol->flags & SYMBOL_DEFINED) && (link->flags & LINK_DUPLICATE))))
    doubts |= DOUBT_DUPLICATE;
  if ((symbol->flags & (SYMBOL_DEFINED | SYMBOL_USED)) == SYMBOL_DEFINED && !(link->flags & LINK_USED) &&
      graph_is_complete(graph) && !(graph->flags & SEGMENT_PRINTABLE))
    doubts |= DOUBT_UNUSED;
  return doubts;
}

static void add_fault(FaultFinder *finder, uint32_t item, uint32_t occurrence, FaultKind kind)
{
  const DumpIndex *index = finder->chunk->index;
  const Occurrence *place = &index->occurrences[occurrence];
  if (finder->cut_at != 0 && place->start + index->symbols[place->symbol].len == finder->cut_at)
    return;
  vec_push(&finder->faults, (Fault){ occurrence, item, kind });
}

static void close_blocks(FaultFinder *finder, const Item *item)
{
  int16_t indent = (int16_t)item->indent;
  if (indent < finder->lowest)
    finder->lowest = indent;
  while (finder->blocks.count > 0 && vec_last(&finder->blocks)->indent >= indent) {
    size_t mark = vec_last(&finder->blocks)->def_mark;
    while (finder->visible_defs.count > mark)
      finder->visible[finder->visible_defs.items[--finder->visible_defs.count]] = false;
    finder->blocks.count--;
  }
}

static void check_definition(FaultFinder *finder, uint32_t item, uint32_t occurrence, uint32_t local)
{
  const NameLink *link = link_of(finder, finder->segment->first_symbol + local);
  if ((finder->doubts[local] & DOUBT_DUPLICATE) && (finder->defined[local] || (link->flags & LINK_DUPLICATE)))
    add_fault(finder, item, occurrence, FAULT_DUPLICATE);
  else if (finder->doubts[local] & DOUBT_UNUSED)
    add_fault(finder, item, occurrence, FAULT_UNUSED);
  finder->defined[local] = true;
  if (!finder->visible[local]) {
    finder->visible[local] = true;
    vec_push(&finder->visible_defs, local);
  }
}

static void check_use(FaultFinder *finder, uint32_t item, uint32_t occurrence, uint32_t local)
{
  uint32_t symbol = finder->segment->first_symbol + local;
  const NameLink *link = link_of(finder, symbol);
  bool nesting_known = !(finder->graph->flags & SEGMENT_UNINDENTED);
  if (finder->visible[local] || (finder->defined[local] && !nesting_known))
    return;
  if (link->flags & LINK_BEFORE) {
    if (link->indent != INDENT_GRAPH && finder->lowest <= link->indent)
      add_fault(finder, item, occurrence, FAULT_BLOCK_ENDED);
  } else if (finder->defined[local] || (link->flags & LINK_HIDDEN)) {
    add_fault(finder, item, occurrence, FAULT_BLOCK_ENDED);
  } else if ((finder->chunk->index->symbols[symbol].flags & SYMBOL_DEFINED) || (link->flags & LINK_LATER)) {
    add_fault(finder, item, occurrence, FAULT_DEFINED_LATER);
  } else {
    add_fault(finder, item, occurrence, FAULT_UNDEFINED);
  }
}

/// Whether one of the occurrences is of a name in doubt, as hardly any is.
static bool has_doubt(const FaultFinder *finder, uint32_t first, uint32_t end)
{
  const Occurrence *occurrences = finder->chunk->index->occurrences;
  const uint8_t *doubts = finder->doubts;
  uint32_t first_symbol = finder->segment->first_symbol;
  while (first < end && !doubts[occurrences[first].symbol - first_symbol])
    first++;
  return first < end;
}

static void check_item(FaultFinder *finder, uint32_t i)
{
  const DumpIndex *index = finder->chunk->index;
  const Item *item = &index->items[i];
  if (item_nests((ItemKind)item->kind))
    close_blocks(finder, item);
  if (item->kind == ITEM_BLOCK_HEADER)
    vec_push(&finder->blocks, (BlockMark){ (int16_t)item->indent, finder->visible_defs.count });
  // What a line defines is visible after the line, so its uses come first; the inputs of a header have no uses.
  uint32_t first_use = item->first_occurrence + item->def_count;
  uint32_t end = index->items[i + 1].first_occurrence;
  for (int pass = 0; pass < 2; pass++) {
    uint32_t o = pass == 0 ? first_use : item->first_occurrence;
    uint32_t stop = pass == 0 ? end : first_use;
    for (; o < stop; o++) {
      uint32_t local = index->occurrences[o].symbol - finder->segment->first_symbol;
      if (!finder->doubts[local])
        continue;
      if (pass == 0 && (finder->doubts[local] & DOUBT_USES))
        check_use(finder, i, o, local);
      else if (pass == 1)
        check_definition(finder, i, o, local);
    }
  }
}

/// Fills in the doubts; true if there are any.
static bool find_doubts(FaultFinder *finder)
{
  const ChunkState *chunk = finder->chunk;
  const DumpSymbol *symbols = chunk->index->symbols + finder->segment->first_symbol;
  uint32_t first = finder->segment->first_symbol, count = finder->segment->symbol_count;
  uint8_t any = 0;
  memset(finder->doubts, 0, count);
  for (size_t i = 0; i < chunk->link_count && chunk->links[i].symbol < first + count; i++) {
    const NameLink *link = &chunk->links[i];
    if (link->symbol >= first)
      any |= finder->doubts[link->symbol - first] = LINKED | doubts_of(finder, &symbols[link->symbol - first], link);
  }
  for (uint32_t i = 0; i < count; i++) {
    // Nearly all have nothing to doubt.
    if (symbols[i].flags != (SYMBOL_DEFINED | SYMBOL_USED) && !(finder->doubts[i] & LINKED))
      any |= finder->doubts[i] = doubts_of(finder, &symbols[i], &no_link);
    finder->doubts[i] &= (uint8_t)~LINKED;
  }
  return (any & ~LINKED) != 0;
}

/// Opens the blocks around the beginning of the segment, outermost first.
static void enter_blocks(FaultFinder *finder, const Dump *dump)
{
  vec_clear(&finder->blocks);
  for (uint32_t block = finder->entry; block != NO_BLOCK; block = dump->blocks[block].parent)
    vec_push(&finder->blocks, (BlockMark){ dump->blocks[block].indent, 0 });
  for (size_t i = 0, k = finder->blocks.count; i + 1 < k; i++) {
    BlockMark swap = finder->blocks.items[i];
    finder->blocks.items[i] = finder->blocks.items[--k];
    finder->blocks.items[k] = swap;
  }
}

/// Whether the line ends no block, begins none, and names nothing in doubt.
static bool is_quiet(const FaultFinder *finder, const Item *item)
{
  int16_t indent = (int16_t)item->indent;
  bool ends_none =
      indent >= finder->lowest && (finder->blocks.count == 0 || vec_last(&finder->blocks)->indent < indent);
  return item->kind == ITEM_STATEMENT && ends_none &&
         !has_doubt(finder, item->first_occurrence, item[1].first_occurrence);
}

static void check_segment(FaultFinder *finder, const Dump *dump)
{
  const Segment *segment = finder->segment;
  if (!find_doubts(finder))
    return;
  memset(finder->visible, 0, segment->symbol_count);
  memset(finder->defined, 0, segment->symbol_count);
  finder->lowest = INDENT_LIMIT;
  vec_clear(&finder->visible_defs);
  enter_blocks(finder, dump);
  const Item *items = finder->chunk->index->items;
  for (uint32_t i = segment->first_item; i < segment->first_item + segment->item_count; i++) {
    if (!is_quiet(finder, &items[i]))
      check_item(finder, i);
  }
}

void dump_find_faults(const Dump *dump, uint32_t chunk, Fault **ret_faults, uint32_t *ret_count)
{
  const DumpIndex *index = dump->chunks[chunk]->index;
  uint8_t *flags = xcalloc(index->symbol_count, 3);
  FaultFinder finder = {
    .chunk = dump->chunks[chunk],
    .cut_at = chunk + 1 == dump->chunk_count ? dump->chunks[chunk]->text->len : 0,
    .doubts = flags,
    .visible = flags + index->symbol_count,
    .defined = flags + 2 * (size_t)index->symbol_count,
  };
  for (uint32_t s = 0; s < index->segment_count; s++) {
    finder.segment = &index->segments[s];
    finder.graph = &dump->graphs[dump_graph_of(dump, chunk, s)];
    finder.entry = s == 0 ? dump->frames[chunk].entry : NO_BLOCK;
    check_segment(&finder, dump);
  }
  free(flags);
  vec_free(&finder.blocks);
  vec_free(&finder.visible_defs);
  *ret_count = (uint32_t)finder.faults.count;
  *ret_faults = vec_take(&finder.faults);
}
