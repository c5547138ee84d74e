/// Weights of modules that are no part of the model whose forward() uses them. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Errors:    what may become a part of the model, or be kept from needing a gradient, is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   as traced_weights.h.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// `backbone(x)` and `x @ scale` of names that are bound outside of the function.
void traced_foreign_check_name(Forward *forward, PyRef name);
/// `self.encode(x)` with `self.encode = net.encode`, which is `method`: a method brings no module with it.
void traced_foreign_check_method(Forward *forward, PyRef use, PyRef method);
