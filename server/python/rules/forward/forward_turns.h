/// What loops and comprehensions go over while shapes are followed. Private to rules/.
///
/// Ownership: values lie in the sink's arena.
/// Units:     as ShapeWalk.
/// Errors:    what can't be told is not gone over.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/forward/forward_values.h"

/// What the target of `for target in over` stands for in each turn.
typedef struct ForwardTurns {
  Followed *items;
  int count;
  bool has_more;  ///< There may be turns after these.
} ForwardTurns;

/// False if nothing is known of them.
bool forward_turns(ShapeWalk *walk, ShapeFrame *frame, PyRef over, int depth, ForwardTurns *ret_turns);
/// `[f(x) for x in xs]`
Followed forward_comprehension(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth);
/// Gives the names of `a`, `a, b` and `i, (a, b)` what a value is made of.
void forward_bind(ShapeWalk *walk, ShapeFrame *frame, PyRef target, Followed value);
/// What is written out as a tuple or a list; unknown if a part is `*more`, or if there are too many.
Followed forward_tuple_of(ShapeWalk *walk, ShapeFrame *frame, PyRef list, int depth);
