/// What torch.cond(), while_loop() and scan() run: what it gives has to be new. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Errors:    a branch that is not in the file is not judged.
/// Threads:   as DiagSink.
/// Sources:   run with torch 2.14: "Encountered aliasing during higher order op tracing".
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// What a function that the call runs gives back that it got, or a view of it; 0 if none does. `ret_runner` is
/// "torch.cond()" then.
PyRef capture_branches_alias(Forward *forward, const PyCall *call, const char **ret_runner);
/// The method that changes what such a function gets, `add_` of `x.add_(1)`; 0 for none.
PyRef capture_branches_change(Forward *forward, const PyCall *call, const char **ret_runner);
