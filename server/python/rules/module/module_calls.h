/// Calls of the modules of a file by each other: `self.core(x)` against the forward() of what self.core is. Private to
/// rules/.
///
/// Ownership: as DiagSink.
/// Errors:    a call that can't be followed is right.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Reports a parameter that the call does not give, or an argument too many: each export runs the model.
void module_call_check(Forward *forward, const PyCall *call);
