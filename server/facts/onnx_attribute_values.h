/// The strings that an attribute of an ONNX operator may be, where the specification lists them.
///
/// Ownership: what it gives lives for ever.
/// Units:     opsets of the operator's domain.
/// Errors:    empty if nothing is listed.
/// Threads:   any.
/// Sources:   onnx docs/Operators.md and docs/Changelog.md; each tried, and one that is not listed, in ONNX
/// Runtime 1.21 and 1.23.
#pragma once

#include "base/memory.h"

typedef struct OnnxAttributeWords {
  Str values;    ///< Parted by blanks: "nearest linear cubic". Empty if nothing is listed.
  Str taken_as;  ///< What ONNX Runtime computes for any other word; empty if it refuses it.
} OnnxAttributeWords;

/// `opset` is any at which the operator has that schema.
OnnxAttributeWords onnx_attribute_values(Str op, Str attribute, uint32_t opset);
/// Cuts the next one off; false at the end.
bool onnx_attribute_next_value(Str *values, Str *ret_value);
bool onnx_attribute_has_value(OnnxAttributeWords words, Str value);
/// "nearest, linear or cubic"
Str onnx_attribute_list(OnnxAttributeWords words, Arena *arena);
