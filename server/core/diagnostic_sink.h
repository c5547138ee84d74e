/// Where rules put their diagnostics: limits, severities and comments that switch rules off are seen to here.
///
/// Ownership: the sink borrows the snapshot and the arena.
/// Units:     byte offsets from the start of the document.
/// Threads:   one sink belongs to one thread.
#pragma once

#include <stdatomic.h>

#include "base/vec.h"
#include "core/diagnostics.h"
#include "core/suppress.h"

struct DiagSink {
  const Snapshot *snapshot;
  const Target *target;
  Arena *arena;
  const atomic_bool *cancelled;  ///< May be NULL.
  void *language;                ///< What the language that is being checked keeps here for its rules; may be NULL.
  DiagnosticVec serious;         ///< Errors and warnings: never crowded out by the others.
  DiagnosticVec minor;
  size_t serious_before;  ///< How many there were before the lines being checked.
  size_t minor_before;
  size_t hidden;
  Suppressor suppressor;
  DiagnosticVec suppressed;
  size_t suppressed_total;
};

/// Adds all diagnostics of a family of rules for the lines being checked.
typedef void RuleFamily(DiagSink *sink);

/// Runs families over the lines from `first_line` to before `end_line`: what a language's check calls for the parts
/// of a document, in order.
void sink_check_lines(DiagSink *sink, uint32_t first_line, uint32_t end_line, RuleFamily *const *families,
                      size_t family_count);

/// True when it is of use to make a diagnostic of this rule; else it is counted as hidden, if the limit is reached.
/// `severity` is the rule's own for this case (SEVERITY_DEFAULT for the usual one); settings go before it.
bool sink_wants(DiagSink *sink, RuleId rule, Severity severity);
/// Adds it; severity as for sink_wants().
void sink_add_at(DiagSink *sink, Range range, Severity severity, Diagnostic diagnostic);
