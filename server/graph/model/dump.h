/// A dump put together: the indexes of all chunks, the graphs they form, and what each name means across chunks.
///
/// Ownership: a Dump belongs to one snapshot; ChunkStates are reference-counted and shared between snapshots.
/// Units:     offsets are bytes from the start of the chunk; document offsets are named so.
/// Threads:   immutable once the snapshot is made.
/// Sources:   docs/architecture.md, "Chunks"; names as TorchScript scopes them.
#pragma once

#include "graph/model/dump_index.h"
#include "text/document.h"

enum {
  LINK_BEFORE = 1,      ///< Defined in an earlier chunk and visible at the start of this one.
  LINK_HIDDEN = 2,      ///< Defined in an earlier chunk, in a block that has ended.
  LINK_LATER = 4,       ///< Defined in no earlier chunk, but in a later one.
  LINK_USED = 8,        ///< Used in another chunk.
  LINK_DUPLICATE = 16,  ///< Defined here and in an earlier chunk.
};

#define NO_CHUNK UINT32_MAX

/// What a name that is in several chunks of its graph means in one of them.
typedef struct NameLink {
  uint32_t symbol;
  uint32_t def_chunk;   ///< The nearest chunk before this one that defines it, else the nearest after; or NO_CHUNK.
  uint32_t next_chunk;  ///< The next chunk of the graph that has the name, or NO_CHUNK.
  int16_t indent;       ///< With LINK_BEFORE: the definition ends at a line with this indent or less; or INDENT_GRAPH.
  uint16_t flags;
} NameLink;

typedef enum FaultKind {
  FAULT_UNDEFINED,
  FAULT_BLOCK_ENDED,  ///< Defined, but in a block that has ended.
  FAULT_DEFINED_LATER,
  FAULT_DUPLICATE,
  FAULT_UNUSED,
} FaultKind;

/// Something wrong with a name where it is.
typedef struct Fault {
  uint32_t occurrence;
  uint32_t item;
  FaultKind kind;
} Fault;

typedef struct ChunkState {
  atomic_uint references;
  TextChunk *text;   ///< Retained.
  DumpIndex *index;  ///< Retained.
  NameLink *links;   ///< By symbol: of names that other chunks of the graph have, too; owned.
  uint32_t link_count;
  Fault *faults;  ///< By occurrence; owned.
  uint32_t fault_count;
} ChunkState;

/// One graph of the document, or a piece of one that has no header.
typedef struct Graph {
  uint32_t first_chunk;
  uint32_t first_segment;  ///< In the first chunk; in later chunks a graph continues in segment 0.
  uint32_t last_chunk;
  uint16_t flags;          ///< SEGMENT_… of all its segments together.
  int16_t min_indent;      ///< Of all its segments: lines with it stand outside of all blocks.
  uint32_t text_chunk;     ///< Where the first line stands inside of it that is nothing of a graph; or NO_CHUNK.
  uint32_t text_start;     ///< Its offset in that chunk.
  bool follows_printable;  ///< A printable graph after another one: it sees the names of those before it.
} Graph;

#define NO_BLOCK UINT32_MAX

/// A block that is open where a chunk ends.
typedef struct OuterBlock {
  uint32_t parent;  ///< The block around it, if that was open at the end of a chunk, too; or NO_BLOCK.
  uint32_t chunk;   ///< Where its header is.
  uint32_t item;
  uint32_t end_chunk;  ///< Where it ends; NO_CHUNK if nothing ends it.
  int16_t indent;      ///< Of its header.
} OuterBlock;

/// How a chunk lies in the blocks around it.
typedef struct ChunkFrame {
  uint32_t first_graph;  ///< The graph of segment 0; segment s belongs to the s-th after it.
  uint32_t entry;        ///< The innermost block that is open where the chunk begins, or NO_BLOCK.
  uint32_t first_block;  ///< Of the chunk's own blocks that are open at its end, outermost first.
  int16_t closed;        ///< Least indent of the blocks around its beginning that segment 0 ends, or INDENT_LIMIT.
  uint32_t outside;      ///< The innermost of those that it leaves open, or NO_BLOCK.
} ChunkFrame;

typedef struct Dump {
  uint32_t chunk_count;
  ChunkState **chunks;  ///< Retained.
  ChunkFrame *frames;   ///< By chunk.
  OuterBlock *blocks;   ///< In order of their headers.
  uint32_t block_count;
  Graph *graphs;
  uint32_t graph_count;
  bool is_patched;          ///< Made from the one before it: all names but those below mean what they meant there.
  uint32_t *changed_names;  ///< With is_patched: hashes of the names that a chunk got, lost or defines otherwise.
  uint32_t changed_count;
} Dump;

/// The text of a chunk.
static inline Str chunk_text(const ChunkState *chunk)
{
  return str_make(chunk->text->text, chunk->text->len);
}

static inline uint32_t dump_graph_of(const Dump *dump, uint32_t chunk, uint32_t segment)
{
  return dump->frames[chunk].first_graph + segment;
}

/// The segment of a chunk that belongs to a graph; the chunk must be one of the graph's.
static inline uint32_t graph_segment(const Graph *graph, uint32_t chunk)
{
  return chunk == graph->first_chunk ? graph->first_segment : 0;
}

/// Whether everything between the graph's header and its end is there.
static inline bool graph_is_complete(const Graph *graph)
{
  return (graph->flags & (SEGMENT_HEADER | SEGMENT_RETURN | SEGMENT_GAP)) == (SEGMENT_HEADER | SEGMENT_RETURN);
}

/// The link of a symbol; NULL if no other chunk of its graph has the name.
const NameLink *dump_chunk_link(const ChunkState *chunk, uint32_t symbol);

/// Puts a dump together. `texts` and `indexes` are retained; `previous` (may be NULL) is what the document was
/// before, and saves the work for chunks and names that did not change.
Dump *dump_new(TextChunk *const *texts, DumpIndex *const *indexes, uint32_t count, const Dump *previous);
void dump_free(Dump *dump);

/// Where a name is defined or used.
typedef struct Place {
  uint32_t chunk;
  uint32_t item;
  uint32_t occurrence;
} Place;

/// True if the line of `a` comes first.
static inline bool place_is_before(Place a, Place b)
{
  return a.chunk != b.chunk ? a.chunk < b.chunk : a.item < b.item;
}

/// The first line of a graph; false if it has none. Its first chunks may hold text alone.
bool dump_first_item(const Dump *dump, const Graph *graph, Place *ret_place);

/// The definition that a use at `from` means: the nearest one before it in its graph, else the first one after it.
bool dump_find_definition(const Dump *dump, uint32_t graph, Str name, Place from, Place *ret_place);

/// The same for a use that is in the graph.
bool dump_definition_of(const Dump *dump, uint32_t graph, Place use, Place *ret_place);

/// The uses of a value after its definition, one after the other, up to where its name is defined again.
typedef struct UseCursor {
  uint32_t chunk;
  uint32_t symbol;
  uint32_t occurrence;  ///< The next one to look at.
  uint32_t end;         ///< The last line that may use it ends there; NO_END if that is not known yet.
  uint32_t left;        ///< Uses in this chunk that may still come, at most.
} UseCursor;

#define NO_END UINT32_MAX

UseCursor dump_uses_after(const Dump *dump, Place definition);
/// False after the last one.
bool dump_next_use(const Dump *dump, uint32_t graph, UseCursor *cursor, Place *ret_place);
/// Calls `visit` for every occurrence of the name in the graph, in order, until it returns false.
void dump_each_occurrence(const Dump *dump, uint32_t graph, Str name,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context);
/// Occurrences of the name that are not definitions.
size_t dump_count_uses(const Dump *dump, uint32_t graph, Str name);
