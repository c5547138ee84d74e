/// Which axes of an exported model's inputs take other sizes than those of the example. Private to rules/.
///
/// Units:     axes from the front.
/// Errors:    -1 where the file does not show it.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.export of torch 2.6 and 2.14; onnxruntime refuses other sizes on the others.
#pragma once

#include "python/rules/example_inputs.h"

/// 1 if dynamic_axes or dynamic_shapes leave the axis open, of which the example has `rank`, 0 if the model takes that
/// of the example alone; -1. `key` is the input's name in the model.
int session_axis_is_open(const ExportCall *export, const ExampleInput *input, Str key, int axis, int rank);
