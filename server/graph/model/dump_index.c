#include "graph/model/dump_index.h"

#include <stdlib.h>

#include "base/search.h"

DumpIndex *dump_index_retain(DumpIndex *index)
{
  atomic_fetch_add(&index->references, 1);
  return index;
}

void chunk_notes_free(ChunkNotes *notes)
{
  if (notes)
    arena_done(&notes->arena);
  free(notes);
}

void dump_index_release(DumpIndex *index)
{
  if (!index || atomic_fetch_sub(&index->references, 1) != 1)
    return;
  chunk_notes_free(atomic_load(&index->notes));
  free(index);
}

/// Position among the segment's symbols of the first whose hash is not below `hash`.
static uint32_t lower_bound(const DumpSymbol *symbols, uint32_t count, uint32_t hash)
{
  uint32_t at;
  SEARCH_FIRST(at, 0, count, symbols[at].hash < hash);
  return at;
}

uint32_t dump_index_find(const DumpIndex *index, Str text, uint32_t segment, Str name, uint32_t hash)
{
  const Segment *s = &index->segments[segment];
  const DumpSymbol *symbols = index->symbols + s->first_symbol;
  for (uint32_t i = lower_bound(symbols, s->symbol_count, hash); i < s->symbol_count && symbols[i].hash == hash; i++) {
    if (str_equal(dump_symbol_name(index, text, s->first_symbol + i), name))
      return s->first_symbol + i;
  }
  return NO_SYMBOL;
}

uint32_t dump_index_segment_of(const DumpIndex *index, uint32_t item)
{
  // The last segment that begins at or before the item.
  uint32_t next;
  SEARCH_FIRST(next, 1, index->segment_count, index->segments[next].first_item <= item);
  return next - 1;
}

uint32_t dump_index_item_of(const DumpIndex *index, uint32_t occurrence)
{
  // The last item that begins at or before the occurrence; those before it with the same beginning have none.
  uint32_t next;
  SEARCH_FIRST(next, 1, index->item_count, index->items[next].first_occurrence <= occurrence);
  return next - 1;
}

uint32_t dump_index_item_at(const DumpIndex *index, uint32_t line)
{
  uint32_t at;
  SEARCH_FIRST(at, 0, index->item_count, index->items[at].line < line);
  return at < index->item_count && index->items[at].line == line ? at : NO_ITEM;
}
