#include "graph/model/dump_index.h"

#include <stdlib.h>

DumpIndex *dump_index_retain(DumpIndex *index)
{
  atomic_fetch_add(&index->references, 1);
  return index;
}

void dump_index_release(DumpIndex *index)
{
  if (index && atomic_fetch_sub(&index->references, 1) == 1)
    free(index);
}

/// Position among the segment's symbols of the first whose hash is not below `hash`.
static uint32_t lower_bound(const DumpSymbol *symbols, uint32_t count, uint32_t hash)
{
  uint32_t low = 0;
  uint32_t high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (symbols[middle].hash < hash)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
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
  uint32_t low = 0;
  uint32_t high = index->segment_count - 1;
  while (low < high) {
    uint32_t middle = low + (high - low + 1) / 2;
    if (index->segments[middle].first_item <= item)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

uint32_t dump_index_item_of(const DumpIndex *index, uint32_t occurrence)
{
  // The last item that begins at or before the occurrence; those before it with the same beginning have none.
  uint32_t low = 0;
  uint32_t high = index->item_count - 1;
  while (low < high) {
    uint32_t middle = low + (high - low + 1) / 2;
    if (index->items[middle].first_occurrence <= occurrence)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

uint32_t dump_index_item_at(const DumpIndex *index, uint32_t line)
{
  uint32_t low = 0;
  uint32_t high = index->item_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (index->items[middle].line < line)
      low = middle + 1;
    else
      high = middle;
  }
  return low < index->item_count && index->items[low].line == line ? low : NO_ITEM;
}
