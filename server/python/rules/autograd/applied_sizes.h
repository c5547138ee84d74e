/// Sizes that symbolic() of a torch.autograd.Function asks for and that are open in an export. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what may be asked for first is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   run with torch 1.13, 2.6 and 2.14: sizes() is None where one of them is open.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Of `Class.apply(...)` that the TorchScript exporter surely runs.
void applied_sizes_check(Forward *forward, const PyCall *call, PyRef class_node);
