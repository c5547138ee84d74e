/// Weights of a convolution that a custom operator gives without a shape. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what may have a type in another way is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   run with torch 1.13, which takes the shape of the example, 2.6 and 2.14.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Of a call that the TorchScript exporter surely runs.
void untyped_weights_check(Forward *forward, const PyCall *call);
