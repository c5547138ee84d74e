// Names of element types as ONNX does not spell them: TensorProto.FLOAT32, TensorProtoDataType.float.

#include "base/ascii.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/value_check.h"

/// What the member of TensorProto was meant to be: FLOAT of FLOAT32, INT64 of int64; empty for what is one, or unknown.
Str value_type_meant(Str name)
{
  // Source: onnx.proto, TensorProto.DataType.
  static const struct {
    Str name, type;
  } types[] = {
    { STR_INIT("FLOAT"), STR_INIT("FLOAT") },
    { STR_INIT("UINT8"), STR_INIT("UINT8") },
    { STR_INIT("INT8"), STR_INIT("INT8") },
    { STR_INIT("UINT16"), STR_INIT("UINT16") },
    { STR_INIT("INT16"), STR_INIT("INT16") },
    { STR_INIT("INT32"), STR_INIT("INT32") },
    { STR_INIT("INT64"), STR_INIT("INT64") },
    { STR_INIT("STRING"), STR_INIT("STRING") },
    { STR_INIT("BOOL"), STR_INIT("BOOL") },
    { STR_INIT("FLOAT16"), STR_INIT("FLOAT16") },
    { STR_INIT("DOUBLE"), STR_INIT("DOUBLE") },
    { STR_INIT("UINT32"), STR_INIT("UINT32") },
    { STR_INIT("UINT64"), STR_INIT("UINT64") },
    { STR_INIT("COMPLEX64"), STR_INIT("COMPLEX64") },
    { STR_INIT("COMPLEX128"), STR_INIT("COMPLEX128") },
    { STR_INIT("BFLOAT16"), STR_INIT("BFLOAT16") },
    { STR_INIT("BFLOAT"), STR_INIT("BFLOAT16") },
    { STR_INIT("BOOLEAN"), STR_INIT("BOOL") },
    { STR_INIT("BYTE"), STR_INIT("UINT8") },
    { STR_INIT("CHAR"), STR_INIT("INT8") },
    { STR_INIT("FLOAT32"), STR_INIT("FLOAT") },
    { STR_INIT("FLOAT64"), STR_INIT("DOUBLE") },
    { STR_INIT("HALF"), STR_INIT("FLOAT16") },
    { STR_INIT("INT"), STR_INIT("INT32") },
    { STR_INIT("LONG"), STR_INIT("INT64") },
    { STR_INIT("SHORT"), STR_INIT("INT16") },
  };
  for (size_t i = 0; name.len > 2 && i < COUNT(types); i++) {  // Most members are `op`.
    if (types[i].name.len == name.len && str_equal_ignore_case(types[i].name, name))
      return str_equal(types[i].type, name) ? (Str){ 0 } : types[i].type;
  }
  return (Str){ 0 };
}

/// `JitScalarType.from_tensor(x)`, and what it has only since torch 2. Source: vars() of it in torch 1.13, 2.6
/// and 2.14.
static void check_scalar_type(DiagSink *sink, PyRef attribute)
{
  static const char *const always[] = { "dtype",     "from_dtype",  "from_name", "onnx_compatible",
                                        "onnx_type", "scalar_name", "torch_name" };
  static const char *const since_two[] = { "from_onnx_type", "from_value" };
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef object = py_tree_object(tree, attribute);
  Str name = py_tree_member_name(tree, attribute);
  Str owner = name.len > 0 && !ascii_is_upper(name.data[0]) && str_find_char(name, '_', 0) != STR_NOT_FOUND
                  ? py_model_qualified(file->model, object, sink->arena)
                  : (Str){ 0 };
  bool is_new = str_is_one_of(name, since_two, COUNT(since_two));
  if (!str_starts_with(owner, STR("torch.onnx.")) || !str_ends_with(owner, STR(".JitScalarType")) ||
      str_is_one_of(name, always, COUNT(always)) || (is_new && !py_file_torch_is_before(file, BEFORE_TWO)) ||
      py_file_asks_version(file, attribute) || !sink_wants(sink, RULE_UNSTABLE_API, SEVERITY_ERROR))
    return;
  py_say(sink, RULE_UNSTABLE_API, SEVERITY_ERROR, py_tree_member(tree, attribute),
         arena_printf(sink->arena, "JitScalarType has no '%.*s'%s.", STR_ARG(name),
                      is_new ? " before torch 2" : ": from_value() takes a graph value"),
         NULL);
}

void value_check_type_name(DiagSink *sink, PyRef attribute)
{
  check_scalar_type(sink, attribute);
  static const char *const owners[] = { "onnx.TensorProto", "torch.onnx.TensorProtoDataType",
                                        "torch._C._onnx.TensorProtoDataType", "onnx.TensorProto.DataType" };
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef member = py_tree_member(tree, attribute);
  PyRef object = py_tree_object(tree, attribute);
  Str right = member ? value_type_meant(py_text(tree, member)) : (Str){ 0 };
  if (right.len == 0 || !object ||
      !str_is_one_of(py_model_qualified(model, object, sink->arena), owners, COUNT(owners)) ||
      !sink_wants(sink, RULE_UNSTABLE_API, SEVERITY_ERROR))
    return;
  py_say(sink, RULE_UNSTABLE_API, SEVERITY_ERROR, member,
         arena_printf(sink->arena, "%.*s has no '%.*s': ONNX calls that type %.*s.", STR_ARG(py_text(tree, object)),
                      STR_ARG(py_text(tree, member)), STR_ARG(right)),
         py_edit_replace(sink, true, member, right));
}
