/// What the files about the exporter's passes share.
///
/// Ownership: as in passes.h.
/// Units:     places as in dump.h.
/// Errors:    none.
/// Threads:   as in passes.h.
/// Sources:   as in passes.h.
#pragma once

#include "analysis/passes.h"
#include "base/vec.h"

enum {
  CONSTANT_DEPTH = 24,  ///< Of an expression that decides an If or is folded.
  LIVE_BUDGET = 250,    ///< Values followed from a node towards the graph's outputs.
  SEEN_SIZE = 1024,     ///< A power of two, well over LIVE_BUDGET.
  BODY_BUDGET = 1000,   ///< Lines of a node's body.
  DATA_BUDGET = 1000,   ///< Values followed from a condition back to the graph's inputs.
  FOLD_BUDGET = 1000,   ///< Values of one expression.
  USE_BUDGET = 1000,    ///< Uses of one value.
};

/// A value on the way from a node to the graph's outputs.
typedef struct LiveStep {
  Place definition;
  UseCursor uses;
} LiveStep;

struct Passes {
  GraphWalk walk;
  const SymbolicsDb *db;
  uint32_t budget;           ///< Left of FOLD_BUDGET.
  Vec(LiveStep) steps;       ///< Scratch of passes_live.c: the way from a node to here.
  uint64_t seen[SEEN_SIZE];  ///< Values that were on it; 0 is free.
  uint32_t seen_count;
};

typedef Vec(Place) PlaceStack;

static inline bool has_tag(const Passes *passes, Str op, TorchTag tag)
{
  return symbolics_torch_tags(passes->db, op) & tag;
}

/// Changes its first input, so that dead code elimination keeps it: `aten::add_`, `aten::append`, prim::SetAttr.
bool works_in_place(const Passes *passes, Str op);
bool is_if(Passes *passes, Place node);
bool has_blocks(Passes *passes, Place node);

// passes_branch.c: conditions that are known before the export.

/// Does the line stand in a branch that a constant switches off?
bool is_in_dead_block(Passes *passes, Place place);
/// Does the node stand in an If that is folded, or not, by what the text does not show?
bool is_in_static_if(Passes *passes, Place node);
/// Is the value used at `use` a number, a truth value, a text or None that is known before the export?
bool is_known_value(Passes *passes, Place use);

// passes_live.c

/// Is the node needed for an output of the graph, or for an operator that works in place?
bool is_live(Passes *passes, Place node);
