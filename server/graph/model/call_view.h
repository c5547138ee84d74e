/// What a call of an FX graph shows of its arguments, for server/outcome: literals, and the types of values.
///
/// Ownership: borrows the dump; facts live in the arena.
/// Units:     arguments by their position in the operator's schema.
/// Errors:    what can't be read is unknown.
/// Threads:   one view belongs to one thread.
/// Sources:   torch/fx/graph.py and torch/fx/node.py of torch 2.14; torch.fx.graph's dtype_abbrs for types.
#pragma once

#include "base/limits.h"
#include "graph/model/dialect.h"
#include "graph/model/graph_walk.h"
#include "outcome/outcome.h"

/// The line that a call stands in.
typedef struct CallLine {
  const GraphWalk *walk;
  const GraphDialect *dialect;
  Place node;
  const TorchOverload *overload;
  Arena *arena;
  Str text;
  size_t start;    ///< In the chunk.
  bool is_listed;  ///< Strings stand without quotes, and names have a sign.
} CallLine;

typedef struct CallView {
  NodeView view;  ///< First, so that the one is the other.
  CallLine line;
  ArgumentFacts arguments[VIEW_ARGUMENT_LIMIT];
  ArgumentFacts element;  ///< Of the list that was asked for last.
} CallView;

/// Reads the call on the node's line. `overload` (may be NULL) says where keywords belong, and what is not given.
/// The walk has to outlive the view.
void call_view_begin(CallView *view, const GraphWalk *walk, const GraphDialect *dialect, Place node,
                     const TorchOverload *overload, Arena *arena);

/// The type that the dialect prints after the name at a definition; empty if it prints none.
Str call_view_printed_type(const GraphWalk *walk, const GraphDialect *dialect, Place definition);
