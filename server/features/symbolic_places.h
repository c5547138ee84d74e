/// Places of symbolic functions, for definitions.
///
/// Ownership: results live in the context's arena.
/// Units:     as in features.h.
/// Errors:    an empty list if no function is known.
/// Threads:   as in features.h.
/// Sources:   none.
#pragma once

#include "features/features.h"

/// The functions that convert `op` (as a graph prints it): those of the workspace, else torch's own that the target's
/// opset chooses, if its source is at hand. `origin` is what was asked about.
LocationList symbolic_places(const FeatureContext *context, Str op, Range origin);
