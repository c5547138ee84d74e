/// What an answer about a dump was read from: lines, and names whose meaning comes from other chunks.
///
/// What the blocks and graphs around chunks look like is not traced: where that changes, nothing is kept anyway
/// (Dump.is_patched).
///
/// Ownership: a trace owns its tables; zeroed memory is an empty one.
/// Units:     items as in dump_index.h.
/// Errors:    a trace that grows too long says that it holds everything.
/// Threads:   one thread writes it.
#pragma once

#include "base/vec.h"
#include "graph/model/dump.h"

/// Lines of one chunk.
typedef struct TraceSpan {
  uint32_t chunk;
  uint32_t first;  ///< Items, both included.
  uint32_t last;
} TraceSpan;

typedef struct Trace {
  Vec(TraceSpan) spans;  ///< One for each chunk.
  Vec(uint32_t) names;   ///< Hashes; sorted and without doubles after trace_take().
  bool is_everything;
} Trace;

void trace_clear(Trace *trace);
void trace_done(Trace *trace);

/// Adds lines [first, last] and all between them and the lines of the chunk that are there already.
void trace_add_items(Trace *trace, uint32_t chunk, uint32_t first, uint32_t last);
void trace_add_name(Trace *trace, uint32_t hash);
/// Adds all of a trace that was taken.
void trace_add_all(Trace *trace, const Trace *taken);
/// Moves what was added into `taken`, in the least memory, ready to be asked. `trace` is empty again.
void trace_take(Trace *trace, Trace *taken);

/// A change of one chunk, in items of the version that was traced.
typedef struct ChunkChange {
  uint32_t chunk;
  uint32_t first;  ///< Items before this one are the same.
  uint32_t end;    ///< Items from here on are the same and have kept their numbers.
} ChunkChange;

/// Finds out what became of a chunk.
ChunkChange trace_chunk_change(const ChunkState *old, const ChunkState *now, uint32_t chunk);

/// Whether nothing of what changed was read.
bool trace_holds(const Trace *trace, ChunkChange change);
/// Whether it was asked what the name means in other chunks.
bool trace_has_name(const Trace *trace, uint32_t hash);
