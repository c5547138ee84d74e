/// One operator on one tensor while shapes are followed, and its arguments. Private to rules/.
///
/// Ownership: as ShapeWalk.
/// Units:     elements along an axis.
/// Errors:    what can't be told is unknown.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/forward/forward_ops.h"

typedef struct Operator {
  ShapeWalk *walk;
  ShapeFrame *frame;
  const PyCall *call;
  const Shape *given;
  Str element;     ///< Of the tensor; empty if unknown.
  uint32_t first;  ///< Where the arguments after the tensor begin.
  int depth;
} Operator;

typedef struct ForwardOperator {
  const char *name;
  Followed (*make)(const Operator *op);
} ForwardOperator;

/// Tables that end with NULL: what moves elements, what picks some, and what computes of several tensors.
extern const ForwardOperator forward_moving_operators[];
extern const ForwardOperator forward_picking_operators[];
extern const ForwardOperator forward_mixing_operators[];

Arena *forward_arena(const Operator *op);
/// The argument at that position after the tensor, or of that name; 0.
PyRef forward_argument(const Operator *op, uint32_t position, const char *name);
/// The number there, `absent` if it is not given; false if it is not known.
bool forward_number(const Operator *op, uint32_t position, const char *name, int64_t absent, int64_t *ret_number);
/// The numbers of a list, or a number by itself; how many, up to PY_SHAPE_RANK_LIMIT; -1 if one is not known.
int forward_numbers(const Operator *op, PyRef node, int64_t *numbers);
/// What that argument gives.
Followed forward_argument_value(const Operator *op, uint32_t position, const char *name);
/// Says that torch refuses the call; unknown.
Followed forward_refused(const Operator *op, Str why);
