// What a name of one chunk means in the other chunks of its graph. For a new document all names that are in more than
// one chunk are gathered first; after an edit only those that it touched are looked up. Both then link name by name.

#include "graph/model/dump_private.h"

// --- One name ---

/// What is known of a name while its chunks are read in order.
typedef struct NameState {
  uint32_t def_chunk;  ///< The last one that defines it; NO_CHUNK if none did so far.
  bool is_open;        ///< A definition was visible at the end of that chunk...
  uint32_t block;      ///< ...and lies in this block, the outermost one if there are several; or NO_BLOCK.
} NameState;

/// Whether the definition can be seen at the beginning of a chunk after it.
static bool is_visible(const Dump *dump, const NameState *state, uint32_t chunk)
{
  return state->is_open && (state->block == NO_BLOCK || dump->blocks[state->block].end_chunk >= chunk);
}

static int16_t block_indent(const Dump *dump, uint32_t block)
{
  return block == NO_BLOCK ? INDENT_GRAPH : dump->blocks[block].indent;
}

/// The chunk's own open block whose header has this indent; there is one.
static uint32_t own_block(const Dump *dump, uint32_t chunk, int16_t indent)
{
  uint32_t block = dump->frames[chunk].first_block;
  while (dump->blocks[block].indent != indent)
    block++;
  return block;
}

/// What can be seen of the chunk's own definitions at its end.
static NameState state_after(const Dump *dump, const Graph *graph, uint32_t chunk, const DumpSymbol *symbol)
{
  const ChunkFrame *frame = &dump->frames[chunk];
  NameState state = { .def_chunk = chunk, .is_open = true, .block = NO_BLOCK };
  // After the graph's end nobody asks, and the blocks of its last part are not kept.
  if ((graph->flags & SEGMENT_UNINDENTED) || chunk == graph->last_chunk)
    return state;
  bool continues = graph_segment(graph, chunk) == 0;
  bool is_outside = symbol->outer != INDENT_GRAPH && (!continues || frame->closed >= symbol->outer);
  if (is_outside)
    state.block = continues ? frame->outside : NO_BLOCK;
  else if (symbol->open != INDENT_GRAPH)
    state.block = own_block(dump, chunk, (int16_t)symbol->open);
  else
    state.is_open = false;
  return state;
}

/// Reads one chunk: what its uses see of the chunks before, and what the chunks after will see.
static NameLink pass_chunk(const Dump *dump, const Graph *graph, NameSpot spot, NameState *state)
{
  const DumpSymbol *symbol = &dump->chunks[spot.chunk]->index->symbols[spot.symbol];
  NameLink link = { .symbol = spot.symbol, .def_chunk = state->def_chunk, .next_chunk = NO_CHUNK };
  bool visible = is_visible(dump, state, spot.chunk);
  if (state->def_chunk != NO_CHUNK) {
    link.flags |= visible ? LINK_BEFORE : LINK_HIDDEN;
    link.indent = visible ? block_indent(dump, state->block) : 0;
  }
  if (!(symbol->flags & SYMBOL_DEFINED))
    return link;
  if (state->def_chunk != NO_CHUNK)
    link.flags |= LINK_DUPLICATE;
  // What was visible before and stays so is the outermost; else it is the chunk's own.
  state->def_chunk = spot.chunk;
  if (!visible || (state->block != NO_BLOCK && dump->blocks[state->block].end_chunk == spot.chunk))
    *state = state_after(dump, graph, spot.chunk, symbol);
  return link;
}

void dump_link_name(const Dump *dump, const Graph *graph, const NameSpot *spots, size_t count, NameLink *ret_links)
{
  NameState state = { .def_chunk = NO_CHUNK };
  size_t uses = 0;
  for (size_t i = 0; i < count; i++) {
    ret_links[i] = pass_chunk(dump, graph, spots[i], &state);
    uses += (dump->chunks[spots[i].chunk]->index->symbols[spots[i].symbol].flags & SYMBOL_USED) != 0;
  }
  uint32_t def_after = NO_CHUNK;
  for (size_t i = count; i-- > 0;) {
    NameLink *link = &ret_links[i];
    const DumpSymbol *symbol = &dump->chunks[spots[i].chunk]->index->symbols[spots[i].symbol];
    if (link->def_chunk == NO_CHUNK && def_after != NO_CHUNK) {
      link->def_chunk = def_after;
      link->flags |= LINK_LATER;
    }
    if (uses > ((symbol->flags & SYMBOL_USED) != 0))
      link->flags |= LINK_USED;
    if (i + 1 < count)
      link->next_chunk = spots[i + 1].chunk;
    if (symbol->flags & SYMBOL_DEFINED)
      def_after = spots[i].chunk;
  }
}

// --- All names ---

typedef struct GatheredSpot {
  NameSpot spot;
  uint32_t name;
} GatheredSpot;

typedef struct GatheredName {
  NameSpot first;
  uint32_t hash;
  uint32_t count;  ///< Of its spots.
} GatheredName;

/// Gathers the names of one graph that are in more than one chunk.
typedef struct Gatherer {
  const Dump *dump;
  const Graph *graph;
  uint64_t *seen;        ///< A bit for some bits of the hash: a chunk has such a name...
  uint64_t *seen_again;  ///< ...and so has another one. Names for which this is not set are done with.
  uint32_t bit_mask;
  uint32_t *slots;      ///< Index + 1 into names.
  uint32_t slot_count;  ///< A power of two, or 0.
  Vec(GatheredName) names;
  Vec(GatheredSpot) spots;  ///< By chunk, then by symbol.
} Gatherer;

static const DumpSymbol *spot_symbol(const Dump *dump, NameSpot spot)
{
  return &dump->chunks[spot.chunk]->index->symbols[spot.symbol];
}

static Str spot_name(const Dump *dump, NameSpot spot)
{
  return dump_symbol_name(dump->chunks[spot.chunk]->index, chunk_text(dump->chunks[spot.chunk]), spot.symbol);
}

/// A power of two, at least `want` if that is possible.
static uint32_t size_for(size_t want)
{
  uint32_t size = 1024;
  while (size < want && size < UINT32_C(1) << 31)
    size *= 2;
  return size;
}

static bool test_bit(const uint64_t *bits, uint32_t bit)
{
  return bits[bit / 64] >> (bit % 64) & 1;
}

static void set_bit(uint64_t *bits, uint32_t bit)
{
  bits[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void mark_names(Gatherer *gatherer)
{
  for (uint32_t c = gatherer->graph->first_chunk; c <= gatherer->graph->last_chunk; c++) {
    const Segment *part = graph_part(gatherer->dump, gatherer->graph, c);
    const DumpSymbol *symbols = gatherer->dump->chunks[c]->index->symbols + part->first_symbol;
    for (uint32_t i = 0; i < part->symbol_count; i++) {
      uint32_t bit = symbols[i].hash & gatherer->bit_mask;
      set_bit(test_bit(gatherer->seen, bit) ? gatherer->seen_again : gatherer->seen, bit);
    }
  }
}

static void grow_slots(Gatherer *gatherer)
{
  free(gatherer->slots);
  gatherer->slot_count = size_for(4 * gatherer->names.count);
  gatherer->slots = xcalloc(gatherer->slot_count, sizeof(*gatherer->slots));
  for (uint32_t n = 0; n < gatherer->names.count; n++) {
    uint32_t at = gatherer->names.items[n].hash & (gatherer->slot_count - 1);
    while (gatherer->slots[at] != 0)
      at = (at + 1) & (gatherer->slot_count - 1);
    gatherer->slots[at] = n + 1;
  }
}

static uint32_t find_name(Gatherer *gatherer, NameSpot spot, uint32_t hash)
{
  if (gatherer->names.count * 2 >= gatherer->slot_count)
    grow_slots(gatherer);
  Str name = spot_name(gatherer->dump, spot);
  uint32_t at = hash & (gatherer->slot_count - 1);
  for (; gatherer->slots[at] != 0; at = (at + 1) & (gatherer->slot_count - 1)) {
    const GatheredName *found = &gatherer->names.items[gatherer->slots[at] - 1];
    if (found->hash == hash && str_equal(spot_name(gatherer->dump, found->first), name))
      return gatherer->slots[at] - 1;
  }
  vec_push(&gatherer->names, (GatheredName){ .first = spot, .hash = hash });
  gatherer->slots[at] = (uint32_t)gatherer->names.count;
  return gatherer->slots[at] - 1;
}

static void gather_spots(Gatherer *gatherer)
{
  for (uint32_t c = gatherer->graph->first_chunk; c <= gatherer->graph->last_chunk; c++) {
    const Segment *part = graph_part(gatherer->dump, gatherer->graph, c);
    for (uint32_t i = 0; i < part->symbol_count; i++) {
      NameSpot spot = { c, part->first_symbol + i };
      uint32_t hash = spot_symbol(gatherer->dump, spot)->hash;
      if (!test_bit(gatherer->seen_again, hash & gatherer->bit_mask))
        continue;
      uint32_t name = find_name(gatherer, spot, hash);
      gatherer->names.items[name].count++;
      vec_push(&gatherer->spots, (GatheredSpot){ spot, name });
    }
  }
}

/// Brings the spots of each name together, links them, and hands the links out to the chunks in order of symbols.
static void link_gathered(const Gatherer *gatherer, NameLinkList *links)
{
  size_t count = gatherer->spots.count;
  NameSpot *by_name = xmalloc(count * sizeof(*by_name));
  NameLink *linked = xmalloc(count * sizeof(*linked));
  uint32_t *next = xmalloc(gatherer->names.count * sizeof(*next));
  uint32_t place = 0;
  for (size_t n = 0; n < gatherer->names.count; n++) {
    next[n] = place;
    place += gatherer->names.items[n].count;
  }
  for (size_t i = 0; i < count; i++)
    by_name[next[gatherer->spots.items[i].name]++] = gatherer->spots.items[i].spot;
  for (size_t n = 0; n < gatherer->names.count; n++) {
    next[n] -= gatherer->names.items[n].count;
    if (gatherer->names.items[n].count > 1)
      dump_link_name(gatherer->dump, gatherer->graph, by_name + next[n], gatherer->names.items[n].count,
                     linked + next[n]);
  }
  for (size_t i = 0; i < count; i++) {
    const GatheredSpot *spot = &gatherer->spots.items[i];
    uint32_t at = next[spot->name]++;
    if (gatherer->names.items[spot->name].count > 1)
      vec_push(&links[spot->spot.chunk], linked[at]);
  }
  free(by_name);
  free(linked);
  free(next);
}

static void link_graph(const Dump *dump, const Graph *graph, NameLinkList *links)
{
  Gatherer gatherer = { .dump = dump, .graph = graph };
  size_t symbols = 0;
  for (uint32_t c = graph->first_chunk; c <= graph->last_chunk; c++)
    symbols += graph_part(dump, graph, c)->symbol_count;
  uint32_t bits = size_for(4 * symbols);
  gatherer.bit_mask = bits - 1;
  gatherer.seen = xcalloc(bits / 64, sizeof(uint64_t));
  gatherer.seen_again = xcalloc(bits / 64, sizeof(uint64_t));
  mark_names(&gatherer);
  gather_spots(&gatherer);
  link_gathered(&gatherer, links);
  free(gatherer.seen);
  free(gatherer.seen_again);
  free(gatherer.slots);
  vec_free(&gatherer.names);
  vec_free(&gatherer.spots);
}

void dump_link_all(const Dump *dump, NameLinkList *links)
{
  for (uint32_t g = 0; g < dump->graph_count; g++) {
    if (dump->graphs[g].first_chunk < dump->graphs[g].last_chunk)
      link_graph(dump, &dump->graphs[g], links);
  }
}
