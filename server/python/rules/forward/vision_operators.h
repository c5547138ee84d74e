/// Operators of torchvision that an exporter has no function for. Private to rules/.
///
/// Ownership: what is returned is static.
/// Threads:   as DiagSink.
/// Sources:   exports with torchvision 0.21 (torch 2.6) and 0.29 (torch 2.14, onnxscript 0.7).
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// "torchvision::deform_conv2d" of a call of that function or of a layer that is made of it; empty for others, and for
/// what the exporter converts.
Str vision_operator_refused(const Forward *forward, const PyCall *call, Exporter exporter);
