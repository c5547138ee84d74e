/// Operators that cut, repeat and stretch tensors while shapes are followed. Private to rules/.
///
/// Ownership: tuples lie in the sink's arena.
/// Units:     elements along an axis.
/// Errors:    what can't be told is unknown.
/// Threads:   as DiagSink.
/// Sources:   torch's documentation; run with torch 1.13 and 2.6.
#pragma once

#include "python/rules/forward/forward_values.h"

/// What `name` makes of its tensor, whose other arguments begin at `first`; false for other operators.
bool forward_operator(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                      uint32_t first, int depth, Followed *ret_value);
/// `torch.stack([a, b], dim=1)`
Followed forward_stacked(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
/// `torch.einsum("bij,bjk->bik", a, b)`
Followed forward_einsum(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
