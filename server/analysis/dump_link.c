// What a name of one chunk means in the other chunks of its graph. Everything at once for a new document, name by
// name after an edit; both give the same links, which tests/unit/test_dump.c and the fuzzers compare.

#include "analysis/dump_private.h"
#include "base/vec.h"

/// What is known of a name while the chunks of a graph are read in order.
typedef struct NameState {
  uint32_t hash;
  uint32_t chunk;  ///< Where the name stands, to compare it.
  uint32_t symbol;
  uint32_t def_chunk;  ///< First chunk that defines it; NO_CHUNK if none did so far.
  uint32_t def_symbol;
  uint32_t block;      ///< Serial of the block that holds the definition that can be seen; see is_visible().
  int16_t indent;      ///< Of that block's header, or INDENT_GRAPH.
  bool is_open;        ///< A definition was visible at the end of its chunk.
  uint32_t first_use;  ///< First chunk that uses it; NO_CHUNK if none did so far.
  bool used_by_many;   ///< More than one chunk uses it.
} NameState;

#define NO_CHUNK UINT32_MAX

typedef struct Block {
  int16_t indent;
  uint32_t serial;
} Block;

typedef struct Linker {
  const Dump *dump;
  SymbolLink **links;
  const Graph *graph;
  uint32_t *slots;      ///< Index + 1 into names.
  uint32_t slot_count;  ///< A power of two.
  Vec(NameState) names;
  Vec(Block) blocks;        ///< Open where the next chunk begins.
  Vec(uint32_t) in_blocks;  ///< Names whose visible definition is in a block of the chunk being read.
  uint32_t next_block;
} Linker;

static const Segment *graph_part(const Dump *dump, const Graph *graph, uint32_t chunk)
{
  return &dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)];
}

static Str name_of(const Dump *dump, uint32_t chunk, uint32_t symbol)
{
  return dump_symbol_name(dump->chunks[chunk]->index, chunk_text(dump->chunks[chunk]), symbol);
}

static NameState *find_name(Linker *linker, uint32_t chunk, uint32_t symbol)
{
  uint32_t hash = linker->dump->chunks[chunk]->index->symbols[symbol].hash;
  Str name = name_of(linker->dump, chunk, symbol);
  uint32_t at = hash & (linker->slot_count - 1);
  for (; linker->slots[at] != 0; at = (at + 1) & (linker->slot_count - 1)) {
    NameState *state = &linker->names.items[linker->slots[at] - 1];
    if (state->hash == hash && str_equal(name_of(linker->dump, state->chunk, state->symbol), name))
      return state;
  }
  vec_push(&linker->names,
           (NameState){ .hash = hash, .chunk = chunk, .symbol = symbol, .def_chunk = NO_CHUNK, .first_use = NO_CHUNK });
  linker->slots[at] = (uint32_t)linker->names.count;
  return vec_last(&linker->names);
}

static bool is_unindented(const Graph *graph)
{
  return graph->flags & SEGMENT_UNINDENTED;
}

/// Can a definition of the name be seen where the next chunk begins?
static bool is_visible(const Linker *linker, const NameState *state)
{
  if (!state->is_open || state->indent == INDENT_GRAPH)
    return state->is_open;
  for (size_t i = 0; i < linker->blocks.count; i++) {
    if (linker->blocks.items[i].serial == state->block)
      return true;
  }
  return false;
}

static uint32_t block_serial(const Linker *linker, int16_t indent)
{
  for (size_t i = 0; i < linker->blocks.count; i++) {
    if (linker->blocks.items[i].indent == indent)
      return linker->blocks.items[i].serial;
  }
  return 0;
}

/// The uses of a chunk see what earlier chunks define. `visible` tells whether that definition's block is still open.
static void link_uses(const DumpSymbol *s, uint32_t chunk, bool visible, NameState *state, SymbolLink *link)
{
  if (!(s->flags & SYMBOL_USED))
    return;
  if (state->def_chunk != NO_CHUNK) {
    link->flags |= visible ? LINK_BEFORE : LINK_HIDDEN;
    link->indent = visible ? state->indent : 0;
  }
  if (state->first_use == NO_CHUNK)
    state->first_use = chunk;
  else if (state->first_use != chunk)
    state->used_by_many = true;
}

/// A definition that can be seen before the chunk and through all of it stays the one that is seen; else it is the
/// chunk's own, if that is still visible at its end. Returns true if it is the chunk's own.
static bool link_definition(const DumpSymbol *s, uint32_t chunk, uint32_t symbol, const Segment *segment, bool visible,
                            bool unindented, NameState *state, SymbolLink *link)
{
  if (!(s->flags & SYMBOL_DEFINED))
    return false;
  if (state->def_chunk != NO_CHUNK) {
    link->flags |= LINK_DUPLICATE | LINK_USED;
  } else {
    state->def_chunk = chunk;
    state->def_symbol = symbol;
  }
  if (visible && (state->indent == INDENT_GRAPH || segment->min_indent > state->indent))
    return false;
  state->is_open = unindented || (s->flags & SYMBOL_OPEN);
  state->indent = unindented ? INDENT_GRAPH : s->indent;
  return true;
}

/// Does any chunk but the defining one use the name?
static bool is_used_elsewhere(const NameState *state)
{
  return state->first_use != NO_CHUNK && (state->first_use != state->def_chunk || state->used_by_many);
}

static bool is_used_before_defined(const NameState *state, const DumpSymbol *s, uint32_t chunk, SymbolLink link)
{
  return (s->flags & SYMBOL_IMPORTED) && !(link.flags & (LINK_BEFORE | LINK_HIDDEN)) && state->def_chunk != NO_CHUNK &&
         state->def_chunk > chunk;
}

/// The blocks that are open behind a chunk, from those before it and its segment.
static void pass_blocks(Linker *linker, uint32_t chunk, const Segment *segment)
{
  while (linker->blocks.count > 0 && vec_last(&linker->blocks)->indent >= segment->min_indent)
    linker->blocks.count--;
  const int16_t *open = linker->dump->chunks[chunk]->index->open_indents + segment->first_open;
  for (uint32_t i = 0; i < segment->open_count; i++)
    vec_push(&linker->blocks, (Block){ open[i], linker->next_block++ });
}

static void link_chunk(Linker *linker, uint32_t chunk)
{
  const Segment *segment = graph_part(linker->dump, linker->graph, chunk);
  const DumpSymbol *symbols = linker->dump->chunks[chunk]->index->symbols;
  vec_clear(&linker->in_blocks);
  for (uint32_t i = 0; i < segment->symbol_count; i++) {
    uint32_t symbol = segment->first_symbol + i;
    NameState *state = find_name(linker, chunk, symbol);
    SymbolLink *link = &linker->links[chunk][symbol];
    bool visible = is_visible(linker, state);
    link_uses(&symbols[symbol], chunk, visible, state, link);
    if (link_definition(&symbols[symbol], chunk, symbol, segment, visible, is_unindented(linker->graph), state, link) &&
        state->is_open && state->indent != INDENT_GRAPH)
      vec_push(&linker->in_blocks, (uint32_t)(state - linker->names.items));
  }
  pass_blocks(linker, chunk, segment);
  // Only now are the blocks known in which this chunk's definitions stay visible.
  for (size_t i = 0; i < linker->in_blocks.count; i++) {
    NameState *state = &linker->names.items[linker->in_blocks.items[i]];
    state->block = block_serial(linker, state->indent);
  }
}

/// What is known only when the whole graph was read: later definitions, and uses behind the definition.
static void link_afterwards(Linker *linker)
{
  for (uint32_t chunk = linker->graph->first_chunk; chunk <= linker->graph->last_chunk; chunk++) {
    const Segment *segment = graph_part(linker->dump, linker->graph, chunk);
    const DumpSymbol *symbols = linker->dump->chunks[chunk]->index->symbols;
    for (uint32_t i = 0; i < segment->symbol_count; i++) {
      uint32_t symbol = segment->first_symbol + i;
      SymbolLink *link = &linker->links[chunk][symbol];
      if (!(symbols[symbol].flags & SYMBOL_IMPORTED) || (link->flags & (LINK_BEFORE | LINK_HIDDEN)))
        continue;
      if (is_used_before_defined(find_name(linker, chunk, symbol), &symbols[symbol], chunk, *link))
        link->flags |= LINK_LATER;
    }
  }
  for (size_t i = 0; i < linker->names.count; i++) {
    const NameState *state = &linker->names.items[i];
    if (state->def_chunk != NO_CHUNK && is_used_elsewhere(state))
      linker->links[state->def_chunk][state->def_symbol].flags |= LINK_USED;
  }
}

static void link_graph(const Dump *dump, SymbolLink **links, const Graph *graph)
{
  Linker linker = { .dump = dump, .links = links, .graph = graph, .next_block = 1 };
  size_t symbols = 0;
  for (uint32_t chunk = graph->first_chunk; chunk <= graph->last_chunk; chunk++)
    symbols += graph_part(dump, graph, chunk)->symbol_count;
  linker.slot_count = 64;
  while (linker.slot_count < symbols * 2)
    linker.slot_count *= 2;
  linker.slots = xcalloc(linker.slot_count, sizeof(*linker.slots));
  for (uint32_t chunk = graph->first_chunk; chunk <= graph->last_chunk; chunk++)
    link_chunk(&linker, chunk);
  link_afterwards(&linker);
  free(linker.slots);
  vec_free(&linker.names);
  vec_free(&linker.blocks);
  vec_free(&linker.in_blocks);
}

void dump_link_all(const Dump *dump, SymbolLink **links)
{
  for (uint32_t g = 0; g < dump->graph_count; g++) {
    if (dump->graphs[g].first_chunk < dump->graphs[g].last_chunk)
      link_graph(dump, links, &dump->graphs[g]);
  }
}

/// One pass of dump_link_name(): `final` is what is known behind the last chunk, or NULL in the first pass.
static NameState pass_name(const Dump *dump, const Graph *graph, Str name, uint32_t hash, const NameState *final,
                           void (*store)(uint32_t chunk, uint32_t symbol, SymbolLink link, void *context),
                           void *context)
{
  NameState state = { .hash = hash, .def_chunk = NO_CHUNK, .first_use = NO_CHUNK };
  for (uint32_t chunk = graph->first_chunk; chunk <= graph->last_chunk; chunk++) {
    const DumpIndex *index = dump->chunks[chunk]->index;
    const Segment *segment = graph_part(dump, graph, chunk);
    uint32_t symbol = dump_index_find(index, chunk_text(dump->chunks[chunk]), graph_segment(graph, chunk), name, hash);
    bool defines_anew = false;
    if (symbol != NO_SYMBOL) {
      const DumpSymbol *s = &index->symbols[symbol];
      SymbolLink link = { 0 };
      bool visible = state.is_open;
      link_uses(s, chunk, visible, &state, &link);
      defines_anew = link_definition(s, chunk, symbol, segment, visible, is_unindented(graph), &state, &link);
      if (final && is_used_before_defined(final, s, chunk, link))
        link.flags |= LINK_LATER;
      if (final && final->def_chunk == chunk && final->def_symbol == symbol && is_used_elsewhere(final))
        link.flags |= LINK_USED;
      if (final)
        store(chunk, symbol, link, context);
    }
    if (!defines_anew && state.indent != INDENT_GRAPH && segment->min_indent <= state.indent)
      state.is_open = false;
  }
  return state;
}

void dump_link_name(const Dump *dump, uint32_t graph, Str name, uint32_t hash,
                    void (*store)(uint32_t chunk, uint32_t symbol, SymbolLink link, void *context), void *context)
{
  const Graph *g = &dump->graphs[graph];
  if (g->first_chunk == g->last_chunk)
    return;
  NameState final = pass_name(dump, g, name, hash, NULL, store, context);
  pass_name(dump, g, name, hash, &final, store, context);
}
