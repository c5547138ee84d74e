/// Where the installed torch or onnxscript converts an operator: its own symbolic functions and translations, found in
/// the source roots.
///
/// Ownership: results live in the context's arena.
/// Errors:    an empty list if no source root has them.
/// Threads:   pure, but for the context's file functions.
/// Sources:   torch/onnx/_internal/registration.py for which file of symbolic functions an export chooses.
#pragma once

#include "core/features.h"

/// `op` is a name of the facts: "aten::relu". `origin` is what was asked about.
LocationList torch_source_find(const FeatureContext *context, Str op, Range origin);
