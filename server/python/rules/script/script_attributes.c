// Attributes that calls of operators give in @script() functions: they are Python values, and what the function makes
// is none. Run with onnxscript 0.7.

#include "base/limits.h"
#include "python/rules/script/script_calls.h"

/// What a parameter of a Python type can't be for an attribute of another one; NULL if it can.
static const char *misfit_of(Str annotation, const OnnxAttribute *attribute)
{
  bool is_float = str_equal(annotation, STR("float")), is_int = str_equal(annotation, STR("int"));
  bool is_text = str_equal(annotation, STR("str"));
  switch (attribute->type) {
  case ONNX_FLOAT:
    return is_int || is_text ? "the attribute is a float, and the parameter is not: write `name: float`" : NULL;
  case ONNX_INT:
    return is_float || is_text ? "the attribute is an int, and the parameter is not: write `name: int`" : NULL;
  case ONNX_STRING:
    return is_float || is_int ? "the attribute is a text, and the parameter is not: write `name: str`" : NULL;
  default:
    return NULL;
  }
}

static const OnnxSchema *schema_of(const ScriptCheck *check, const PyOp *at)
{
  const OnnxOperator *onnx =
      at && at->name_known ? symbolics_onnx_operator(sink_python(check->sink)->db, at->domain, at->name) : NULL;
  return onnx ? onnx_operator_at(onnx, at->opset > 0 ? at->opset : OPSET_LIMIT) : NULL;
}

/// `op.Transpose(x, perm=op.Shape(x))`: it is run when the function is compiled, and only a number comes back as one.
static bool is_made_by_operator(const ScriptCheck *check, const OnnxAttribute *attribute, PyRef value)
{
  const PyOp *op = py_model_op_at(check->model, value);
  bool is_constant = op && str_equal(op->name, STR("Constant")) && op->attribute_count == 1;
  Str keyword = is_constant ? check->model->attributes.items[op->first_attribute].keyword : (Str){ 0 };
  bool is_number = str_equal(keyword, STR("value_int")) || str_equal(keyword, STR("value_float"));
  return op && op->kind == PY_OP_ONNXSCRIPT && !(is_number && attribute->type != ONNX_TENSOR) &&
         !str_equal(keyword, STR("value"));
}

/// `axis=axis + 1` and `value_ints=[alpha, 2]` of a parameter or a value of the function: Python computes that when
/// the function is translated, where they are nothing yet.
static void check_computed(const ScriptCheck *check, PyRef value)
{
  const PyTree *tree = check->tree;
  for (PyRef node = value + 1; node < tree->nodes[value].next; node++) {
    PyNodeKind kind = script_kind(check, node);
    bool is_own = kind == PYK_LAMBDA || py_kind_is_comprehension(kind);
    if (is_own)
      node = tree->nodes[node].next - 1;
    if (is_own || kind != PYK_IDENTIFIER || tree->nodes[node].field == PY_F_ATTRIBUTE ||
        (py_kind(tree, tree->nodes[node].parent) == PYK_KEYWORD_ARGUMENT && tree->nodes[node].field == PY_F_NAME) ||
        !script_is_local(check, script_binding(check, node)))
      continue;
    script_say(check, node, "an attribute is computed before the function has this value");
    return;
  }
}

/// `op.LeakyRelu(x, alpha=slope)` of a parameter that is a tensor, as it has no type of Python, or of a value.
static void check_attribute(const ScriptCheck *check, const OnnxAttribute *attribute, PyRef value, bool is_named)
{
  if (py_file_is_only(py_file_value(sink_python(check->sink), value), PY_DTYPE)) {
    script_say(check, value, "a torch.dtype is no attribute; a type is a number of ONNX, such as FLOAT.dtype");
    return;
  }
  if (attribute && is_made_by_operator(check, attribute, value)) {
    script_say(check, value, "what an operator gives can't be an attribute");
    return;
  }
  const PyBinding *binding = script_kind(check, value) == PYK_IDENTIFIER ? script_binding(check, value) : NULL;
  if (attribute && script_kind(check, value) != PYK_IDENTIFIER && !py_model_op_at(check->model, value))
    check_computed(check, value);
  if (!attribute || !script_is_local(check, binding))
    return;
  if (binding->kind == PY_BIND_ASSIGN)
    script_say(check, value, "a value of the graph can't be an attribute");
  if (binding->kind != PY_BIND_PARAM)
    return;  // A graph is a function in this one.
  const PyParam *param = &check->model->params.items[binding->index];
  if (binding->next != PY_ABSENT)
    return;
  const char *misfit =
      is_named && param->annotation ? misfit_of(py_text(check->tree, param->annotation), attribute) : NULL;
  if (misfit)
    script_say(check, value, misfit);
  if (param->annotation && script_is_attribute_type(check, param->annotation))
    return;
  script_say(check, value,
             param->annotation ? "a tensor can't be an attribute"
                               : "a parameter without an annotation is a tensor, and can't be an attribute; for one, "
                                 "write `name: float`, for instance");
}

/// By name, and by position after all inputs.
void script_check_attributes(const ScriptCheck *check, PyRef node)
{
  const PyCall *call = py_model_call(check->model, node);
  const OnnxSchema *schema = schema_of(check, py_model_op_at(check->model, node));
  uint32_t position = 0;
  for (PY_EACH_ARGUMENT(check->model, argument, call)) {
    if (argument->is_splat || argument->is_dictionary_splat || !argument->value)
      return;
    bool is_late = schema && schema->max_input != ONNX_NO_LIMIT && position >= schema->max_input &&
                   position - schema->max_input < schema->attribute_count;
    const OnnxAttribute *attribute = !schema                     ? NULL
                                     : argument->keyword.len > 0 ? onnx_schema_attribute(schema, argument->keyword)
                                     : is_late                   ? &schema->attributes[position - schema->max_input]
                                                                 : NULL;
    if (argument->keyword.len > 0 || is_late)
      check_attribute(check, attribute, argument->value, argument->keyword.len > 0);
    position += argument->keyword.len == 0;
  }
}
