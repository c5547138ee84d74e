/// Element types that operators of PyTorch take as their first argument.
///
/// Units:     a set has bit N for type N of onnx.TensorProto.DataType.
/// Threads:   pure.
/// Sources:   run with a tensor of bool, of int64 and of float32 in torch 1.13, 2.6 and 2.14; OpInfo.dtypes of 2.14.
#pragma once

#include <stdint.h>

#include "base/str.h"

/// What a tensor given to "aten::elu" may hold, as PyTorch raises on all others (but complex numbers); 0 if it takes
/// whatever it gets, or that is not known.
uint32_t torch_input_elements(Str name);
/// Whether the operator counts: it takes bools, too, and what a model gives it are numbers.
bool torch_input_is_numeric(Str name);
