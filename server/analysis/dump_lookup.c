// Look-ups of one name across the chunks of its graph: no table of the whole document is kept, because asking each
// chunk's sorted symbols takes microseconds even in a dump of 100 MB.

#include "analysis/dump.h"

/// Visits the occurrences in one chunk; false if `visit` asked to stop.
static bool each_in_chunk(const Dump *dump, uint32_t chunk, const Segment *segment, uint32_t symbol,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context)
{
  const DumpIndex *index = dump->chunks[chunk]->index;
  uint32_t i = segment->first_item;
  uint32_t end = index->items[i + segment->item_count].first_occurrence;
  for (uint32_t o = index->items[i].first_occurrence; o < end; o++) {
    if (index->occurrences[o].symbol != symbol)
      continue;
    while (index->items[i + 1].first_occurrence <= o)
      i++;
    bool is_definition = o - index->items[i].first_occurrence < index->items[i].def_count;
    if (!visit((Place){ chunk, i, o }, is_definition, context))
      return false;
  }
  return true;
}

void dump_each_occurrence(const Dump *dump, uint32_t graph, Str name,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context)
{
  const Graph *g = &dump->graphs[graph];
  uint32_t hash = str_hash(name);
  for (uint32_t chunk = g->first_chunk; chunk <= g->last_chunk; chunk++) {
    const ChunkState *state = dump->chunks[chunk];
    uint32_t segment = graph_segment(g, chunk);
    uint32_t symbol = dump_index_find(state->index, chunk_text(state), segment, name, hash);
    if (symbol != NO_SYMBOL && !each_in_chunk(dump, chunk, &state->index->segments[segment], symbol, visit, context))
      return;
  }
}

/// The occurrence that defines the symbol on the line of an item.
static bool defined_on(const DumpIndex *index, uint32_t item, uint32_t symbol, uint32_t *ret_occurrence)
{
  uint32_t first = index->items[item].first_occurrence;
  for (uint32_t o = first; o < first + index->items[item].def_count; o++) {
    if (index->occurrences[o].symbol == symbol) {
      *ret_occurrence = o;
      return true;
    }
  }
  return false;
}

/// A name of a graph, to be looked up chunk by chunk.
typedef struct LookUp {
  const Dump *dump;
  const Graph *graph;
  Str name;
  uint32_t hash;
} LookUp;

/// The name in the graph's part of a chunk, or NO_SYMBOL if nothing there defines it.
static uint32_t defined_symbol(const LookUp *look_up, uint32_t chunk)
{
  const ChunkState *state = look_up->dump->chunks[chunk];
  uint32_t segment = graph_segment(look_up->graph, chunk);
  uint32_t symbol = dump_index_find(state->index, chunk_text(state), segment, look_up->name, look_up->hash);
  bool is_defined = symbol != NO_SYMBOL && (state->index->symbols[symbol].flags & SYMBOL_DEFINED);
  return is_defined ? symbol : NO_SYMBOL;
}

/// The last definition in the graph's part of a chunk before item `limit`.
static bool last_definition(const LookUp *look_up, uint32_t chunk, uint32_t limit, Place *ret_place)
{
  const DumpIndex *index = look_up->dump->chunks[chunk]->index;
  const Segment *segment = &index->segments[graph_segment(look_up->graph, chunk)];
  uint32_t symbol = defined_symbol(look_up, chunk);
  uint32_t end = segment->first_item + segment->item_count;
  Place place = { .chunk = chunk };
  for (place.item = limit < end ? limit : end; symbol != NO_SYMBOL && place.item-- > segment->first_item;) {
    if (defined_on(index, place.item, symbol, &place.occurrence)) {
      *ret_place = place;
      return true;
    }
  }
  return false;
}

/// The first definition in the graph's part of a chunk.
static bool first_definition(const LookUp *look_up, uint32_t chunk, Place *ret_place)
{
  const DumpIndex *index = look_up->dump->chunks[chunk]->index;
  const Segment *segment = &index->segments[graph_segment(look_up->graph, chunk)];
  uint32_t symbol = defined_symbol(look_up, chunk);
  Place place = { .chunk = chunk, .item = segment->first_item };
  for (uint32_t i = 0; symbol != NO_SYMBOL && i < segment->item_count; i++, place.item++) {
    if (defined_on(index, place.item, symbol, &place.occurrence)) {
      *ret_place = place;
      return true;
    }
  }
  return false;
}

/// Is the occurrence of the place a use on its line? What the line itself defines is visible behind it only.
static bool is_use(const Dump *dump, Place place)
{
  const DumpIndex *index = dump->chunks[place.chunk]->index;
  if (place.item >= index->item_count)
    return false;
  uint32_t first_use = index->items[place.item].first_occurrence + index->items[place.item].def_count;
  return place.occurrence >= first_use && place.occurrence < index->items[place.item + 1].first_occurrence;
}

bool dump_find_definition(const Dump *dump, uint32_t graph, Str name, Place from, Place *ret_place)
{
  const Graph *g = &dump->graphs[graph];
  LookUp look_up = { dump, g, name, str_hash(name) };
  uint32_t limit = from.item + !is_use(dump, from);
  uint32_t behind = from.chunk < g->last_chunk ? from.chunk + 1 : g->last_chunk + 1;
  for (uint32_t chunk = behind; chunk-- > g->first_chunk;) {
    if (last_definition(&look_up, chunk, chunk == from.chunk ? limit : UINT32_MAX, ret_place))
      return true;
  }
  for (uint32_t chunk = from.chunk > g->first_chunk ? from.chunk : g->first_chunk; chunk <= g->last_chunk; chunk++) {
    if (first_definition(&look_up, chunk, ret_place))
      return true;
  }
  return false;
}

static bool count_use(Place place, bool is_definition, void *context)
{
  (void)place;
  *(size_t *)context += !is_definition;
  return true;
}

size_t dump_count_uses(const Dump *dump, uint32_t graph, Str name)
{
  size_t count = 0;
  dump_each_occurrence(dump, graph, name, count_use, &count);
  return count;
}
