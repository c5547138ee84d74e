// `n, c = x.type().sizes()` in symbolic(), where an axis of what apply() gets is open.

#include "python/rules/autograd/applied_sizes.h"

#include "python/rules/forward/forward_sizes.h"
#include "python/rules/python_report.h"

/// The call `x.type().sizes()` of that name; 0.
static PyRef sizes_call(const PyModel *model, PyRef name)
{
  static const char *const members[] = { "type", "sizes" };
  const PyTree *tree = &model->tree;
  PyRef node = name;
  for (size_t i = 0; i < COUNT(members); i++) {
    PyRef member = tree->nodes[node].parent, call = tree->nodes[member].parent;
    if (py_tree_object(tree, member) != node || !str_equal(py_tree_member_name(tree, member), str_from(members[i])) ||
        py_tree_callee(tree, call) != member)
      return 0;
    node = call;
  }
  return node;
}

/// Whether what is written around it wants a list: `n, c = sizes`, `sizes[0]`.
static bool is_taken_apart(const PyTree *tree, PyRef node)
{
  PyRef up = tree->nodes[node].parent;
  PyRef left = py_kind(tree, up) == PYK_ASSIGNMENT ? py_child(tree, up, PY_F_LEFT) : 0;
  return (left && left != node && py_kind(tree, left) == PYK_PATTERN_LIST) ||
         (py_kind(tree, up) == PYK_SUBSCRIPT && py_child(tree, up, PY_F_VALUE) == node);
}

static void check_parameter(Forward *forward, const PyFunction *symbolic, Str name)
{
  const PyModel *model = forward->model;
  DiagSink *sink = forward->sink;
  for (PY_EACH_NODE(&model->tree, node, symbolic->body)) {
    bool is_it = py_kind(&model->tree, node) == PYK_IDENTIFIER && str_equal(py_text(&model->tree, node), name);
    PyRef call = is_it ? sizes_call(model, node) : 0;
    if (!call || !is_taken_apart(&model->tree, call) || !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
      continue;
    py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, call,
           arena_printf(sink->arena,
                        "dynamic_axes leaves an axis of '%.*s' open, and sizes() is None then: "
                        "symbolic_helper._get_tensor_sizes() gives those that are known.",
                        STR_ARG(name)),
           NULL);
    return;
  }
}

void applied_sizes_check(Forward *forward, const PyCall *call, PyRef class_node)
{
  const PyModel *model = forward->model;
  uint32_t index = py_model_class_function(model, class_node, STR("symbolic"));
  const PyFunction *symbolic = index == PY_ABSENT ? NULL : &model->functions.items[index];
  uint32_t position = 0;
  if (!symbolic || !symbolic->body || !symbolic->is_static)
    return;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->is_splat || argument->keyword.len > 0 || ++position >= symbolic->plain_count)
      return;
    if (forward_open_axes(forward, argument->value) != 0)
      check_parameter(forward, symbolic, py_model_params(model, symbolic)[position].name);
  }
}
