/// Writes through a view in forward(), which the TorchScript exporter makes in a copy. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   torch/csrc/jit/passes/onnx/remove_inplace_ops_for_onnx.cpp; run with torch 2.6 and 2.14, and the models
///            in ONNX Runtime.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Of `y.view(-1)[i] = 1`, where `subscript` is what is written.
void traced_writes_check(Forward *forward, PyRef subscript);
/// Of `y.t().mul_(2)` as a statement.
void traced_writes_check_call(Forward *forward, const PyCall *call);
/// Of `row += 1`, where `row` is a view.
void traced_writes_check_sum(Forward *forward, PyRef assignment);
