/// What onnx_ir prints of a model (`print(onnx_program.model)`) as a graph language.
///
/// Ownership: a constant.
/// Threads:   as core/language.h says.
/// Sources:   docs/architecture.md, "Languages".
#pragma once

#include "core/language.h"

extern const Language onnx_ir_language;
