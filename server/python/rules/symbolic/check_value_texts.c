// Texts that values, nodes and types of the graph give, compared with what they never are: `x.type().scalarType() ==
// "float32"`.

#include "base/limits.h"
#include "python/rules/symbolic/value_check.h"

/// What an expression asks for.
typedef enum Asked {
  ASKS_NOTHING,
  ASKS_SCALAR_TYPE,  ///< x.type().scalarType()
  ASKS_NODE_KIND,    ///< x.node().kind()
  ASKS_TYPE_KIND,    ///< x.type().kind()
} Asked;

static Asked asked_by(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  const PyCall *call = py_model_call(file->model, py_model_resolve(file->model, node));
  if (!call || call->argument_count > 0 || py_kind(tree, call->function_node) != PYK_ATTRIBUTE)
    return ASKS_NOTHING;
  PyRef object = py_tree_object(tree, call->function_node);
  Str method = py_tree_member_name(tree, call->function_node);
  bool is_of_type = py_file_is_only(py_file_value(file, object), PY_TYPE);
  if (str_equal(method, STR("scalarType")))
    return is_of_type ? ASKS_SCALAR_TYPE : ASKS_NOTHING;
  if (!str_equal(method, STR("kind")))
    return ASKS_NOTHING;
  return is_of_type                                                   ? ASKS_TYPE_KIND
         : value_is_node(sink, py_model_resolve(file->model, object)) ? ASKS_NODE_KIND
                                                                      : ASKS_NOTHING;
}

static bool may_be(Asked asked, Str text)
{
  // What torch._C.TensorType.scalarType() gives in torch 1.13, 2.6 and 2.14.
  static const char *const types[] = {
    "Byte",
    "Char",
    "Short",
    "Int",
    "Long",
    "Half",
    "Float",
    "Double",
    "ComplexHalf",
    "ComplexFloat",
    "ComplexDouble",
    "Bool",
    "QInt8",
    "QUInt8",
    "QInt32",
    "BFloat16",
    "QUInt4x2",
    "QUInt2x4",
    "Float8_e5m2",
    "Float8_e4m3fn",
    "Float8_e5m2fnuz",
    "Float8_e4m3fnuz",
    "Float8_e8m0fnu",
    "Undefined",
    "UInt16",
    "UInt32",
    "UInt64",
  };
  switch (asked) {
  case ASKS_SCALAR_TYPE:
    return str_is_one_of(text, types, COUNT(types));
  case ASKS_NODE_KIND:
    return str_contains(text, STR("::"));
  case ASKS_TYPE_KIND:
    return str_ends_with(text, STR("Type"));
  default:
    return true;
  }
}

static void check_text(DiagSink *sink, Asked asked, PyRef literal)
{
  Str text;
  PyRef written = py_model_resolve(sink_python(sink)->model, literal);
  if (py_kind(&sink_python(sink)->model->tree, written) != PYK_STRING ||
      !py_model_string(sink_python(sink)->model, written, sink->arena, &text) || may_be(asked, text) ||
      !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING))
    return;
  const char *then = asked == ASKS_SCALAR_TYPE ? "scalarType() gives names such as 'Float', 'Half' and 'Long'"
                     : asked == ASKS_NODE_KIND ? "kind() of a node has the namespace, as in 'onnx::Constant'"
                                               : "kind() of a type gives names such as 'TensorType' and 'ListType'";
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING, literal,
         arena_printf(sink->arena, "It is never '%.*s': %s.", STR_ARG(str_slice(text, 0, 40)), then), NULL);
}

/// `g.opset == "13"`
static void check_opset_text(DiagSink *sink, PyRef opset, PyRef text)
{
  const PyFile *file = sink_python(sink);
  PyRef graph = py_tree_object(&file->model->tree, opset);
  if (!graph || !str_is(py_tree_member_name(&file->model->tree, opset), "opset") ||
      !py_file_is_only(py_file_value(file, graph), PY_GRAPH) ||
      !py_file_is_only(py_file_value(file, text), PY_STRING) ||
      !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, SEVERITY_WARNING, text,
         arena_printf(sink->arena, "'%.*s' is an int, and never a text.", STR_ARG(py_text(&file->model->tree, opset))),
         NULL);
}

/// `a == "x"`, `a != "x"`, `a in ("x", "y")`
void value_check_texts(DiagSink *sink, PyRef comparison)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyComparison at = py_tree_comparison(tree, comparison);
  if (!at.right)
    return;
  check_opset_text(sink, at.left, at.right);
  Str op = py_text(tree, at.sign);
  bool is_equality = str_equal(op, STR("==")) || str_equal(op, STR("!="));
  if (!is_equality && !str_equal(op, STR("in")) && !str_equal(op, STR("not in")))
    return;
  PyRef list = is_equality ? 0 : py_model_resolve(model, at.right);
  PyNodeKind kind = is_equality ? PYK_OTHER : py_kind(tree, list);
  if (!is_equality && kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_SET)
    return;
  Asked asked = asked_by(sink, at.left);
  if (asked == ASKS_NOTHING && is_equality) {
    asked = asked_by(sink, at.right);
    at.right = at.left;
  }
  if (asked == ASKS_NOTHING)
    return;
  if (is_equality)
    check_text(sink, asked, at.right);
  int seen = 0;
  for (PyRef item = list ? py_tree_first_element(tree, list) : 0; item && seen < PY_ELEMENT_LIMIT;
       item = py_tree_next_element(tree, item), seen++)
    check_text(sink, asked, item);
}
