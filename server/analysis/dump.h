/// A dump put together: the indexes of all chunks, the graphs they form, and what each name means across chunks.
///
/// Ownership: a Dump belongs to one snapshot; ChunkStates are reference-counted and shared between snapshots.
/// Units:     offsets are bytes from the start of the chunk; document offsets are named so.
/// Errors:    none.
/// Threads:   immutable once the snapshot is made.
/// Sources:   docs/architecture.md, "Chunks"; names as TorchScript scopes them.
#pragma once

#include "model/dump_index.h"
#include "text/document.h"

enum {
  LINK_BEFORE = 1,      ///< Defined in an earlier chunk and visible at the start of this one.
  LINK_HIDDEN = 2,      ///< Defined in an earlier chunk, in a block that has ended.
  LINK_LATER = 4,       ///< Defined in a later chunk only.
  LINK_USED = 8,        ///< Used in another chunk.
  LINK_DUPLICATE = 16,  ///< Defined here and in an earlier chunk.
};

/// What a name of the first or the last segment of a chunk means in the other chunks of its graph.
typedef struct SymbolLink {
  int16_t indent;  ///< With LINK_BEFORE: the definition ends at a line with this indent or less; or INDENT_GRAPH.
  uint16_t flags;
} SymbolLink;

typedef enum FaultKind {
  FAULT_UNDEFINED,
  FAULT_BLOCK_ENDED,  ///< Defined, but in a block that has ended.
  FAULT_DEFINED_LATER,
  FAULT_DUPLICATE,
  FAULT_UNUSED,
} FaultKind;

/// Something wrong with a name where it stands.
typedef struct Fault {
  uint32_t occurrence;
  uint32_t item;
  FaultKind kind;
} Fault;

typedef struct ChunkState {
  atomic_uint references;
  TextChunk *text;    ///< Retained.
  DumpIndex *index;   ///< Retained.
  SymbolLink *links;  ///< One for each symbol; owned.
  Fault *faults;      ///< By occurrence; owned.
  uint32_t fault_count;
} ChunkState;

/// One graph of the document, or a piece of one that has no header.
typedef struct Graph {
  uint32_t first_chunk;
  uint32_t first_segment;  ///< In the first chunk; in later chunks a graph continues in segment 0.
  uint32_t last_chunk;
  uint16_t flags;          ///< SEGMENT_… of all its segments together.
  int16_t min_indent;      ///< Of all its segments: lines with it stand outside of all blocks.
  bool follows_printable;  ///< A printable graph behind another one: it sees the names of those before it.
} Graph;

typedef struct Dump {
  uint32_t chunk_count;
  ChunkState **chunks;    ///< Retained.
  uint32_t *first_graph;  ///< By chunk: the graph of segment 0; segment s belongs to the s-th behind it.
  Graph *graphs;
  uint32_t graph_count;
} Dump;

/// The text of a chunk.
static inline Str chunk_text(const ChunkState *chunk)
{
  return str_make(chunk->text->text, chunk->text->len);
}

static inline uint32_t dump_graph_of(const Dump *dump, uint32_t chunk, uint32_t segment)
{
  return dump->first_graph[chunk] + segment;
}

/// The segment of a chunk that belongs to a graph; the chunk must be one of the graph's.
static inline uint32_t graph_segment(const Graph *graph, uint32_t chunk)
{
  return chunk == graph->first_chunk ? graph->first_segment : 0;
}

/// Is everything between the graph's header and its end there?
static inline bool graph_is_complete(const Graph *graph)
{
  return (graph->flags & (SEGMENT_HEADER | SEGMENT_RETURN | SEGMENT_GAP)) == (SEGMENT_HEADER | SEGMENT_RETURN);
}

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

/// The definition that a use at `from` means: the nearest one before it in its graph, else the first one behind it.
bool dump_find_definition(const Dump *dump, uint32_t graph, Str name, Place from, Place *ret_place);
/// Calls `visit` for every occurrence of the name in the graph, in order, until it returns false.
void dump_each_occurrence(const Dump *dump, uint32_t graph, Str name,
                          bool (*visit)(Place place, bool is_definition, void *context), void *context);
/// Occurrences of the name that are not definitions.
size_t dump_count_uses(const Dump *dump, uint32_t graph, Str name);
