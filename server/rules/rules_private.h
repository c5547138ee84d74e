/// What the rule families share: a sink for diagnostics and the table of families.
///
/// Ownership: the sink borrows the snapshot and the arena.
/// Units:     offsets in a chunk are bytes from its start; the sink turns them into document offsets.
/// Errors:    none.
/// Threads:   one sink belongs to one thread.
/// Sources:   none.
#pragma once

#include "analysis/python.h"
#include "analysis/snapshot_dump.h"
#include "base/vec.h"
#include "rules/diagnostics.h"
#include "rules/suppress.h"

enum {
  SUPPORT_WORDS = 64,
  SUPPRESSED_LIMIT = 1000,  ///< How many of those that comments switch off are kept.
};

/// What support.c says of an operator, but for the node's source.
typedef struct SupportWords {
  Str op;
  NodeFate fate;
  Str text;  ///< Empty in a free entry.
} SupportWords;

typedef struct DiagSink {
  const Snapshot *snapshot;
  const Dump *dump;      ///< NULL for a Python file...
  const PyFile *python;  ///< ...and this for a dump.
  const Target *target;
  Arena *arena;
  uint32_t chunk;         ///< The chunk being checked; 0 in a Python file, where offsets are those of the document.
  DiagnosticVec serious;  ///< Errors and warnings: never crowded out by the others.
  DiagnosticVec minor;
  size_t serious_before;  ///< How many there were before the chunk being checked.
  size_t minor_before;
  size_t hidden;
  Suppressor suppressor;
  DiagnosticVec suppressed;
  size_t suppressed_total;
  SupportWords support_words[SUPPORT_WORDS];  ///< By a hash of the operator; a newer one takes the place of an older.
} DiagSink;

/// Is there any use in making a diagnostic of this rule? Counts it as hidden if the limit is reached.
/// `severity` is the rule's own for this case (SEVERITY_DEFAULT for the usual one); settings go before it.
bool sink_wants(DiagSink *sink, RuleId rule, Severity severity);
/// Adds it; `range` is within the chunk, severity as for sink_wants().
void sink_add(DiagSink *sink, uint32_t start, uint32_t end, Severity severity, Diagnostic diagnostic);
/// The same with a range of the document.
void sink_add_at(DiagSink *sink, Range range, Severity severity, Diagnostic diagnostic);
/// The place of an occurrence of a name, anywhere in the document.
Range sink_place_range(const DiagSink *sink, Place place);

/// The operator's place on the line of an item.
Range node_op_range(const ChunkState *chunk, const Item *item, Str op);
/// The text, with where the line came from in Python if it says so.
Str with_python_source(DiagSink *sink, Str text, Str line);

static inline const ChunkState *sink_chunk(const DiagSink *sink)
{
  return sink->dump->chunks[sink->chunk];
}

/// One function a family: all diagnostics of one chunk of a dump.
void check_syntax(DiagSink *sink);
void check_values(DiagSink *sink);
void check_support(DiagSink *sink);
void check_outcomes(DiagSink *sink);

/// The same for Python: all diagnostics of the file.
void check_python_ops(DiagSink *sink);
void check_python_functions(DiagSink *sink);
void check_python_values(DiagSink *sink);
void check_python_returns(DiagSink *sink);
void check_python_registrations(DiagSink *sink);
void check_python_domains(DiagSink *sink);
void check_python_autograd(DiagSink *sink);
void check_python_api(DiagSink *sink);
void check_python_exports(DiagSink *sink);
void check_python_tracing(DiagSink *sink);
