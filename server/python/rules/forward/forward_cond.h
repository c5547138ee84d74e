/// torch.cond() while shapes are followed: both of its branches are run with what it gives them. Private to rules/.
///
/// Units:     as ShapeWalk.
/// Errors:    a branch that can't be followed gives FOLLOWED_UNKNOWN.
/// Threads:   as DiagSink.
/// Sources:   torch 2.14, run: results may differ in sizes, not in rank.
#pragma once

#include "python/rules/forward/forward_values.h"

/// What the call gives; reports branches whose results have other ranks.
Followed forward_cond(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth);
