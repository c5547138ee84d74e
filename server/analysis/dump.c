#include "analysis/dump.h"

#include "analysis/dump_private.h"
#include "base/vec.h"

/// After an edit of more chunks than this everything is linked anew.
enum { EDITED_CHUNK_LIMIT = 8, DIRTY_NAME_LIMIT = 2000 };

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
  atomic_fetch_add(&state->references, 1);
  return state;
}

static void chunk_state_release(ChunkState *state)
{
  if (!state || atomic_fetch_sub(&state->references, 1) != 1)
    return;
  text_chunk_release(state->text);
  dump_index_release(state->index);
  free(state->links);
  free(state->faults);
  free(state);
}

// --- Linking after an edit ---

typedef struct DirtyName {
  uint32_t graph;
  Str name;  ///< In a chunk of the old or the new dump.
  uint32_t hash;
} DirtyName;

typedef struct Relinker {
  Dump *dump;
  const Dump *previous;
  SymbolLink **links;  ///< By chunk; shared with `previous` until is_own.
  bool *is_own;
  Vec(DirtyName) dirty;
} Relinker;

/// Do two versions of a chunk divide and nest alike?
static bool same_structure(const DumpIndex *a, const DumpIndex *b)
{
  if (a == b)
    return true;
  if (a->segment_count != b->segment_count || a->open_count != b->open_count ||
      memcmp(a->open_indents, b->open_indents, a->open_count * sizeof(*a->open_indents)) != 0)
    return false;
  for (uint32_t i = 0; i < a->segment_count; i++) {
    const Segment *x = &a->segments[i];
    const Segment *y = &b->segments[i];
    if (x->flags != y->flags || x->min_indent != y->min_indent || x->first_indent != y->first_indent ||
        (x->item_count > 0) != (y->item_count > 0) || x->open_count != y->open_count)
      return false;
  }
  return true;
}

/// May the links of `previous` be taken over, but for the names that the edit touched?
static bool can_relink(const Dump *dump, const Dump *previous)
{
  if (!previous || previous->chunk_count != dump->chunk_count || previous->graph_count != dump->graph_count)
    return false;
  uint32_t edited = 0;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (dump->chunks[c]->index == previous->chunks[c]->index)
      continue;
    if (++edited > EDITED_CHUNK_LIMIT || !same_structure(dump->chunks[c]->index, previous->chunks[c]->index))
      return false;
  }
  return true;
}

static void add_dirty(Relinker *relinker, uint32_t graph, const ChunkState *chunk, uint32_t symbol)
{
  Str name = dump_symbol_name(chunk->index, chunk_text(chunk), symbol);
  vec_push(&relinker->dirty, (DirtyName){ graph, name, chunk->index->symbols[symbol].hash });
}

static int compare_symbols(const ChunkState *a, uint32_t i, const ChunkState *b, uint32_t k)
{
  uint32_t x = a->index->symbols[i].hash;
  uint32_t y = b->index->symbols[k].hash;
  if (x != y)
    return x < y ? -1 : 1;
  return str_compare(dump_symbol_name(a->index, chunk_text(a), i), dump_symbol_name(b->index, chunk_text(b), k));
}

/// Takes over the links of names that mean the same as before; the others become dirty. Names that share a hash stand
/// in no order, so a rare one may come out dirty without need, which only costs a look-up.
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
    if (order < 0) {
      add_dirty(relinker, graph, old, i++);
    } else if (order > 0) {
      add_dirty(relinker, graph, new, k++);
    } else {
      const DumpSymbol *a = &old->index->symbols[i];
      const DumpSymbol *b = &new->index->symbols[k];
      relinker->links[c][k] = old->links[i];
      if (a->flags != b->flags || a->indent != b->indent)
        add_dirty(relinker, graph, new, k);
      i++;
      k++;
    }
  }
}

static void store_link(uint32_t chunk, uint32_t symbol, SymbolLink link, void *context)
{
  Relinker *relinker = context;
  SymbolLink *now = &relinker->links[chunk][symbol];
  if (now->flags == link.flags && now->indent == link.indent)
    return;
  if (!relinker->is_own[chunk]) {
    size_t size = relinker->dump->chunks[chunk]->index->symbol_count * sizeof(SymbolLink);
    SymbolLink *copy = xmalloc(size);
    memcpy(copy, relinker->links[chunk], size);
    relinker->links[chunk] = copy;
    relinker->is_own[chunk] = true;
  }
  relinker->links[chunk][symbol] = link;
}

/// Returns false when so much changed that linking everything is cheaper.
static bool relink(Relinker *relinker)
{
  const Dump *dump = relinker->dump;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    relinker->links[c] = relinker->previous->chunks[c]->links;
    if (index == relinker->previous->chunks[c]->index)
      continue;
    relinker->links[c] = xcalloc(index->symbol_count, sizeof(SymbolLink));
    relinker->is_own[c] = true;
    compare_segments(relinker, c, 0);
    if (index->segment_count > 1)
      compare_segments(relinker, c, index->segment_count - 1);
  }
  if (relinker->dirty.count > DIRTY_NAME_LIMIT)
    return false;
  for (size_t i = 0; i < relinker->dirty.count; i++) {
    const DirtyName *name = &relinker->dirty.items[i];
    dump_link_name(dump, name->graph, name->name, name->hash, store_link, relinker);
  }
  return true;
}

static void link_everything(Relinker *relinker)
{
  const Dump *dump = relinker->dump;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (relinker->is_own[c])
      free(relinker->links[c]);
    relinker->links[c] = xcalloc(dump->chunks[c]->index->symbol_count, sizeof(SymbolLink));
    relinker->is_own[c] = true;
  }
  dump_link_all(dump, relinker->links);
}

/// Chunks with links of their own are checked; the others are those of `previous`.
static void finish_chunks(Relinker *relinker)
{
  Dump *dump = relinker->dump;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    if (!relinker->is_own[c]) {
      ChunkState *old = chunk_state_retain(relinker->previous->chunks[c]);
      chunk_state_release(dump->chunks[c]);
      dump->chunks[c] = old;
      continue;
    }
    ChunkState *state = dump->chunks[c];
    state->links = relinker->links[c];
    dump_find_faults(dump, c, state->links, &state->faults, &state->fault_count);
  }
}

Dump *dump_new(TextChunk *const *texts, DumpIndex *const *indexes, uint32_t count, const Dump *previous)
{
  Dump *dump = xcalloc(1, sizeof(*dump));
  dump->chunk_count = count;
  dump->chunks = xcalloc(count, sizeof(*dump->chunks));
  for (uint32_t c = 0; c < count; c++)
    dump->chunks[c] = chunk_state_new(texts[c], indexes[c]);
  dump_compose(dump);

  Relinker relinker = { .dump = dump, .previous = previous };
  relinker.links = xcalloc(count, sizeof(*relinker.links));
  relinker.is_own = xcalloc(count, sizeof(*relinker.is_own));
  if (!can_relink(dump, previous) || !relink(&relinker))
    link_everything(&relinker);
  finish_chunks(&relinker);
  free(relinker.links);
  free(relinker.is_own);
  vec_free(&relinker.dirty);
  return dump;
}

void dump_free(Dump *dump)
{
  if (!dump)
    return;
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    chunk_state_release(dump->chunks[c]);
  free(dump->chunks);
  free(dump->first_graph);
  free(dump->graphs);
  free(dump);
}
