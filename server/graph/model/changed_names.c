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

/// Marks the symbols of a segment that have the hash; returns how many uses they have.
static uint32_t mark_symbols(const DumpIndex *index, const Segment *segment, uint32_t hash, bool *is_marked)
{
  uint32_t at, end = segment->first_symbol + segment->symbol_count;
  SEARCH_FIRST(at, segment->first_symbol, end, index->symbols[at].hash < hash);
  uint32_t uses = 0;
  for (; at < end && index->symbols[at].hash == hash; at++) {
    uses += is_marked[at] ? 0 : index->symbols[at].use_count;
    is_marked[at] = true;
  }
  return uses;
}

static uint32_t mark_names(const HashVec *names, const DumpIndex *index, bool *is_marked)
{
  uint32_t uses = 0;
  for (uint32_t s = 0; s < index->segment_count; s++) {
    for (size_t i = 0; i < names->count; i++)
      uses += mark_symbols(index, &index->segments[s], names->items[i], is_marked);
  }
  return uses;
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

/// For which arguments the item uses marked names; what it defines is no use.
static ArgumentBits marked_arguments(const DumpIndex *index, const Item *item, const bool *is_marked)
{
  ArgumentBits marked = 0;
  uint32_t first = item->first_occurrence + item->def_count;
  for (uint32_t o = first; o < item[1].first_occurrence; o++) {
    if (is_marked[index->occurrences[o].symbol])
      marked |= argument_bit(o - first);
  }
  return marked;
}

/// Users of marked names, as far as they are found.
typedef struct Users {
  const DumpIndex *index;
  bool *is_marked;   ///< By symbol.
  uint32_t uses;     ///< Of the names that were marked at first.
  uint32_t list_op;  ///< NO_OP if there is none.
  const ArgumentBits *looked_at;
  ItemVec *items;
} Users;

/// Whether the faults of a chunk are all uses of the names; then their lines are added, unless lists are among them.
static bool add_faulty(const Users *users, const ChunkState *chunk)
{
  const DumpIndex *index = users->index;
  uint32_t uses = 0;
  size_t first = users->items->count;
  bool has_list = false;
  for (uint32_t i = 0; i < chunk->fault_count && !has_list; i++) {
    const Fault *fault = &chunk->faults[i];
    if (fault->kind != FAULT_UNDEFINED || !users->is_marked[index->occurrences[fault->occurrence].symbol])
      continue;
    const Item *item = &index->items[fault->item];
    uint32_t argument = fault->occurrence - item->first_occurrence - item->def_count;
    bool is_new = users->items->count == first || *vec_last(users->items) != fault->item;
    uses++;
    has_list = item->op != NO_OP && item->op == users->list_op;
    if (item->op != NO_OP && (users->looked_at[item->op] & argument_bit(argument)) && is_new)
      vec_push(users->items, fault->item);
  }
  if (!has_list && uses == users->uses)
    return true;
  users->items->count = first;
  return false;
}

static void add_found(const Users *users)
{
  const DumpIndex *index = users->index;
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    if (item->op == NO_OP)
      continue;
    bool is_list = item->op == users->list_op && item->def_count > 0;
    if (!is_list && users->looked_at[item->op] == 0)
      continue;
    ArgumentBits marked = marked_arguments(index, item, users->is_marked);
    if (marked & users->looked_at[item->op])
      vec_push(users->items, i);
    if (is_list && marked)
      users->is_marked[index->occurrences[item->first_occurrence].symbol] = true;
  }
}

void changed_names_add_users(const HashVec *names, const ChunkState *chunk, const ChunkState *before,
                             const ArgumentBits *looked_at, ItemVec *items)
{
  const DumpIndex *index = chunk->index;
  Users users = { .index = index, .looked_at = looked_at, .items = items };
  users.is_marked = xcalloc(index->symbol_count + 1, sizeof(*users.is_marked));
  users.uses = mark_names(names, index, users.is_marked);
  if (users.uses > 0) {
    users.list_op = find_op(chunk, STR("prim::ListConstruct"));
    if (!add_faulty(&users, chunk) && !add_faulty(&users, before))
      add_found(&users);
  }
  free(users.is_marked);
}
