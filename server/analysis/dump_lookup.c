// Look-ups of one name across the chunks of its graph: no table of the whole document is kept, because asking each
// chunk's sorted symbols takes microseconds even in a dump of 100 MB.

#include "analysis/dump.h"

/// Visits the occurrences in one chunk; false if `visit` asked to stop.
static bool each_in_chunk(const Dump *dump, uint32_t chunk, const Segment *segment, uint32_t symbol,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context)
{
  const DumpIndex *index = dump->chunks[chunk]->index;
  for (uint32_t i = segment->first_item; i < segment->first_item + segment->item_count; i++) {
    const Item *item = &index->items[i];
    for (uint32_t o = item->first_occurrence; o < index->items[i + 1].first_occurrence; o++) {
      if (index->occurrences[o].symbol != symbol)
        continue;
      if (!visit((Place){ chunk, i, o }, o - item->first_occurrence < item->def_count, context))
        return false;
    }
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

typedef struct DefinitionSearch {
  Place from;
  Place found;
  bool has_found;
} DefinitionSearch;

static bool is_before(Place a, Place b)
{
  return a.chunk != b.chunk ? a.chunk < b.chunk : a.item <= b.item;
}

static bool search_definition(Place place, bool is_definition, void *context)
{
  DefinitionSearch *search = context;
  if (!is_definition)
    return true;
  bool before = is_before(place, search->from);
  if (before || !search->has_found) {
    search->found = place;
    search->has_found = true;
  }
  return before;  // Behind the use nothing nearer can come.
}

bool dump_find_definition(const Dump *dump, uint32_t graph, Str name, Place from, Place *ret_place)
{
  DefinitionSearch search = { .from = from };
  dump_each_occurrence(dump, graph, name, search_definition, &search);
  if (search.has_found)
    *ret_place = search.found;
  return search.has_found;
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
