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
#include "graph/model/dialect.h"
#include "graph/model/passes.h"
#include "graph/model/view_glance.h"
#include "outcome/dynamo_fate.h"

typedef struct Refusal {
  uint32_t item;
  NodeFate fate;         ///< FATE_CONVERTED or FATE_UNSURE.
  SupportAnswer answer;  ///< What the registry says.
  bool has_use;
  Place first_use;  ///< Of the node's first result, with has_use.
  Str part;         ///< Dynamo: what has no function, "prims::bessel_i0e": the operator itself, or what it becomes.
  bool is_complex;  ///< Dynamo: it has none for complex inputs.
  Str onnxscript;   ///< Dynamo: the release that has one, where the one in use has none yet; of the facts.
} Refusal;

/// What becomes of a node that the registry takes.
typedef struct NodeOutcome {
  uint32_t item;
  uint32_t occurrence;          ///< Of the value that is meant; only without an outcome.
  NodeFate fate;                ///< FATE_CONVERTED or FATE_UNSURE.
  const TorchOutcome *outcome;  ///< NULL: an input of the graph, or a constant, has a complex type.
  Str reason;                   ///< Dynamo: that of the outcome, with the values of the call; in the list's arena.
} NodeOutcome;

/// The fate of a refused node of a graph that the dynamo exporter takes, without its parts.
DynamoFate refusal_fate(const Refusal *refusal);

typedef struct RefusalList {
  atomic_uint references;
  const Refusal *items;  ///< In order of lines; owned.
  uint32_t count;
  const NodeOutcome *outcomes;  ///< In order of lines; owned.
  uint32_t outcome_count;
  Trace trace;          ///< What the refusals and all fates were read from.
  Trace outcome_trace;  ///< What the outcomes were read from.
  uint32_t *judged;     ///< Items that took more than a glance to know their outcomes, from last to first; owned.
  uint32_t judged_count;
  ArgumentBits *looked_at;  ///< What a glance at nodes looks at, by operator of the chunk; owned. NULL for dynamo.
  Arena arena;              ///< Of the texts of its items.
} RefusalList;

typedef struct Refusals {
  uint32_t chunk_count;
  TypesShown types;      ///< In any chunk.
  RefusalList **chunks;  ///< NULL for a chunk without any.
} Refusals;

/// None of a TorchScript dump that the dynamo exporter is to take. `previous` (may be NULL) are those of
/// `previous_dump` for a target that asks the same.
Refusals *refusals_new(const Dump *dump, const GraphDialect *dialect, const Target *target, const Refusals *previous,
                       const Dump *previous_dump);
void refusals_free(Refusals *refusals);

// dynamo_refusals.c: those of a graph that the dynamo exporter takes.

typedef struct DynamoFinder DynamoFinder;
/// NULL if the facts know nothing of the exporter. `types` is what any chunk shows; the trace is borrowed.
DynamoFinder *dynamo_finder_new(const Dump *dump, const GraphDialect *dialect, const Target *target, TypesShown types,
                                Trace *trace);
void dynamo_finder_free(DynamoFinder *finder);
/// NULL if the chunk has no operator that could be refused.
RefusalList *dynamo_finder_find(DynamoFinder *finder, uint32_t chunk);
