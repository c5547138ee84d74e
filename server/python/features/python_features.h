/// The features of Python files, and what their files share; core/features.h says what each feature answers.
///
/// Ownership: results live in the context's arena, or in the snapshot.
/// Units:     as in features.h.
/// Errors:    empty for files that have nothing to do with torch.onnx.
/// Threads:   pure.
/// Sources:   as in features.h.
#pragma once

#include "core/features.h"
#include "python/model/python_file.h"

#define PYTHON_FEATURE(result, name, ...) result python_##name(__VA_ARGS__);
LANGUAGE_FEATURES(PYTHON_FEATURE, LANGUAGE_FEATURE_LEFT_OUT, PYTHON_FEATURE)
#undef PYTHON_FEATURE

/// "aten::elu, opset 9"; empty if it is not registered here.
Str python_function_detail(const PyFile *file, uint32_t function, Arena *arena);
/// Its name, or the word "lambda".
Range python_function_selection(const PyFile *file, uint32_t function);
/// With its decorators.
Range python_function_range(const PyFile *file, uint32_t function);
static inline Range py_node_range(const PyTree *tree, PyRef node)
{
  return (Range){ tree->nodes[node].start, tree->nodes[node].end };
}
