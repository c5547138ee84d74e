/// ONNX text as a graph language.
///
/// Ownership: a constant.
/// Threads:   as core/language.h says.
/// Sources:   docs/architecture.md, "Languages".
#pragma once

#include "core/language.h"
#include "graph/model/dialect.h"

extern const Language onnx_text_language;

/// The version of the default domain that the text imports; 0 if it says none near its beginning.
int onnx_text_opset(const Document *document);

// What dialects of ONNX models share, whose `read_model` is set.

Str onnx_model_type_at(const Snapshot *snapshot, size_t offset, Arena *arena);
Str onnx_model_origin_at(const Snapshot *snapshot, size_t offset, Arena *arena);
FoundTypes onnx_model_types_in(const Snapshot *snapshot, Range range, Arena *arena);
ModelNeeds onnx_model_needs(const Snapshot *snapshot, Arena *arena);
/// False: the rules of models say what is unused.
bool onnx_model_tells_unused(ItemKind kind, Str op);
