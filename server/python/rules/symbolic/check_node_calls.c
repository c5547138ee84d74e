// Calls in symbolic functions of what takes something else than the values of the graph that they have: forward() of a
// torch.autograd.Function, and the methods of a node that read one kind of attribute.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/value_check.h"

// --- forward() ---

/// The torch.autograd.Function whose forward() or apply() is called: `Swish.forward(None, x)`, `cls.apply(x)`; NULL.
static const PyClass *function_called(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  Str name = py_tree_member_name(tree, call->function_node);
  PyRef object = py_tree_object(tree, call->function_node);
  if (!str_equal(name, STR("forward")) && !str_equal(name, STR("apply")))
    return NULL;
  const PyClass *class = py_model_class_at(model, py_model_class_named(model, py_model_resolve(model, object)));
  return class && class->is_autograd ? class : NULL;
}

/// Whether forward() gives back a parameter as it is, which it may do with anything.
static bool passes_through(const PyModel *model, const PyClass *class)
{
  uint32_t forward = py_model_class_function(model, class->node, STR("forward"));
  PyRef returned = forward == PY_ABSENT ? 0 : model->functions.items[forward].returned;
  const PyBinding *binding = returned ? py_model_binding_at(model, py_tree_strip(&model->tree, returned)) : NULL;
  return forward == PY_ABSENT || (binding && binding->kind == PY_BIND_PARAM);
}

static void check_forward(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyClass *class = call->scope == PY_ABSENT ? NULL : function_called(model, call);
  if (!class || passes_through(model, class))
    return;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (!argument->value || !value_is_of_graph(sink, argument->value))
      continue;
    py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, call->node,
           arena_printf(sink->arena,
                        "%.*s() computes with tensors, and '%.*s' is of the graph: make nodes of ONNX operators with "
                        "g.op().",
                        STR_ARG(py_tree_member_name(&model->tree, call->function_node)),
                        STR_ARG(str_slice(py_text(&model->tree, argument->value), 0, 40))),
           NULL);
    return;
  }
}

// --- Nodes ---

/// `x.node().f("value")`: a constant of the exporter holds a tensor, or a string. Run with torch 1.13, 2.6 and 2.14.
static void check_constant_kind(DiagSink *sink, const PyCall *call)
{
  static const char *const kinds[] = { "f", "fs", "i", "is", "ss", "ts" };
  const PyModel *model = sink_python(sink)->model;
  PyRef object = py_tree_object(&model->tree, call->function_node);
  Str kind = py_tree_member_name(&model->tree, call->function_node);
  bool is_read = object && str_is_one_of(kind, kinds, COUNT(kinds));
  const PyArgument *key = is_read ? py_model_argument(model, call, 0, "name") : NULL;
  Str text;
  if (!key || !key->value || !value_is_node(sink, py_model_resolve(model, object)) ||
      !py_model_string(model, key->value, sink->arena, &text) || !str_equal(text, STR("value")))
    return;
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, py_tree_member(&model->tree, call->function_node),
         arena_printf(sink->arena,
                      "The value of a constant is a tensor, which t(\"value\") reads, and %.*s() raises; "
                      "symbolic_helper._get_const() makes a number of it.",
                      STR_ARG(kind)),
         NULL);
}

void value_check_node_call(DiagSink *sink, const PyCall *call)
{
  check_forward(sink, call);
  check_constant_kind(sink, call);
}
