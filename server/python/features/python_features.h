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

CallItemList python_call_items(const FeatureContext *context, size_t offset);
void python_complete(CompletionJob *job);
LocationList python_definition(const FeatureContext *context, size_t offset);
bool python_hover(const FeatureContext *context, size_t offset, Hover *ret_hover);
CallEdgeList python_incoming_calls(const FeatureContext *context, size_t offset);
InlayHintList python_inlay_hints(const FeatureContext *context, Range range);
LensList python_lenses(const FeatureContext *context);
CallEdgeList python_outgoing_calls(const FeatureContext *context, size_t offset);
LocationList python_references(const FeatureContext *context, size_t offset, bool include_declaration);
SignatureList python_signature(const FeatureContext *context, size_t offset);
SymbolList python_symbols(const FeatureContext *context);

/// "aten::elu, opset 9"; empty if it is not registered here.
Str python_function_detail(const PyFile *file, uint32_t function, Arena *arena);
/// Its name, or the word "lambda".
Range python_function_selection(const PyFile *file, uint32_t function);
/// With its decorators.
Range python_function_range(const PyFile *file, uint32_t function);
static inline Range py_range(const PyTree *tree, PyRef node)
{
  return (Range){ tree->nodes[node].start, tree->nodes[node].end };
}

/// The table: a line for each of them.
#define PYTHON_FEATURES                                                                                                \
  {                                                                                                                    \
    .call_items = python_call_items, .complete = python_complete, .definition = python_definition,                     \
    .hover = python_hover, .implementation = python_definition, .incoming_calls = python_incoming_calls,               \
    .inlay_hints = python_inlay_hints, .lenses = python_lenses, .outgoing_calls = python_outgoing_calls,               \
    .references = python_references, .signature = python_signature, .symbols = python_symbols,                         \
  }
