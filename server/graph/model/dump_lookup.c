// Look-ups of one name across the chunks of its graph: no table of the whole document is kept, because a name's links
// lead from chunk to chunk, and asking a chunk's sorted symbols takes a microsecond.

#include "base/search.h"
#include "graph/model/dump_private.h"

static Str name_in(const ChunkState *chunk, uint32_t symbol)
{
  return dump_symbol_name(chunk->index, chunk_text(chunk), symbol);
}

bool dump_first_item(const Dump *dump, const Graph *graph, Place *ret_place)
{
  for (uint32_t chunk = graph->first_chunk; chunk <= graph->last_chunk; chunk++) {
    const Segment *segment = &dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)];
    if (segment->item_count > 0) {
      *ret_place = (Place){ .chunk = chunk, .item = segment->first_item };
      return true;
    }
  }
  return false;
}

static uint32_t find_in(const Dump *dump, const Graph *graph, uint32_t chunk, Str name, uint32_t hash)
{
  const ChunkState *state = dump->chunks[chunk];
  return dump_index_find(state->index, chunk_text(state), graph_segment(graph, chunk), name, hash);
}

// --- Definitions within a chunk ---

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

/// The same of the symbol's first definition, found by where it starts: a line may define tens of thousands of names.
static bool first_defined_on(const DumpIndex *index, uint32_t item, uint32_t symbol, uint32_t *ret_occurrence)
{
  uint32_t first = index->items[item].first_occurrence;
  uint32_t end = first + index->items[item].def_count;
  SEARCH_FIRST(*ret_occurrence, first, end, index->occurrences[*ret_occurrence].start < index->symbols[symbol].start);
  bool is_there = *ret_occurrence < end && index->occurrences[*ret_occurrence].symbol == symbol;
  return is_there || defined_on(index, item, symbol, ret_occurrence);
}

/// The first definition of a symbol that has one.
static Place first_definition(const ChunkState *chunk, uint32_t chunk_number, uint32_t symbol)
{
  const DumpIndex *index = chunk->index;
  Place place = { .chunk = chunk_number };
  // A damaged line may have more than one item.
  place.item = dump_index_item_at(index, text_chunk_line_of(chunk->text, index->symbols[symbol].start));
  while (!first_defined_on(index, place.item, symbol, &place.occurrence))
    place.item++;
  return place;
}

/// The last definition of a symbol before item `limit`.
static bool last_definition(const Dump *dump, uint32_t chunk, uint32_t symbol, uint32_t limit, Place *ret_place)
{
  const DumpIndex *index = dump->chunks[chunk]->index;
  if (!(index->symbols[symbol].flags & SYMBOL_DEFINED))
    return false;
  Place place = first_definition(dump->chunks[chunk], chunk, symbol);
  if (place.item >= limit)
    return false;
  if (index->symbols[symbol].flags & SYMBOL_DEFINED_TWICE) {
    uint32_t end = limit < index->item_count ? limit : index->item_count;
    for (uint32_t item = end - 1; item > place.item; item--) {
      if (defined_on(index, item, symbol, &place.occurrence)) {
        place.item = item;
        break;
      }
    }
  }
  *ret_place = place;
  return true;
}

// --- Definitions across chunks ---

/// The nearest definition in a chunk that is known to have one: its last one if it lies before `from`, else its first.
static Place definition_in(const Dump *dump, const Graph *graph, uint32_t chunk, uint32_t from, Str name, uint32_t hash)
{
  uint32_t symbol = find_in(dump, graph, chunk, name, hash);
  Place place = first_definition(dump->chunks[chunk], chunk, symbol);
  if (chunk < from)
    last_definition(dump, chunk, symbol, UINT32_MAX, &place);
  return place;
}

/// The definition of a name that the chunk has, too; `limit` is the first item of the chunk that counts as after.
static bool find_from_symbol(const Dump *dump, const Graph *graph, uint32_t chunk, uint32_t symbol, uint32_t limit,
                             Place *ret_place)
{
  const ChunkState *state = dump->chunks[chunk];
  if (last_definition(dump, chunk, symbol, limit, ret_place))
    return true;
  const NameLink *link = dump_chunk_link(state, symbol);
  bool is_before = link && link->def_chunk != NO_CHUNK && link->def_chunk < chunk;
  if (!is_before && (state->index->symbols[symbol].flags & SYMBOL_DEFINED)) {
    *ret_place = first_definition(state, chunk, symbol);
    return true;
  }
  if (!link || link->def_chunk == NO_CHUNK)
    return false;
  *ret_place =
      definition_in(dump, graph, link->def_chunk, chunk, name_in(state, symbol), state->index->symbols[symbol].hash);
  return true;
}

/// Whether the occurrence of the place is a use on its line. What the line itself defines is visible after it only.
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
  uint32_t hash = str_hash(name);
  uint32_t limit = from.item + !is_use(dump, from);
  // From the nearest chunk before that has the name, its links lead on; else from the first after.
  uint32_t after = from.chunk < g->last_chunk ? from.chunk + 1 : g->last_chunk + 1;
  for (uint32_t chunk = after; chunk-- > g->first_chunk;) {
    uint32_t symbol = find_in(dump, g, chunk, name, hash);
    if (symbol != NO_SYMBOL)
      return find_from_symbol(dump, g, chunk, symbol, chunk == from.chunk ? limit : UINT32_MAX, ret_place);
  }
  for (uint32_t chunk = after > g->first_chunk ? after : g->first_chunk; chunk <= g->last_chunk; chunk++) {
    uint32_t symbol = find_in(dump, g, chunk, name, hash);
    if (symbol != NO_SYMBOL)
      return find_from_symbol(dump, g, chunk, symbol, 0, ret_place);
  }
  return false;
}

bool dump_definition_of(const Dump *dump, uint32_t graph, Place use, Place *ret_place)
{
  uint32_t symbol = dump->chunks[use.chunk]->index->occurrences[use.occurrence].symbol;
  uint32_t limit = use.item + !is_use(dump, use);
  return find_from_symbol(dump, &dump->graphs[graph], use.chunk, symbol, limit, ret_place);
}

// --- Occurrences ---

/// Visits the occurrences in one chunk; false if `visit` asked to stop.
static bool each_in_chunk(const Dump *dump, const Graph *graph, uint32_t chunk, uint32_t symbol,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context)
{
  const DumpIndex *index = dump->chunks[chunk]->index;
  const Segment *part = graph_part(dump, graph, chunk);
  uint32_t i = part->first_item;
  uint32_t end = index->items[i + part->item_count].first_occurrence;
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

static uint32_t next_chunk_of(const ChunkState *chunk, uint32_t symbol)
{
  const NameLink *link = dump_chunk_link(chunk, symbol);
  return link ? link->next_chunk : NO_CHUNK;
}

void dump_each_occurrence(const Dump *dump, uint32_t graph, Str name,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context)
{
  const Graph *g = &dump->graphs[graph];
  uint32_t hash = str_hash(name);
  uint32_t symbol = NO_SYMBOL;
  uint32_t chunk = g->first_chunk;
  while (chunk <= g->last_chunk && (symbol = find_in(dump, g, chunk, name, hash)) == NO_SYMBOL)
    chunk++;
  while (symbol != NO_SYMBOL && each_in_chunk(dump, g, chunk, symbol, visit, context)) {
    chunk = next_chunk_of(dump->chunks[chunk], symbol);
    symbol = chunk == NO_CHUNK ? NO_SYMBOL : find_in(dump, g, chunk, name, hash);
  }
}

size_t dump_count_uses(const Dump *dump, uint32_t graph, Str name)
{
  const Graph *g = &dump->graphs[graph];
  uint32_t hash = str_hash(name);
  size_t count = 0;
  for (uint32_t chunk = g->first_chunk; chunk <= g->last_chunk; chunk++) {
    uint32_t symbol = find_in(dump, g, chunk, name, hash);
    if (symbol != NO_SYMBOL)
      count += dump->chunks[chunk]->index->symbols[symbol].use_count;
  }
  return count;
}

/// How many uses there are to find; where the name is defined again, that is to be found, too.
static uint32_t uses_left(const DumpSymbol *symbol, unsigned redefined)
{
  return symbol->flags & redefined ? UINT32_MAX : symbol->use_count;
}

UseCursor dump_uses_after(const Dump *dump, Place definition)
{
  const DumpIndex *index = dump->chunks[definition.chunk]->index;
  uint32_t symbol = index->occurrences[definition.occurrence].symbol;
  return (UseCursor){
    .chunk = definition.chunk,
    .symbol = symbol,
    .occurrence = index->items[definition.item + 1].first_occurrence,
    .end = NO_END,
    .left = uses_left(&index->symbols[symbol], SYMBOL_DEFINED_TWICE),
  };
}

/// The next use in the cursor's chunk. A line that defines the name anew may use what it meant before.
static bool next_use_in_chunk(const Dump *dump, const Graph *graph, UseCursor *cursor, Place *ret_place)
{
  const DumpIndex *index = dump->chunks[cursor->chunk]->index;
  const Segment *part = graph_part(dump, graph, cursor->chunk);
  uint32_t end = index->items[part->first_item + part->item_count].first_occurrence;
  while (cursor->left > 0 && cursor->occurrence < end && cursor->occurrence < cursor->end) {
    uint32_t o = cursor->occurrence++;
    if (index->occurrences[o].symbol != cursor->symbol)
      continue;
    Place place = { cursor->chunk, dump_index_item_of(index, o), o };
    if (is_use(dump, place)) {
      cursor->left--;
      *ret_place = place;
      return true;
    }
    cursor->end = index->items[place.item + 1].first_occurrence;
  }
  return false;
}

/// Where to begin to look for the uses of a name in a part of its graph: a line of very many names is not gone through
/// for each of them.
static uint32_t begin_of_uses(const Dump *dump, const Graph *graph, uint32_t chunk, uint32_t symbol)
{
  const ChunkState *state = dump->chunks[chunk];
  const DumpIndex *index = state->index;
  const DumpSymbol *name = &index->symbols[symbol];
  const Item *first = &index->items[graph_part(dump, graph, chunk)->first_item];
  uint32_t number = dump_index_item_at(index, text_chunk_line_of(state->text, name->start));
  if ((name->flags & SYMBOL_DEFINED) || number == NO_ITEM)
    return first->first_occurrence;
  const Item *item = &index->items[number];
  uint32_t at;
  SEARCH_FIRST(at, item->first_occurrence + item->def_count, item[1].first_occurrence,
               index->occurrences[at].start < name->start);
  bool is_found = at < item[1].first_occurrence && index->occurrences[at].symbol == symbol;
  return is_found ? at : first->first_occurrence;
}

bool dump_next_use(const Dump *dump, uint32_t graph, UseCursor *cursor, Place *ret_place)
{
  const Graph *g = &dump->graphs[graph];
  while (!next_use_in_chunk(dump, g, cursor, ret_place)) {
    const ChunkState *state = dump->chunks[cursor->chunk];
    uint32_t next = next_chunk_of(state, cursor->symbol);
    if (next == NO_CHUNK || cursor->end != NO_END)
      return false;
    uint32_t hash = state->index->symbols[cursor->symbol].hash;
    cursor->symbol = find_in(dump, g, next, name_in(state, cursor->symbol), hash);
    cursor->chunk = next;
    cursor->occurrence = begin_of_uses(dump, g, next, cursor->symbol);
    cursor->left = uses_left(&dump->chunks[next]->index->symbols[cursor->symbol], SYMBOL_DEFINED);
  }
  return true;
}
