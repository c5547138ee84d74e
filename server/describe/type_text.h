/// What a printed type means, in a line of words.
///
/// Ownership: results live in the arena or are literals.
/// Errors:    an empty string for a type that is not known.
/// Threads:   pure.
/// Sources:   aten/src/ATen/core/type.cpp, operator<<(Type), and its ancestors back to 0.4; onnx.helper.printable_type;
///            onnx/defs/parser.cc and printer.cc for models.
#pragma once

#include "base/memory.h"

/// "float32 tensor of shape [1, 3, 224, 224] (150,528 elements, 588 KiB), contiguous, on cpu"
Str type_explain(Str type, Arena *arena);
/// The same of a type in a model, where `float[]` is a tensor of any shape and `float` one without dimensions.
Str type_explain_onnx(Str type, Arena *arena);
/// The type without strides, device and requires_grad: "Float(1, 3, 224, 224)"; of a class the last name: "Conv2d".
Str type_brief(Str type, Arena *arena);

/// Which kind of argument a value of this type is, as schemas spell it.
typedef enum TypeClass {
  TYPE_UNKNOWN,
  TYPE_TENSOR,
  TYPE_INT,
  TYPE_FLOAT,
  TYPE_BOOL,
  TYPE_COMPLEX,
  TYPE_STRING,
  TYPE_NONE,
  TYPE_DEVICE,
  TYPE_LIST,
  TYPE_OTHER,
} TypeClass;
TypeClass type_class(Str type);
/// The type of a list's elements; `type` must be of TYPE_LIST.
Str type_element(Str type);
