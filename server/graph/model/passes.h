/// What the TorchScript exporter does to a node before it looks for a symbolic function.
///
/// Before conversion, passes drop dead code, fold constants, and rewrite lists and in-place operators. A node that a
/// pass takes away can't fail, whatever the registry says of its operator. This answers, for one node that the
/// registry refuses, whether it would reach the look-up at all.
///
/// Ownership: borrows the dump.
/// Units:     places as in dump.h.
/// Errors:    where the walk grows too long the node counts as reaching the look-up.
/// Threads:   one Passes belongs to one thread.
/// Sources:   torch.onnx.utils._optimize_graph and the passes it calls (inline, dce, constant_propagation,
///            remove_mutation, onnx_preprocess, erase_number_types), as run with torch 1.13, 2.6 and 2.14.
#pragma once

#include "facts/symbolics.h"
#include "graph/model/graph_walk.h"

typedef enum NodeFate {
  FATE_CONVERTED,  ///< Reaches the look-up, and is refused there.
  FATE_REMOVED,    ///< A pass removes, folds or rewrites it first.
  FATE_UNSURE,     ///< Depends on what the text does not show: shapes, module attributes, the user's registrations.
} NodeFate;

typedef struct Passes Passes;

/// `db` is what the dump is checked against; it is borrowed.
Passes *passes_new(const Dump *dump, const SymbolicsDb *db);
void passes_free(Passes *passes);
/// From now on what answers are read from is added to the trace, which is borrowed.
void passes_keep_trace(Passes *passes, Trace *trace);
/// An answer is also made from what answers before it found out, which the trace holds from when they were made. Where
/// a new trace begins, so that has to be forgotten.
void passes_forget(Passes *passes);

/// The fate of a node whose operator the registry refuses; `note` is what the facts say of the operator, or NULL.
NodeFate passes_fate(Passes *passes, Place node, const PassNote *note);
