/// What the rule families share: a sink for diagnostics and the table of families.
///
/// Ownership: the sink borrows the snapshot and the arena.
/// Units:     offsets in a chunk are bytes from its start; the sink turns them into document offsets.
/// Errors:    none.
/// Threads:   one sink belongs to one thread.
/// Sources:   none.
#pragma once

#include "analysis/passes.h"
#include "analysis/snapshot_dump.h"
#include "base/vec.h"
#include "rules/diagnostics.h"

typedef struct DiagSink {
  const Snapshot *snapshot;
  const Dump *dump;
  const Target *target;
  Arena *arena;
  Passes *passes;           ///< Made when the first node needs it; owned.
  uint32_t chunk;           ///< The chunk being checked.
  Vec(Diagnostic) serious;  ///< Errors and warnings: never crowded out by the others.
  Vec(Diagnostic) minor;
  size_t hidden;
} DiagSink;

/// Is there any use in making a diagnostic of this rule? Counts it as hidden if the limit is reached.
/// `severity` is the rule's own for this case (SEVERITY_DEFAULT for the usual one); settings go before it.
bool sink_wants(DiagSink *sink, RuleId rule, Severity severity);
/// Adds it; `range` is within the chunk, severity as for sink_wants().
void sink_add(DiagSink *sink, uint32_t start, uint32_t end, Severity severity, Diagnostic diagnostic);
/// The place of an occurrence of a name, anywhere in the document.
Range sink_place_range(const DiagSink *sink, Place place);

static inline const ChunkState *sink_chunk(const DiagSink *sink)
{
  return sink->dump->chunks[sink->chunk];
}

/// One function a family: all diagnostics of one chunk.
void check_syntax(DiagSink *sink);
void check_values(DiagSink *sink);
void check_support(DiagSink *sink);
