/// The branches of torch.cond(): what they give has to be new. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Errors:    a branch that is not in the file is not judged.
/// Threads:   as DiagSink.
/// Sources:   run with torch 2.14: "Encountered aliasing during higher order op tracing".
#pragma once

#include "python/rules/forward_tensors.h"

/// What a branch of the call gives that is an operand of it, or a view of one; 0 if none does.
PyRef capture_branches_alias(const Forward *forward, const PyCall *call);
/// The method that changes an operand in a branch, `add_` of `x.add_(1)`; 0 for none.
PyRef capture_branches_change(const Forward *forward, const PyCall *call);
