// Names of element types as ONNX does not spell them: TensorProto.FLOAT32, TensorProtoDataType.float.

#include "python/rules/python_edit.h"
#include "python/rules/value_check.h"

/// What the member of TensorProto was meant to be: FLOAT of FLOAT32, INT64 of int64; empty for what is one, or unknown.
static Str meant_type(Str name, Arena *arena)
{
  // Source: onnx.proto, TensorProto.DataType.
  static const char *const types[] = { "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",  "INT32",
                                       "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE", "UINT32",
                                       "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16" };
  static const struct {
    const char *name, *type;
  } others[] = {
    { "BFLOAT", "BFLOAT16" }, { "BOOLEAN", "BOOL" }, { "BYTE", "UINT8" }, { "CHAR", "INT8" },  { "FLOAT32", "FLOAT" },
    { "FLOAT64", "DOUBLE" },  { "HALF", "FLOAT16" }, { "INT", "INT32" },  { "LONG", "INT64" }, { "SHORT", "INT16" },
  };
  for (size_t i = 0; i < COUNT(types); i++) {
    if (str_equal_ignore_case(str_from(types[i]), name))
      return str_equal(str_from(types[i]), name) ? (Str){ 0 } : arena_copy(arena, str_from(types[i]));
  }
  for (size_t i = 0; i < COUNT(others); i++) {
    if (str_equal_ignore_case(str_from(others[i].name), name))
      return arena_copy(arena, str_from(others[i].type));
  }
  return (Str){ 0 };
}

void value_check_type_name(DiagSink *sink, PyRef attribute)
{
  static const char *const owners[] = { "onnx.TensorProto", "torch.onnx.TensorProtoDataType",
                                        "torch._C._onnx.TensorProtoDataType", "onnx.TensorProto.DataType" };
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef member = py_child(tree, attribute, PY_F_ATTRIBUTE);
  PyRef object = py_child(tree, attribute, PY_F_OBJECT);
  Str right = member ? meant_type(py_text(tree, member), sink->arena) : (Str){ 0 };
  if (right.len == 0 || !object ||
      !str_is_one_of(py_model_qualified(model, object, sink->arena), owners, COUNT(owners)) ||
      !sink_wants(sink, RULE_UNSTABLE_API, SEVERITY_ERROR))
    return;
  py_say(sink, RULE_UNSTABLE_API, SEVERITY_ERROR, member,
         arena_printf(sink->arena, "%.*s has no '%.*s': ONNX calls that type %.*s.", STR_ARG(py_text(tree, object)),
                      STR_ARG(py_text(tree, member)), STR_ARG(right)),
         py_edit_replace(sink, true, member, right));
}
