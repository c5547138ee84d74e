// Layers that forward() makes, under the dynamo exporter. Run with torch 2.14.

#include "base/limits.h"
#include "python/rules/dynamo/capture_calls.h"
#include "python/rules/export/export_call.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/trace/traced_arguments.h"

/// The statement in `self.fc = nn.Linear(4, 4)`, and "fc"; 0.
static PyRef kept_by(const PyTree *tree, PyRef call, Str *ret_name)
{
  PyRef assignment = tree->nodes[call].parent;
  PyRef left = py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  *ret_name = left ? py_tree_own_name(tree, left) : (Str){ 0 };
  return ret_name->len > 0 ? tree->nodes[assignment].parent : 0;
}

/// Whether forward() always gives back what comes of `self.fc(x)`.
static bool runs_kept(Forward *forward, Str name)
{
  const PyTree *tree = &forward->model->tree;
  PyRef body = forward->model->functions.items[forward->function].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < tree->nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyRef call = tree->nodes[node].parent;
    if (py_kind(tree, node) == PYK_ATTRIBUTE && str_equal(py_tree_own_name(tree, node), name) &&
        py_kind(tree, call) == PYK_CALL && py_child(tree, call, PY_F_FUNCTION) == node)
      return forward_returned(forward, call) == RETURNED_ALWAYS;
  }
  return false;
}

/// Whether an export gets an object of the class that was just made, so that nothing has run it before.
static bool is_exported_new(const PyModel *model, PyRef class_node)
{
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    const PyArgument *argument = py_model_argument(model, &model->calls.items[model->exports.items[i]], 0, "model");
    PyRef node = argument ? argument->value : 0;
    // `Net().eval()`
    for (int depth = 0; node && depth < PY_CHAIN_LIMIT; depth++) {
      const PyCall *call = py_model_call(model, node);
      if (call && export_class_made(model, call) == class_node)
        return true;
      node = call ? py_tree_object(&model->tree, call->function_node) : 0;
    }
  }
  return false;
}

/// Whether a statement is all that depends on `self.fc` not being there yet.
static bool is_first_time(const Forward *forward, PyRef statement, Str name)
{
  const PyTree *tree = &forward->model->tree;
  PyRef choice = tree->nodes[tree->nodes[statement].parent].parent;
  PyRef condition = py_kind(tree, choice) == PYK_IF_STATEMENT ? py_child(tree, choice, PY_F_CONDITION) : 0;
  Arena *arena = forward->sink->arena;
  Str text = condition ? py_text(tree, condition) : (Str){ 0 };
  bool asks = str_equal(text, arena_printf(arena, "self.%.*s is None", STR_ARG(name))) ||
              str_equal(text, arena_printf(arena, "not hasattr(self, \"%.*s\")", STR_ARG(name))) ||
              str_equal(text, arena_printf(arena, "not hasattr(self, '%.*s')", STR_ARG(name)));
  PyRef class_node = forward->model->functions.items[forward->function].class_node;
  return asks && py_child(tree, choice, PY_F_CONSEQUENCE) == tree->nodes[statement].parent &&
         forward->model->functions.items[forward->function].body == tree->nodes[choice].parent && class_node &&
         is_exported_new(forward->model, class_node);
}

/// Whether the layer is surely made, and something is computed with it.
static bool is_used(Forward *forward, PyRef node, PyRef call)
{
  Str name;
  PyRef statement = kept_by(&forward->model->tree, call, &name);
  if (!statement)
    return forward_returned(forward, node) == RETURNED_ALWAYS;
  return (forward_runs_always(forward, statement) || is_first_time(forward, statement, name)) &&
         runs_kept(forward, name);
}

void capture_check_layer(Forward *forward, PyRef node, const PyCall *call)
{
  // What Embedding draws its weights with has a function.
  if (!traced_arguments_draws_weights(call) || str_equal(call->qualified, STR("torch.nn.Embedding")) ||
      !is_used(forward, node, call->node) || forward_is_conditional(forward, node))
    return;
  py_say(
      forward->sink, RULE_UNSUPPORTED_OP, OWN, call->function_node,
      STR("The dynamo exporter has no function for prims::uniform, with which a layer that forward() makes draws its "
          "weights: make it in __init__()."),
      NULL);
}
