/// TorchScript IR: graphs that torch prints, ONNX-lowered and printable graphs, whole or inside a log.
///
/// Ownership: a constant.
/// Threads:   immutable.
/// Sources:   torch/csrc/jit/ir/ir.cpp; onnx.helper.printable_graph.
#pragma once

#include "core/language.h"

extern const Language torchscript_language;
