/// The fields of ONNX's messages, and what of them an expression is.
///
/// Ownership: names are constant.
/// Units:     nodes of the sink's Python file.
/// Errors:    empty where it is not known.
/// Threads:   as DiagSink.
/// Sources:   the descriptors of onnx 1.20 (proto_fields.def); run with onnx 1.12, 1.17 and 1.20.
#pragma once

#include "python/rules/python_report.h"

/// "onnx.NodeProto[]" of "onnx.GraphProto" and "node"; "int", "float", "str", "bytes", and lists of these.
Str proto_field_type(Str message, Str name);
/// False of "onnx.Other" and of classes of other packages.
bool proto_is_message(Str class_name);
static inline bool proto_is_list(Str type)
{
  return str_ends_with(type, STR("[]"));
}
/// "onnx.NodeProto" of "onnx.NodeProto[]"
static inline Str proto_element(Str type)
{
  return str_slice(type, 0, type.len - 2);
}
