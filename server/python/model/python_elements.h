/// Element types of tensors, and of the values that operators of ONNX make of others.
///
/// Units:     a set has bit N for type N of onnx.TensorProto.DataType; 0: nothing is known.
/// Threads:   pure.
/// Sources:   onnx.proto, TensorProto.DataType; torch.tensor(); the operators of which
///            torch/csrc/jit/passes/onnx/scalar_type_analysis.cpp makes the inputs one type, run with torch 1.13
///            and 2.6.
#pragma once

#include "facts/onnx_elements.h"
#include "facts/symbolics.h"
#include "python/model/python_file.h"

enum {
  ELEMENTS_FLOAT = 1 << ELEM_FLOAT,
  ELEMENTS_INT64 = 1 << ELEM_INT64,
  ELEMENTS_BOOL = 1 << ELEM_BOOL,
  ELEMENTS_FLOATS = 1 << ELEM_FLOAT | 1 << ELEM_FLOAT16 | 1 << ELEM_DOUBLE | 1 << ELEM_BFLOAT16,
  ELEMENTS_NUMBERS =
      ELEMENTS_FLOATS | 1 << ELEM_UINT8 | 1 << ELEM_INT8 | 1 << ELEM_INT16 | 1 << ELEM_INT32 | 1 << ELEM_INT64,
};

/// What a parameter of the operator may hold.
uint32_t elements_of_param(const OnnxSchema *schema, const OnnxParam *param);
/// The parameter that input `position` is for; NULL for one too many.
const OnnxParam *elements_param_at(const OnnxSchema *schema, uint32_t position);
/// The type of a dtype's name, "torch.float32" or "float32"; 0.
uint32_t elements_of_dtype(Str name);
/// "float", "int64": of a set of one. "float or int64" of more.
Str elements_text(uint32_t elements, Arena *arena);
/// "torch.float32", of a set of one; empty.
Str elements_dtype(uint32_t elements, Arena *arena);
/// The number of the type; 0 for a set that is not of one.
int elements_number(uint32_t elements);
/// Whether the TorchScript exporter casts inputs of this operator to one type, before torch 2 or since then.
bool elements_are_repaired(Str op, bool is_before_two);
