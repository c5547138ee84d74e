// What is asked of the types of graph values, `x.type()`, and given to setType(). torch 1.13, 2.6 and 2.14 agree on
// all.

#include "python/rules/symbolic/value_check.h"

// --- Members ---

/// What some type of the graph has: dir() of the classes under torch._C.Type.
static const char *const type_members[] = {
  "annotation_str",
  "containedTypes",
  "contiguous",
  "create_from_tensor",
  "device",
  "dim",
  "dtype",
  "elements",
  "get",
  "getElementType",
  "getInferred",
  "getKeyType",
  "getMethod",
  "getMethodNames",
  "getValueType",
  "isSubtypeOf",
  "kind",
  "is_interface_type",
  "method_names",
  "name",
  "ofBools",
  "ofComplexDoubles",
  "ofFloats",
  "ofInts",
  "ofStrings",
  "ofTensor",
  "ofTensors",
  "qualified_name",
  "requires_grad",
  "scalarType",
  "sizes",
  "str",
  "strides",
  "symbolic_sizes",
  "undefined",
  "varyingSizes",
  "with_device",
  "with_dtype",
  "with_sizes",
};

static bool is_type_member(Str name)
{
  return str_is_one_of(name, type_members, COUNT(type_members)) || str_starts_with(name, STR("_"));
}

static bool is_type_of_value(DiagSink *sink, PyRef node)
{
  return node && py_file_is_only(py_file_value(sink_python(sink), node), PY_TYPE);
}

/// Whether what a method gives is meant, and not the method itself: it is asked for a member or an element, compared,
/// computed with, or given to a function that has no use for a method.
static bool is_used_as_result(const PyModel *model, PyRef node)
{
  static const char *const builtins[] = { "len", "int", "float", "list", "tuple", "range", "max", "min", "sum" };
  const PyTree *tree = &model->tree;
  PyRef parent = tree->nodes[node].parent;
  PyNodeKind kind = py_kind(tree, parent);
  const PyCall *call = py_model_call_of_list(model, parent);
  if (call)
    return str_is_one_of(call->qualified, builtins, COUNT(builtins));
  return kind == PYK_ATTRIBUTE || kind == PYK_BINARY_OPERATOR || kind == PYK_COMPARISON_OPERATOR ||
         (kind == PYK_SUBSCRIPT && tree->nodes[node].field == PY_F_VALUE);
}

/// `x.type().sizes[0]`, `x.type.sizes()`: a method that was meant to be called.
static void check_uncalled(DiagSink *sink, PyRef node, Str name)
{
  static const char *const of_value[] = { "type", "node", "uses", "debugName" };
  const PyFile *file = sink_python(sink);
  PyRef object = py_tree_object(&file->model->tree, node);
  bool is_method = (value_is_of_graph(sink, object) && str_is_one_of(name, of_value, COUNT(of_value))) ||
                   (is_type_of_value(sink, object) && is_type_member(name) && !str_equal(name, STR("annotation_str")));
  if (!is_method || !is_used_as_result(file->model, node) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  PyRef member = py_tree_member(&file->model->tree, node);
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, member,
         arena_printf(sink->arena, "'%.*s' is a method: call it, %.*s().", STR_ARG(name), STR_ARG(name)),
         py_edit_after(sink, true, STR("Call it"), member, STR("()")));
}

void value_check_type_member(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef name = py_tree_member(tree, node);
  if (name && tree->nodes[node].field != PY_F_FUNCTION)
    check_uncalled(sink, node, py_text(tree, name));
  if (!name || !is_type_of_value(sink, py_tree_object(tree, node)) || is_type_member(py_text(tree, name)) ||
      py_file_asks_version(file, node) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, name,
         arena_printf(sink->arena,
                      "A type of the graph has no '%.*s'; one of a tensor has scalarType(), sizes(), dim(), "
                      "with_dtype() and with_sizes().",
                      STR_ARG(py_text(tree, name))),
         NULL);
}

// --- Arguments ---

/// `x.type().dtype` without parentheses is a method, as all but one of a type's members are.
static PyValue given(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef value = py_model_resolve(sink_python(sink)->model, node);
  bool is_method = py_kind(tree, value) == PYK_ATTRIBUTE && is_type_member(py_tree_member_name(tree, value)) &&
                   !str_equal(py_tree_member_name(tree, value), STR("annotation_str")) &&
                   is_type_of_value(sink, py_tree_object(tree, value));
  return is_method ? (PyValue){ .kinds = PY_FUNCTION, .length = -1 } : py_file_value(sink_python(sink), node);
}

/// `y.setType(torch.float32)`
static void check_set_type(DiagSink *sink, const PyArgument *first)
{
  PyValue value = given(sink, first->value);
  if (!py_file_is_only(value, PY_DTYPE | PY_STRING | PY_INT | PY_FLOAT | PY_NONE | PY_BOOL | PY_VALUE | PY_LIST |
                                  PY_FUNCTION) ||
      !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, first->value,
         arena_printf(sink->arena,
                      "setType() takes a type of the graph, such as that of an input, x.type(), and this is %.*s.",
                      STR_ARG(py_file_value_text(value, sink->arena))),
         NULL);
}

/// `x.type().with_dtype(1)`, `x.type().with_sizes(3)`
static void check_with(DiagSink *sink, Str name, const PyArgument *first)
{
  const uint32_t others =
      PY_STRING | PY_INT | PY_FLOAT | PY_BOOL | PY_VALUE | PY_DICT | PY_DEVICE | PY_TENSOR | PY_FUNCTION;
  bool wants_dtype = str_equal(name, STR("with_dtype"));
  PyValue value = given(sink, first->value);
  if ((!wants_dtype && !str_equal(name, STR("with_sizes"))) ||
      !py_file_is_only(value, others | (wants_dtype ? PY_LIST | PY_NONE : PY_DTYPE)) ||
      !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, first->value,
         arena_printf(sink->arena, "%.*s() takes %s, and this is %.*s.", STR_ARG(name),
                      wants_dtype ? "a dtype of torch, such as torch.float32" : "a list of ints",
                      STR_ARG(py_file_value_text(value, sink->arena))),
         NULL);
}

void value_check_type_call(DiagSink *sink, const PyCall *call, const PyArgument *first)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  if (py_kind(tree, call->function_node) != PYK_ATTRIBUTE)
    return;
  PyRef object = py_tree_object(tree, call->function_node);
  Str name = py_tree_member_name(tree, call->function_node);
  if (str_equal(name, STR("setType")) && value_is_of_graph(sink, object))
    check_set_type(sink, first);
  else if (is_type_of_value(sink, object))
    check_with(sink, name, first);
}
