/// What a dump shows of the arguments of a node, for server/outcome.
///
/// Ownership: borrows the dump and the arena, in which facts are kept until the view is begun again.
/// Units:     places as in dump.h.
/// Errors:    none; what can't be read is unknown.
/// Threads:   one view belongs to one thread.
/// Sources:   torch.onnx.utils._optimize_graph for what is constant when symbolic functions are called.
#pragma once

#include "graph/model/graph_walk.h"
#include "outcome/outcome.h"

enum { VIEW_ARGUMENT_LIMIT = 24, VIEW_ELEMENT_LIMIT = 16, KNOWN_TAGS = 64 };

/// The tags of an operator that was asked about before.
typedef struct KnownTags {
  Str op;  ///< Empty if free.
  uint32_t tags;
} KnownTags;

typedef struct DumpView {
  NodeView view;  ///< First, so that the one is the other.
  GraphWalk walk;
  const SymbolicsDb *db;
  KnownTags known_tags[KNOWN_TAGS];  ///< By a hash; a newer one takes the place of an older.
  Arena *arena;
  Place node;
  const bool *is_constant;  ///< By symbol of the chunk: made there by a prim::Constant with a value, nowhere else.
  const ArgumentFacts **by_symbol;  ///< Of the chunk of the node; in the arena. NULL for one that nobody asked about.
  const ArgumentFacts *arguments[VIEW_ARGUMENT_LIMIT];  ///< NULL for one that nobody asked about.
  const ArgumentFacts *elements[VIEW_ARGUMENT_LIMIT][VIEW_ELEMENT_LIMIT];
} DumpView;

/// Is the argument certainly made by a prim::Constant? Costs next to nothing.
bool dump_view_is_constant(DumpView *view, uint32_t number);
/// Call before the arena is emptied, and before turning to a node of another chunk.
void dump_view_forget(DumpView *view);
/// Turns to a node.
void dump_view_begin(DumpView *view, Place node);
/// What the dump shows of a value at its definition.
void dump_view_type(Str type, Arena *arena, ArgumentFacts *facts);
