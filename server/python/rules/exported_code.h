/// Which functions of a file run when its models are exported: forward(), and the methods, functions and modules of
/// the file that it calls, each with what is known of its parameters. Private to rules/.
///
/// Ownership: the caller frees the list; flags lie where the caller put them.
/// Units:     functions and parameters are indexes into the model's lists.
/// Errors:    a call that can't be followed is left out.
/// Threads:   as DiagSink.
/// Sources:   what torch.nn.Module.__call__ runs.
#pragma once

#include "base/vec.h"
#include "python/rules/forward_tensors.h"

typedef Vec(uint32_t) ExportedFunctions;

/// Adds to `functions`, which holds the forward() of each model, what they call, and notes in `tensor_params`
/// which parameters get tensors, and in `forward->tensor_results` which functions give one. `forward` says what each
/// body is looked at with.
void exported_code_follow(Forward *forward, bool *tensor_params, ExportedFunctions *functions);
/// Adds it unless it is there.
void exported_code_add(ExportedFunctions *functions, uint32_t function);
