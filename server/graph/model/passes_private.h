/// What the files about the exporter's passes share.
///
/// Ownership: as in passes.h.
/// Units:     places as in dump.h.
/// Threads:   as in passes.h.
/// Sources:   as in passes.h.
#pragma once

#include "base/vec.h"
#include "graph/model/passes.h"
#include "graph/model/place_marks.h"

/// Values of one line on the way from a node to the graph's outputs, one after the other.
typedef struct LiveStep {
  Place definition;  ///< The one whose turn it is.
  uint32_t end;      ///< The occurrence after the last one.
  bool is_entered;   ///< Its uses are being followed...
  UseCursor uses;    ///< ...and these are left.
} LiveStep;

typedef Vec(Place) PlaceStack;

struct Passes {
  GraphWalk walk;
  const SymbolicsDb *db;
  uint32_t budget;  ///< Left of PASS_FOLD_BUDGET.
  // Scratch of passes_live.c:
  Vec(LiveStep) steps;  ///< The way from a node to here.
  PlaceStack met;       ///< Values that this walk was the first to meet.
  bool has_circle;      ///< It came back to a value on its way.
  PlaceStack headers;   ///< Scratch of passes_branch.c.
  // What was found out since passes_forget():
  PlaceMarks ops;            ///< By operator of the chunk: its tags.
  PlaceMarks folds;          ///< By definition: a FoldMark.
  PlaceMarks values;         ///< By definition: a ValueMark.
  PlaceMarks dead_blocks;    ///< By header: a BlockMark.
  PlaceMarks static_blocks;  ///< The same.
};

bool passes_has_tag(Passes *passes, Place node, TorchTag tag);
/// Changes its first input, so that dead code elimination keeps it: `aten::add_`, `aten::append`, prim::SetAttr.
bool passes_works_in_place(Passes *passes, Place node);
bool passes_is_if(Passes *passes, Place node);
bool passes_has_blocks(Passes *passes, Place node);

// passes_branch.c: conditions that are known before the export.

/// Whether the line is in a branch that a constant switches off.
bool passes_is_in_dead_block(Passes *passes, Place place);
/// Whether the node is in an If that is folded, or not, by what the text does not show.
bool passes_is_in_static_if(Passes *passes, Place node);
/// Whether the value used at `use` is a number, a truth value, a text or None that is known before the export.
bool passes_is_known_value(Passes *passes, Place use);

// passes_live.c

/// Whether the node is needed for an output of the graph, or for an operator that works in place.
bool passes_is_live(Passes *passes, Place node);
