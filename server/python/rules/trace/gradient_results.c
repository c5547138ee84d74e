// Whether what a model gives needs a gradient.

#include "python/rules/trace/gradient_results.h"

#include "base/limits.h"
#include "python/rules/forward/vision_models.h"
#include "python/rules/trace/traced_weights.h"

/// Methods and functions of torch whose result needs a gradient if what they get does.
static bool passes_gradients(Str name)
{
  static const char *const names[] = { "relu", "sigmoid", "softmax",   "log_softmax", "tanh",      "squeeze", "flatten",
                                       "view", "reshape", "transpose", "permute",     "unsqueeze", "float",   "cpu",
                                       "sum",  "mean",    "exp",       "abs",         "contiguous" };
  return str_is_one_of(name, names, COUNT(names));
}

/// `torch.softmax(x, 1)`, `x.squeeze()` and `x[0]` stand for x; 0 for other expressions.
static PyRef passed_on(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  PyRef index = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  if (index)
    return py_child(tree, node, PY_F_VALUE);
  if (!call || !passes_gradients(py_tree_member_name(tree, call->function_node)))
    return 0;
  bool is_torch = str_starts_with(call->qualified, STR("torch."));
  const PyArgument *first = is_torch ? py_model_argument(model, call, 0, NULL) : NULL;
  return !is_torch ? py_tree_object(tree, call->function_node) : first ? first->value : 0;
}

/// What a name of forward() was given last, by a statement that surely runs; the node itself of other expressions.
static PyRef last_value(const PyModel *model, const PyFunction *function, PyRef node)
{
  const PyBinding *binding = py_kind(&model->tree, node) == PYK_IDENTIFIER ? py_model_binding_at(model, node) : NULL;
  while (binding && binding->next != PY_ABSENT)
    binding = &model->bindings.items[binding->next];
  PyRef block;
  bool is_sure = binding && binding->kind == PY_BIND_ASSIGN && binding->value && binding->node < node &&
                 py_tree_statement(&model->tree, binding->node, &block) && block == function->body;
  return is_sure ? py_tree_strip(&model->tree, binding->value) : node;
}

static bool has_weights(const PyModel *model, const ModuleParts *parts, const PyCall *made, int depth, Arena *arena);

/// Whether forward() gives what a layer with weights makes.
static bool gives_weighted(const PyModel *model, const ModuleParts *parts, PyRef class_node, int depth, Arena *arena)
{
  uint32_t forward = export_method_of(model, class_node, STR("forward"));
  const PyFunction *function = forward == PY_ABSENT ? NULL : &model->functions.items[forward];
  PyRef node = function && function->return_count == 1 ? function->returned : 0;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    node = py_tree_strip(&model->tree, node);
    PyRef value = last_value(model, function, node), passed = value == node ? passed_on(model, node) : 0;
    if (value == node && !passed)
      break;
    node = passed ? passed : value;
  }
  const PyCall *call = node ? py_model_call(model, node) : NULL;
  Str own = call ? py_tree_own_name(&model->tree, call->function_node) : (Str){ 0 };
  PyRef part = own.len > 0 ? module_parts_unchanged(parts, model, class_node, own) : 0;
  return part && has_weights(model, parts, py_model_call(model, part), depth - 1, arena);
}

static bool has_weights(const PyModel *model, const ModuleParts *parts, const PyCall *made, int depth, Arena *arena)
{
  if (!made || depth <= 0)
    return false;
  if (traced_weights_is_layer(made))
    return !str_ends_with(made->qualified, STR("LSTM")) && !str_ends_with(made->qualified, STR("GRU")) &&
           !str_ends_with(made->qualified, STR("RNN"));
  const VisionModel *vision = vision_model_made(model, made, arena);
  if (vision)
    return !vision->gives_more;
  if (str_equal(made->qualified, STR("torch.nn.Sequential"))) {
    for (PY_EACH_ARGUMENT(model, argument, made)) {
      if (!argument->is_splat && has_weights(model, parts, py_model_call(model, argument->value), depth - 1, arena))
        return true;
    }
    return false;
  }
  PyRef class_node = export_class_made(model, made);
  return class_node && gives_weighted(model, parts, class_node, depth, arena);
}

bool result_needs_gradient(const PyModel *model, const ModuleParts *parts, PyRef node, Arena *arena)
{
  static const char *const without[] = { "no_grad", "inference_mode", "set_grad_enabled", "requires_grad" };
  if (py_model_mentions_one_of(model, without, COUNT(without)))
    return false;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    PyRef value = py_model_resolve(model, node), passed = passed_on(model, value);
    const PyCall *call = passed ? NULL : py_model_call(model, value);
    if (call)
      return py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER && call->function == PY_ABSENT &&
             has_weights(model, parts, py_model_call(model, export_model_made(model, call->function_node)),
                         PY_EXPRESSION_DEPTH, arena);
    node = passed;
  }
  return false;
}
