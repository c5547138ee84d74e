/// Functions that torch.cond() and loops run, while shapes are followed. Private to rules/.
///
/// Units:     as ShapeWalk.
/// Errors:    a function that can't be followed gives FOLLOWED_UNKNOWN.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/forward/forward_values.h"

/// What a lambda, a function or a method, `function`, gives of a tuple of values. One that stands in forward() sees the
/// names around it.
Followed forward_apply(ShapeWalk *walk, ShapeFrame *frame, PyRef function, const Followed *given, int depth);
