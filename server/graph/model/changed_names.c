#include "graph/model/changed_names.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/search.h"

static void add_definitions(const DumpIndex *index, ChunkChange change, HashVec *names)
{
  for (uint32_t i = change.first; i < change.end; i++) {
    const Item *item = &index->items[i];
    for (uint32_t k = 0; k < item->def_count; k++)
      vec_push(names, index->symbols[index->occurrences[item->first_occurrence + k].symbol].hash);
  }
}

bool changed_names_find(const Dump *dump, const Dump *previous, ChangeVec *changes, HashVec *names)
{
  bool is_small = true;
  vec_append(names, dump->changed_names, dump->changed_count);
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (dump->chunks[c]->index == previous->chunks[c]->index)
      continue;
    ChunkChange change = trace_chunk_change(previous->chunks[c], dump->chunks[c], c);
    vec_push(changes, change);
    is_small = is_small && change.end != UINT32_MAX && change.end <= change.first + CHANGED_LINE_LIMIT;
    if (!is_small)
      continue;
    add_definitions(previous->chunks[c]->index, change, names);
    add_definitions(dump->chunks[c]->index, change, names);
  }
  return is_small;
}

/// Marks the symbols of a segment that have the hash; false if there is none.
static bool mark_symbols(const DumpIndex *index, const Segment *segment, uint32_t hash, bool *is_marked)
{
  uint32_t at, end = segment->first_symbol + segment->symbol_count;
  SEARCH_FIRST(at, segment->first_symbol, end, index->symbols[at].hash < hash);
  bool any = false;
  for (; at < end && index->symbols[at].hash == hash; at++)
    is_marked[at] = any = true;
  return any;
}

static bool mark_names(const HashVec *names, const DumpIndex *index, bool *is_marked)
{
  bool any = false;
  for (uint32_t s = 0; s < index->segment_count; s++) {
    for (size_t i = 0; i < names->count; i++)
      any |= mark_symbols(index, &index->segments[s], names->items[i], is_marked);
  }
  return any;
}

/// The number of an operator of the chunk; NO_OP if it has none of that name.
static uint32_t find_op(const ChunkState *chunk, Str name)
{
  for (uint32_t i = 0; i < chunk->index->op_count; i++) {
    if (str_equal(dump_op_name(chunk->index, chunk_text(chunk), i), name))
      return i;
  }
  return NO_OP;
}

/// Whether the item uses a marked name; what it defines is no use.
static bool uses_marked(const DumpIndex *index, const Item *item, const bool *is_marked)
{
  for (uint32_t o = item->first_occurrence + item->def_count; o < item[1].first_occurrence; o++) {
    if (is_marked[index->occurrences[o].symbol])
      return true;
  }
  return false;
}

void changed_names_add_users(const HashVec *names, const ChunkState *chunk, ItemVec *items)
{
  const DumpIndex *index = chunk->index;
  bool *is_marked = xcalloc(index->symbol_count + 1, sizeof(*is_marked));
  uint32_t list_op = find_op(chunk, STR("prim::ListConstruct"));
  uint32_t end = mark_names(names, index, is_marked) ? index->item_count : 0;
  for (uint32_t i = 0; i < end; i++) {
    const Item *item = &index->items[i];
    if (!uses_marked(index, item, is_marked))
      continue;
    vec_push(items, i);
    if (item->op == list_op && item->op != NO_OP && item->def_count > 0)
      is_marked[index->occurrences[item->first_occurrence].symbol] = true;
  }
  free(is_marked);
}
