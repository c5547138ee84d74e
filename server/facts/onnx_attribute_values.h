/// The strings that an attribute of an ONNX operator may be, where the specification lists them.
///
/// Ownership: what it gives lives for ever.
/// Units:     opsets of ai.onnx.
/// Errors:    empty if nothing is listed.
/// Threads:   any.
/// Sources:   onnx docs/Operators.md and docs/Changelog.md; each tried, and one that is not listed, in ONNX
/// Runtime 1.21.
#pragma once

#include "base/str.h"

/// Parted by blanks: "nearest linear cubic". `opset` is any at which the operator has that schema.
Str onnx_attribute_values(Str op, Str attribute, uint32_t opset);
/// Cuts the next one off; false at the end.
bool onnx_attribute_next_value(Str *values, Str *ret_value);
