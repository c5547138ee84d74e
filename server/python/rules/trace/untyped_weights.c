// Weights of a convolution that a custom operator gives without a shape: `F.conv2d(x, Quantize.apply(self.weight))`,
// also through functions and modules of the file that return them.

#include "python/rules/trace/untyped_weights.h"

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"
#include "python/rules/trace/traced_applied.h"

/// The weights of a convolution, whichever way it is called; 0 for other calls.
static PyRef weights_of(const PyModel *model, const PyCall *call)
{
  static const char *const functions[] = { "conv1d",           "conv2d",           "conv3d",
                                           "conv_transpose1d", "conv_transpose2d", "conv_transpose3d" };
  Str name = call->qualified, prefix = STR("torch.nn.functional.");
  name = str_starts_with(name, prefix)          ? str_slice(name, prefix.len, name.len)
         : str_starts_with(name, STR("torch.")) ? str_slice(name, 6, name.len)
                                                : name;
  Str method = py_tree_member_name(&model->tree, call->function_node);
  bool is_it = str_is_one_of(name, functions, COUNT(functions)) || str_equal(method, STR("_conv_forward"));
  const PyArgument *weight = is_it && !call->has_splat ? py_model_argument(model, call, 1, "weight") : NULL;
  return weight ? weight->value : 0;
}

/// What a function of the file, or the module of an attribute, that the call runs returns; 0. `ret_scope` is it.
static PyRef returned_by(const Forward *forward, const PyCall *call, uint32_t *ret_scope)
{
  const PyModel *model = forward->model;
  PyRef part = forward_own_part(forward, call->function_node);
  uint32_t index = call->function != PY_ABSENT ? call->function : part ? export_forward_made(model, part) : PY_ABSENT;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  if (!function || function->return_count != 1 || function->outer != function->node)
    return 0;
  *ret_scope = index;
  return function->returned;
}

/// The autograd function whose apply() gives the value; 0.
static PyRef applied_class(const Forward *from, PyRef node)
{
  Forward forward = *from;
  for (int depth = 0; node && depth < PY_CHAIN_LIMIT; depth++) {
    const PyCall *call = py_model_call(forward.model, py_model_resolve(forward.model, node));
    PyRef class_node = call ? traced_applied_class(forward.model, call->function_node) : 0;
    if (!call || class_node)
      return class_node;
    node = returned_by(&forward, call, &forward.function);
  }
  return 0;
}

/// The operator of a custom domain that symbolic() returns as its only value, without a type; NULL.
static const PyOp *untyped_operator(const PyModel *model, PyRef class_node)
{
  uint32_t symbolic = py_model_class_function(model, class_node, STR("symbolic"));
  const PyFunction *function = symbolic == PY_ABSENT ? NULL : &model->functions.items[symbolic];
  if (!function || function->return_count != 1 || !function->returned)
    return NULL;
  const PyOp *op = py_model_op_at(model, py_model_resolve(model, function->returned));
  return op && py_op_is_custom(op) && op->outputs == 1 && op_lacks_type(model, op) ? op : NULL;
}

void untyped_weights_check(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  DiagSink *sink = forward->sink;
  PyRef weights = weights_of(model, call);
  PyRef class_node = weights ? applied_class(forward, weights) : 0;
  const PyOp *op = class_node ? untyped_operator(model, class_node) : NULL;
  if (!op || !export_torch_is_from(sink_python(sink), 2, 6) || !sink_wants(sink, RULE_MISSING_SET_TYPE, SEVERITY_ERROR))
    return;
  py_say(sink, RULE_MISSING_SET_TYPE, SEVERITY_ERROR, weights,
         arena_printf(sink->arena,
                      "A convolution is exported by the shape of its weights, and '%.*s' has none: call setType() on "
                      "its result in symbolic().",
                      STR_ARG(op->full_name)),
         NULL);
}
