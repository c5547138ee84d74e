/// What indexes make of tensors, sizes and tuples while shapes are followed: `x[:, 1:]`, `x.shape[0]`. Private to
/// rules/.
///
/// Units:     as ShapeWalk.
/// Errors:    an index that is not known gives FOLLOWED_UNKNOWN.
/// Threads:   as DiagSink.
/// Sources:   torch's basic indexing; run with torch 2.14.
#pragma once

#include "python/rules/forward/forward_values.h"

Followed forward_subscript(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth);
/// `a, b = x.unbind(1)` and, along the first axis, `a, b = x`: the axis has one size then.
Followed forward_taken_apart(ShapeWalk *walk, PyRef node, const Followed *given, int64_t at);
/// The x of `x.data`, whose sizes a trace has as the numbers that they are in the example: x.data.size(), x.data.shape.
Followed forward_data(const ShapeWalk *walk, PyRef data, Followed of);
/// A dict that is written out, which is not followed, but what is in it may fail.
Followed forward_dictionary(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth);
