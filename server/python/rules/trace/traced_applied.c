// What apply() takes that is no tensor and brings some with it, such as a function that uses weights. The trace of the
// function's own forward() does not know these, and the export ends with "unordered_map::at".

#include "python/rules/trace/traced_applied.h"

#include "base/limits.h"
#include "python/rules/autograd/applied_sizes.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/trace/traced_weights.h"

PyRef traced_applied_class(const PyModel *model, PyRef function)
{
  const PyTree *tree = &model->tree;
  function = py_model_resolve(model, function);
  bool is_apply = str_equal(py_tree_member_name(tree, function), STR("apply"));
  PyRef class_node = is_apply ? py_model_class_named(model, py_tree_object(tree, function)) : 0;
  const PyClass *class = py_model_class_at(model, class_node);
  return class && class->is_autograd ? class_node : 0;
}

/// The same if it has no symbolic().
static bool is_plain_apply(const PyModel *model, PyRef function)
{
  PyRef class_node = traced_applied_class(model, function);
  return class_node && !py_model_names_member(model, class_node, STR("symbolic"));
}

/// Whether the call runs such a function: `Class.apply(f, x)`, `run = Class.apply`, and `checkpoint(f, x)` of a
/// function of the file that returns it.
static bool is_applied(const PyModel *model, const PyCall *call)
{
  if (is_plain_apply(model, call->function_node))
    return true;
  PyRef returned = call->function == PY_ABSENT ? 0 : model->functions.items[call->function].returned;
  const PyCall *inner = returned ? py_model_call(model, py_tree_strip(&model->tree, returned)) : NULL;
  return inner && is_plain_apply(model, inner->function_node);
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

/// Whether forward() of the autograd function calls what it gets at that place, or asks it for a weight.
static bool runs_argument(const PyModel *model, PyRef class_node, uint32_t position)
{
  const PyTree *tree = &model->tree;
  uint32_t index = py_model_class_function(model, class_node, STR("forward"));
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  if (!function || !function->body || position + 1 >= function->plain_count)
    return false;
  Str name = py_model_params(model, function)[position + 1].name;
  for (PY_EACH_NODE(tree, node, function->body)) {
    const PyCall *call = py_model_call(model, node);
    PyRef object = call ? call->function_node : py_tree_object(tree, node);
    Str member = call ? (Str){ 0 } : py_tree_member_name(tree, node);
    if (object && py_kind(tree, object) == PYK_IDENTIFIER && str_equal(py_text(tree, object), name) &&
        (call || str_equal(member, STR("weight")) || str_equal(member, STR("bias"))))
      return true;
  }
  return false;
}

/// `[layer(x) for layer in self.layers]`, of which a trace sees no tensors.
static bool is_list_of_results(Forward *forward, PyRef value)
{
  const PyTree *tree = &forward->model->tree;
  PyRef list = py_model_resolve(forward->model, value);
  PyRef body = py_kind(tree, list) == PYK_LIST_COMPREHENSION ? py_first_child(tree, list) : 0;
  return body && forward_is_tensor(forward, body, PY_EXPRESSION_DEPTH);
}

/// A module that goes into a function with symbolic(): its forward() is traced all the same, and does not know the
/// weights. Run with torch 1.13, 2.6 and 2.14.
static void check_modules(Forward *forward, const PyCall *call, PyRef class_node)
{
  DiagSink *sink = forward->sink;
  uint32_t position = 0;
  for (PY_EACH_ARGUMENT(forward->model, argument, call)) {
    if (argument->is_splat || argument->keyword.len > 0)
      return;
    PyRef part = forward_own_part(forward, argument->value);
    if (is_list_of_results(forward, argument->value) && sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
      py_say(sink, RULE_AUTOGRAD_APPLY, OWN, argument->value,
             STR("A trace sees no tensors in a list: pass them to apply() one by one, `*values`, and take them as "
                 "*args."),
             NULL);
    if (part && !module_part_is_tensor(forward->model, part) && traced_weights_are_in(forward, part) &&
        runs_argument(forward->model, class_node, position) && sink_wants(sink, RULE_AUTOGRAD_APPLY, OWN))
      py_say(sink, RULE_AUTOGRAD_APPLY, OWN, argument->value,
             STR("apply() gets a module with weights, which the trace of its forward() does not know, and the export "
                 "fails: pass the weights one by one."),
             NULL);
    position++;
  }
}

void traced_applied_check(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  DiagSink *sink = forward->sink;
  PyRef class_node = traced_applied_class(model, call->function_node);
  bool is_plain = is_applied(model, call);
  if ((!is_plain && !class_node) || !forward_runs_always(forward, call->node))
    return;
  traced_weights_begin(forward);
  if (!is_plain) {
    applied_sizes_check(forward, call, class_node);
    check_modules(forward, call, class_node);
    return;
  }
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
