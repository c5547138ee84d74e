/// while_loop() and scan() while shapes are followed: one turn is run with what they begin with. Private to rules/.
///
/// Units:     as ShapeWalk.
/// Errors:    what can't be followed gives FOLLOWED_UNKNOWN.
/// Threads:   as DiagSink.
/// Sources:   torch 2.14, run: what a turn gives has the sizes and types of what it got.
#pragma once

#include "python/rules/forward/forward_values.h"

/// What the call gives; reports turns that change what is carried. `name` begins after "torch.".
Followed forward_loop(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth);
