/// What an exported model's inputs take: their places, and which axes take other sizes than those of the example.
/// Private to rules/.
///
/// Ownership: messages lie in the sink's arena.
/// Units:     places from 0.
/// Errors:    NULL or empty where the file does not show it.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.export of torch 2.6 and 2.14; onnxruntime refuses other sizes on the others.
#pragma once

#include "python/rules/export/example_inputs.h"

/// The input of that place among those that the export gives; NULL.
const ExampleInput *session_input_at(const ExampleInputs *inputs, size_t place);
/// The inputs with tuples of tensors taken apart, as an exporter does; NULL if there is none, or not all is known.
ExampleInputs *session_leaves(const ExportCall *export, const ExampleInputs *inputs);
/// What is wrong with a shape for the input, whose name in the model is `key`; empty.
Str session_wrong_shape(const ExportCall *export, const ExampleInput *input, Str key, const ExampleShape *given);
/// "(1, 3)"
Str session_shape_words(const ExampleShape *shape, Arena *arena);
/// The same of element types, as far as both are known.
Str session_wrong_type(Str wanted, Str given, Arena *arena);
