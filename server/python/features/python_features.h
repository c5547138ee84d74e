/// The Python side of features that dumps have, too; and what its files share.
///
/// Ownership: results live in the context's arena, or in the snapshot.
/// Units:     as in features.h.
/// Errors:    none; empty for files that have nothing to do with torch.onnx.
/// Threads:   pure.
/// Sources:   as in features.h.
#pragma once

#include "python/model/python_file.h"
#include "core/features.h"

SymbolList symbols_of_python(const FeatureContext *context);
InlayHintList inlay_hints_of_python(const FeatureContext *context, Range range);
LocationList definition_in_python(const FeatureContext *context, size_t offset);
LocationList references_in_python(const FeatureContext *context, size_t offset, bool include_declaration);

/// "aten::elu, opset 9"; empty if it is not registered here.
Str py_function_detail(const PyFile *file, uint32_t function, Arena *arena);
/// Its name, or `lambda`.
Range py_function_selection(const PyFile *file, uint32_t function);
/// With its decorators.
Range py_function_range(const PyFile *file, uint32_t function);
static inline Range py_range(const PyTree *tree, PyRef node)
{
  return (Range){ tree->nodes[node].start, tree->nodes[node].end };
}
