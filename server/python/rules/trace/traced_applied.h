/// Calls of a torch.autograd.Function without symbolic(), in whose place the TorchScript exporter puts its forward().
/// Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    an argument that may hide nothing is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   run with torch 1.13 and 2.6.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// The autograd function of the file that `Class.apply`, or a name for it, is of; 0.
PyRef traced_applied_class(const PyModel *model, PyRef function);
/// Of a call that the TorchScript exporter surely runs.
void traced_applied_check(Forward *forward, const PyCall *call);
