/// Tensors that are computed of parameters before forward() runs, and so need a gradient. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not sure is not said to be so.
/// Threads:   as DiagSink.
/// Sources:   as traced_weights.h; which functions give what can be differentiated: derivatives.yaml of PyTorch.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// `nn.Parameter(x) * 0.1`, `nn.Parameter(x).half()`, `torch.inverse(self.weight)` and `self.embed(ids)` in a method of
/// the class.
bool computed_weights(const Forward *forward, PyRef class_node, PyRef made);
