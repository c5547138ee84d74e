/// Indexing with tensors that the TorchScript exporter refuses or converts wrongly. Private to rules/.
///
/// Ownership: borrows the Forward.
/// Units:     nodes of the sink's Python file.
/// Errors:    an index that can't be read is left in peace.
/// Threads:   as DiagSink.
/// Sources:   PyTorch's documentation of the TorchScript exporter, "Avoid unsupported indexing"; torch 1.13 at opset 16
///            and 2.6 at opset 17, run: a model in ONNX Runtime against eager mode.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Reports `x[i, j]` of forward(), be it read or written.
void tensor_indexing_check(Forward *forward, PyRef subscript);
