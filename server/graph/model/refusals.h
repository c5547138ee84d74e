/// Nodes that the exporter refuses: whose operator the registry does not take and which no pass removes first.
///
/// Found once for a snapshot; after an edit only for the chunks whose answers were read from something that changed.
///
/// Ownership: Refusals belong to one snapshot; the lists of chunks are reference-counted and shared between snapshots.
/// Units:     places as in dump.h.
/// Threads:   immutable once made.
/// Sources:   facts/symbolics.h for the registry, passes.h for what comes before it.
#pragma once

#include "core/target.h"
#include "graph/model/passes.h"

typedef struct Refusal {
  uint32_t item;
  NodeFate fate;         ///< FATE_CONVERTED or FATE_UNSURE.
  SupportAnswer answer;  ///< What the registry says.
  bool has_use;
  Place first_use;  ///< Of the node's first result, with has_use.
} Refusal;

/// What becomes of a node that the registry takes.
typedef struct NodeOutcome {
  uint32_t item;
  uint32_t occurrence;          ///< Of the value that is meant; only without an outcome.
  NodeFate fate;                ///< FATE_CONVERTED or FATE_UNSURE.
  const TorchOutcome *outcome;  ///< NULL: an input of the graph has a complex type.
} NodeOutcome;

typedef struct RefusalList {
  atomic_uint references;
  const Refusal *items;  ///< In order of lines; owned.
  uint32_t count;
  const NodeOutcome *outcomes;  ///< In order of lines; owned.
  uint32_t outcome_count;
  Trace trace;  ///< What the list was read from.
} RefusalList;

typedef struct Refusals {
  uint32_t chunk_count;
  RefusalList **chunks;  ///< NULL for a chunk without any.
} Refusals;

/// None of a dump that another exporter than the target's takes. `previous` (may be NULL) are those of `previous_dump`
/// for a target that asks the same.
Refusals *refusals_new(const Dump *dump, Exporter taker, const Target *target, const Refusals *previous,
                       const Dump *previous_dump);
void refusals_free(Refusals *refusals);
