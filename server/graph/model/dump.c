#include "graph/model/dump.h"

#include "base/limits.h"
#include "base/search.h"
#include "graph/model/dump_private.h"

// --- Chunk states ---

static ChunkState *chunk_state_new(TextChunk *text, DumpIndex *index)
{
  ChunkState *state = xcalloc(1, sizeof(*state));
  state->references = 1;
  state->text = text_chunk_retain(text);
  state->index = dump_index_retain(index);
  return state;
}

static ChunkState *chunk_state_retain(ChunkState *state)
{
  atomic_fetch_add_explicit(&state->references, 1, memory_order_relaxed);
  return state;
}

static void chunk_state_release(ChunkState *state)
{
  if (!state || atomic_fetch_sub_explicit(&state->references, 1, memory_order_acq_rel) != 1)
    return;
  text_chunk_release(state->text);
  dump_index_release(state->index);
  free(state->links);
  free(state->faults);
  free(state);
}

/// Position of the first link whose symbol is not below `symbol`.
static uint32_t link_lower_bound(const NameLink *links, uint32_t count, uint32_t symbol)
{
  uint32_t at;
  SEARCH_FIRST(at, 0, count, links[at].symbol < symbol);
  return at;
}

const NameLink *dump_chunk_link(const ChunkState *chunk, uint32_t symbol)
{
  uint32_t at = link_lower_bound(chunk->links, chunk->link_count, symbol);
  return at < chunk->link_count && chunk->links[at].symbol == symbol ? &chunk->links[at] : NULL;
}

// --- What an edit changed ---

typedef struct ChangedName {
  uint32_t graph;
  Str name;  ///< In a chunk of the old or the new dump.
  uint32_t hash;
} ChangedName;

typedef struct Relinker {
  Dump *dump;
  const Dump *previous;
  NameLinkList *links;  ///< By chunk; empty until is_own: then the links are those of `previous`.
  bool *is_own;
  Vec(ChangedName) changed;
  Vec(NameSpot) spots;
  Vec(NameLink) linked;
} Relinker;

/// Whether two versions of a chunk divide and nest alike.
static bool same_structure(const DumpIndex *a, const DumpIndex *b)
{
  if (a->segment_count != b->segment_count || a->open_count != b->open_count)
    return false;
  for (uint32_t i = 0; i < a->open_count; i++) {
    if (a->open_headers[i].indent != b->open_headers[i].indent)
      return false;
  }
  for (uint32_t i = 0; i < a->segment_count; i++) {
    const Segment *x = &a->segments[i];
    const Segment *y = &b->segments[i];
    if (x->flags != y->flags || x->min_indent != y->min_indent || x->first_indent != y->first_indent ||
        (x->item_count > 0) != (y->item_count > 0) || x->open_count != y->open_count)
      return false;
  }
  return true;
}

/// Whether the links of `previous` may be taken over, but for the names that the edit touched.
static bool can_relink(const Dump *dump, const Dump *previous)
{
  if (!previous || previous->chunk_count != dump->chunk_count || previous->graph_count != dump->graph_count)
    return false;
  uint32_t edited = 0;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    const DumpIndex *before = previous->chunks[c]->index;
    if (index != before && (++edited > EDITED_CHUNK_LIMIT || !same_structure(index, before)))
      return false;
  }
  return true;
}

static void add_changed(Relinker *relinker, uint32_t graph, const ChunkState *chunk, uint32_t symbol)
{
  Str name = dump_symbol_name(chunk->index, chunk_text(chunk), symbol);
  vec_push(&relinker->changed, (ChangedName){ graph, name, chunk->index->symbols[symbol].hash });
}

static int compare_symbols(const ChunkState *a, uint32_t i, const ChunkState *b, uint32_t k)
{
  uint32_t x = a->index->symbols[i].hash;
  uint32_t y = b->index->symbols[k].hash;
  if (x != y)
    return x < y ? -1 : 1;
  return str_compare(dump_symbol_name(a->index, chunk_text(a), i), dump_symbol_name(b->index, chunk_text(b), k));
}

static bool same_meaning(const DumpSymbol *a, const DumpSymbol *b)
{
  return a->flags == b->flags && a->open == b->open && a->outer == b->outer;
}

/// Finds the names of a segment that came, went, or are defined or used otherwise than before. Names that share a hash
/// are in no order, so a rare one may be among them without need, which only costs a look-up.
static void compare_segments(Relinker *relinker, uint32_t c, uint32_t s)
{
  const ChunkState *old = relinker->previous->chunks[c];
  const ChunkState *new = relinker->dump->chunks[c];
  uint32_t graph = dump_graph_of(relinker->dump, c, s);
  const Segment *x = &old->index->segments[s];
  const Segment *y = &new->index->segments[s];
  uint32_t i = x->first_symbol;
  uint32_t k = y->first_symbol;
  uint32_t i_end = i + x->symbol_count;
  uint32_t k_end = k + y->symbol_count;
  while (i < i_end || k < k_end) {
    int order = i == i_end ? 1 : k == k_end ? -1 : compare_symbols(old, i, new, k);
    if (order < 0)
      add_changed(relinker, graph, old, i++);
    else if (order > 0)
      add_changed(relinker, graph, new, k++);
    else if (same_meaning(&old->index->symbols[i++], &new->index->symbols[k++]))
      continue;
    else
      add_changed(relinker, graph, new, k - 1);
  }
}

// --- Linking after an edit ---

static void insert_link(NameLinkList *list, uint32_t at, NameLink link)
{
  vec_push(list, link);
  memmove(list->items + at + 1, list->items + at, (list->count - 1 - at) * sizeof(link));
  list->items[at] = link;
}

static bool same_link(const NameLink *a, const NameLink *b)
{
  return a->def_chunk == b->def_chunk && a->next_chunk == b->next_chunk && a->indent == b->indent &&
         a->flags == b->flags;
}

static void own_links(Relinker *relinker, uint32_t c)
{
  if (relinker->is_own[c])
    return;
  const ChunkState *old = relinker->previous->chunks[c];
  vec_append(&relinker->links[c], old->links, old->link_count);
  relinker->is_own[c] = true;
}

/// Stores the link of a symbol, or, with NULL, that it has none.
static void store_link(Relinker *relinker, uint32_t c, uint32_t symbol, const NameLink *link)
{
  const ChunkState *old = relinker->previous->chunks[c];
  NameLinkList *own = &relinker->links[c];
  const NameLink *links = relinker->is_own[c] ? own->items : old->links;
  uint32_t count = relinker->is_own[c] ? (uint32_t)own->count : old->link_count;
  uint32_t at = link_lower_bound(links, count, symbol);
  bool is_there = at < count && links[at].symbol == symbol;
  if (link ? is_there && same_link(&links[at], link) : !is_there)
    return;
  own_links(relinker, c);
  if (!link)
    memmove(own->items + at, own->items + at + 1, (--own->count - at) * sizeof(*link));
  else if (is_there)
    own->items[at] = *link;
  else
    insert_link(own, at, *link);
}

/// An edited chunk begins with the links that its names had; those of changed names are put right afterwards.
static void carry_links(Relinker *relinker, uint32_t c)
{
  const ChunkState *old = relinker->previous->chunks[c];
  const ChunkState *new = relinker->dump->chunks[c];
  uint32_t last = old->index->segment_count - 1;
  NameLinkList *own = &relinker->links[c];
  relinker->is_own[c] = true;
  for (uint32_t i = 0; i < old->link_count; i++) {
    NameLink link = old->links[i];
    uint32_t segment = link.symbol < old->index->segments[last].first_symbol ? 0 : last;
    Str name = dump_symbol_name(old->index, chunk_text(old), link.symbol);
    uint32_t hash = old->index->symbols[link.symbol].hash;
    link.symbol = dump_index_find(new->index, chunk_text(new), segment, name, hash);
    if (link.symbol != NO_SYMBOL)
      insert_link(own, link_lower_bound(own->items, (uint32_t)own->count, link.symbol), link);
  }
}

static void relink_name(Relinker *relinker, const ChangedName *name)
{
  const Dump *dump = relinker->dump;
  const Graph *graph = &dump->graphs[name->graph];
  vec_clear(&relinker->spots);
  for (uint32_t c = graph->first_chunk; c <= graph->last_chunk; c++) {
    const ChunkState *chunk = dump->chunks[c];
    uint32_t symbol = dump_index_find(chunk->index, chunk_text(chunk), graph_segment(graph, c), name->name, name->hash);
    if (symbol != NO_SYMBOL)
      vec_push(&relinker->spots, (NameSpot){ c, symbol });
  }
  size_t count = relinker->spots.count;
  vec_reserve(&relinker->linked, count);
  dump_link_name(dump, graph, relinker->spots.items, count, relinker->linked.items);
  for (size_t i = 0; i < count; i++) {
    const NameSpot *spot = &relinker->spots.items[i];
    store_link(relinker, spot->chunk, spot->symbol, count > 1 ? &relinker->linked.items[i] : NULL);
  }
}

static void keep_changed_names(Relinker *relinker)
{
  Dump *dump = relinker->dump;
  dump->is_patched = true;
  dump->changed_count = (uint32_t)relinker->changed.count;
  dump->changed_names = xcalloc(relinker->changed.count, sizeof(*dump->changed_names));
  for (size_t i = 0; i < relinker->changed.count; i++)
    dump->changed_names[i] = relinker->changed.items[i].hash;
}

/// Returns false when so much changed that linking everything is cheaper.
static bool relink(Relinker *relinker)
{
  const Dump *dump = relinker->dump;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    if (index == relinker->previous->chunks[c]->index)
      continue;
    compare_segments(relinker, c, 0);
    if (index->segment_count > 1)
      compare_segments(relinker, c, index->segment_count - 1);
    if (relinker->changed.count > CHANGED_NAME_LIMIT)
      return false;
  }
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (dump->chunks[c]->index != relinker->previous->chunks[c]->index)
      carry_links(relinker, c);
  }
  for (size_t i = 0; i < relinker->changed.count; i++)
    relink_name(relinker, &relinker->changed.items[i]);
  keep_changed_names(relinker);
  return true;
}

static void link_everything(Relinker *relinker)
{
  memset(relinker->is_own, true, relinker->dump->chunk_count * sizeof(*relinker->is_own));
  dump_link_all(relinker->dump, relinker->links);
}

/// Chunks with links of their own are checked; the others stay as they were.
static void finish_chunks(Relinker *relinker)
{
  Dump *dump = relinker->dump;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (!relinker->is_own[c])
      continue;
    ChunkState *shared = dump->chunks[c];
    ChunkState *state = chunk_state_new(shared->text, shared->index);
    dump->chunks[c] = state;
    chunk_state_release(shared);
    state->link_count = (uint32_t)relinker->links[c].count;
    state->links = vec_take(&relinker->links[c]);
    dump_find_faults(dump, c, &state->faults, &state->fault_count);
  }
}

Dump *dump_new(TextChunk *const *texts, DumpIndex *const *indexes, uint32_t count, const Dump *previous)
{
  Dump *dump = xcalloc(1, sizeof(*dump));
  dump->chunk_count = count;
  dump->chunks = xcalloc(count, sizeof(*dump->chunks));
  for (uint32_t c = 0; c < count; c++) {
    bool is_known = previous && c < previous->chunk_count && previous->chunks[c]->index == indexes[c];
    dump->chunks[c] = is_known ? chunk_state_retain(previous->chunks[c]) : chunk_state_new(texts[c], indexes[c]);
  }
  dump_compose(dump);

  Relinker relinker = { .dump = dump, .previous = previous };
  relinker.links = xcalloc(count, sizeof(*relinker.links));
  relinker.is_own = xcalloc(count, sizeof(*relinker.is_own));
  if (!can_relink(dump, previous) || !relink(&relinker))
    link_everything(&relinker);
  finish_chunks(&relinker);
  free(relinker.links);
  free(relinker.is_own);
  vec_free(&relinker.changed);
  vec_free(&relinker.spots);
  vec_free(&relinker.linked);
  return dump;
}

void dump_free(Dump *dump)
{
  if (!dump)
    return;
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    chunk_state_release(dump->chunks[c]);
  free(dump->chunks);
  free(dump->frames);
  free(dump->blocks);
  free(dump->graphs);
  free(dump->changed_names);
  free(dump);
}
