/// What a dump shows of the arguments of a node, for server/outcome.
///
/// Ownership: borrows the dump and the arena, in which facts are kept until the view is begun again.
/// Units:     places as in dump.h.
/// Errors:    none; what can't be read is unknown.
/// Threads:   one view belongs to one thread.
/// Sources:   torch.onnx.utils._optimize_graph for what is constant when symbolic functions are called.
#pragma once

#include "analysis/graph_walk.h"
#include "outcome/outcome.h"

enum { VIEW_ARGUMENT_LIMIT = 24, VIEW_ELEMENT_LIMIT = 16 };

typedef struct DumpView {
  NodeView view;  ///< First, so that the one is the other.
  GraphWalk walk;
  const SymbolicsDb *db;
  Arena *arena;
  Place node;
  const ArgumentFacts *arguments[VIEW_ARGUMENT_LIMIT];  ///< NULL for one that nobody asked about.
  const ArgumentFacts *elements[VIEW_ARGUMENT_LIMIT][VIEW_ELEMENT_LIMIT];
} DumpView;

/// Turns to a node.
void dump_view_begin(DumpView *view, Place node);
/// What the dump shows of a value at its definition.
void dump_view_type(Str type, Arena *arena, ArgumentFacts *facts);
