// What apply() takes that is no tensor and brings some with it, such as a function that uses weights. The trace of the
// function's own forward() does not know these, and the export ends with "unordered_map::at".

#include "python/rules/traced_applied.h"

#include "base/limits.h"
#include "python/rules/forward_result.h"
#include "python/rules/traced_weights.h"

/// Whether `Class.apply` is of an autograd function of the file that has no symbolic().
static bool is_plain_apply(const PyModel *model, PyRef function)
{
  const PyTree *tree = &model->tree;
  bool is_apply = str_equal(py_tree_member_name(tree, function), STR("apply"));
  PyRef class_node = is_apply ? py_model_class_named(model, py_tree_object(tree, function)) : 0;
  const PyClass *class = py_model_class_at(model, class_node);
  return class && class->is_autograd && !py_model_names_member(model, class_node, STR("symbolic"));
}

/// Whether the call runs such a function: `Class.apply(f, x)`, `run = Class.apply`, and `checkpoint(f, x)` of a
/// function of the file that returns it.
static bool is_applied(const PyModel *model, const PyCall *call)
{
  if (is_plain_apply(model, py_model_resolve(model, call->function_node)))
    return true;
  PyRef returned = call->function == PY_ABSENT ? 0 : model->functions.items[call->function].returned;
  const PyCall *inner = returned ? py_model_call(model, py_tree_strip(&model->tree, returned)) : NULL;
  return inner && is_plain_apply(model, py_model_resolve(model, inner->function_node));
}

static bool is_weighted_part(const Forward *forward, PyRef node)
{
  Str name = forward_own_name(forward, node);
  PyRef class_node = forward->model->functions.items[forward->function].class_node;
  if (name.len == 0)
    return false;
  PyRef part = module_parts_value(forward->parts, class_node, name);
  return (part && traced_weights_are_in(forward, part)) ||
         module_parts_is_state(forward->parts, forward->model, class_node, name);
}

/// Whether a lambda or a function in forward() uses weights of the model, or tensors that forward() has.
static bool uses_tensors(Forward *forward, const PyFunction *inner)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef end = inner->body ? tree->nodes[inner->body].next : 0;
  uint32_t seen = 0;
  for (PyRef node = inner->body; node && node < end && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    if (is_weighted_part(forward, node))
      return true;
    const PyBinding *binding = py_tree_is_looked_up(tree, node) ? py_model_binding_at(model, node) : NULL;
    if (binding && binding->scope == forward->function && forward_is_tensor(forward, node, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// Whether a list that is written out has a tensor in it.
static bool holds_tensor(Forward *forward, PyRef list)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, list);
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return false;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (forward_is_tensor(forward, item, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

/// What the value brings with it; NULL for nothing.
static const char *what_it_brings(Forward *forward, PyRef value)
{
  const PyModel *model = forward->model;
  uint32_t function = py_model_callable(model, value).function;
  const PyFunction *inner = function == PY_ABSENT ? NULL : &model->functions.items[function];
  if (is_weighted_part(forward, value) && !module_part_is_tensor(model, forward_own_part(forward, value)))
    return "a module with weights";
  if (inner && inner->parent == forward->function && uses_tensors(forward, inner))
    return "a function that uses weights or tensors besides its arguments";
  return holds_tensor(forward, py_model_resolve(model, value)) ? "a list with tensors" : NULL;
}

void traced_applied_check(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  DiagSink *sink = forward->sink;
  if (!is_applied(model, call) || !forward_runs_always(forward, call->node))
    return;
  traced_weights_begin(forward);
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    const char *what = argument->is_splat ? NULL : what_it_brings(forward, argument->value);
    if (what && sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
      py_say(sink, RULE_AUTOGRAD_APPLY, OWN, argument->value,
             arena_printf(sink->arena,
                          "apply() gets %s, which the TorchScript exporter does not see in a function without "
                          "symbolic(), and fails: call it directly, or pass the tensors one by one.",
                          what),
             NULL);
  }
}
