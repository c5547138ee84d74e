/// Functions of torch in forward() that the TorchScript exporter can't convert at any opset. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    nothing is said where an export may take another exporter, or a file registers functions.
/// Threads:   as DiagSink.
/// Sources:   exports of PyTorch's own database of operators with torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/forward_tensors.h"

/// Of a call that an export surely runs.
void traced_support_check(Forward *forward, const PyCall *call);
