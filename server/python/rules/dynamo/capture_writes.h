/// Writes of forward() into tensors that torch.export holds for constants, on which the exporter to ONNX fails. Private
/// to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Errors:    what may be another tensor is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   exports with torch 2.14 and run_decompositions() of 2.6 and 2.14: a plain tensor of a module and one of
/// the
///            file are constants, which only a buffer is not; a parameter that needs a gradient can't be written to.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// `self.k[:, :n] = x` and `self.k += x`, of the target.
void capture_writes_check(Forward *forward, PyRef target);
/// `self.k.copy_(x)`
void capture_writes_check_call(Forward *forward, const PyCall *call);
