/// ONNX text as a graph language.
///
/// Ownership: a constant.
/// Threads:   as core/language.h says.
/// Sources:   docs/architecture.md, "Languages".
#pragma once

#include "core/language.h"

extern const Language onnx_text_language;

/// The version of the default domain that the text imports; 0 if it says none near its beginning.
int onnx_text_opset(const Document *document);
