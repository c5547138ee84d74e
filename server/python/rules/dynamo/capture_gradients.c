// Gradients that forward() asks for. Run with torch 2.14: torch.autograd.grad() is captured as the operators of the
// backward pass, and these may use only what the capture has seen. What an operator keeps for that pass of its own
// result (exp, relu), of statistics that it makes (layer_norm) or of a view that it takes inside (linear) is no tensor
// of the capture, unlike its inputs. Nor is it one of a trace: run with torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/dynamo/capture_calls.h"
#include "python/rules/forward/called_names.h"

/// Whether a name of the facts is that of such an operator.
static bool keeps_own_tensor(Str name)
{
  static const char *const layers[] = { "Linear",     "ReLU",       "Sigmoid",    "Tanh",        "Softmax",
                                        "LogSoftmax", "LayerNorm",  "GroupNorm",  "BatchNorm1d", "RMSNorm",
                                        "PReLU",      "Tanhshrink", "LogSigmoid", "Conv1d",      "GRUCell" };
  static const char *const functions[] = { "exp",     "sqrt", "rsqrt",     "reciprocal", "tan",         "tanh",
                                           "sigmoid", "relu", "logsumexp", "softmax",    "log_softmax", "expm1",
                                           "cumprod", "amax", "amin",      "std",        "norm" };
  static const char *const functional[] = { "linear", "relu", "softmax", "log_softmax", "layer_norm", "group_norm" };
  Str last = str_after_last(name, '.');
  if (str_starts_with(name, STR("torch.nn.functional.")))
    return str_is_one_of(last, functional, COUNT(functional));
  if (str_starts_with(name, STR("torch.nn.")))
    return str_is_one_of(last, layers, COUNT(layers));
  return (str_starts_with(name, STR("Tensor.")) || str_starts_with(name, STR("torch."))) &&
         str_is_one_of(last, functions, COUNT(functions));
}

/// How a value hangs together with the tensor that it is differentiated by.
typedef enum Dependence {
  DEPENDS_NOT,
  DEPENDS,
  DEPENDS_BY_KEPT,  ///< By an operator that keeps a tensor of its own.
} Dependence;

typedef struct Gradient {
  Forward *forward;
  Str input;  ///< The name of what it is differentiated by; empty: each x of `x = y.requires_grad_()`.
} Gradient;

static Dependence more(Dependence a, Dependence b)
{
  return a > b ? a : b;
}

static Dependence dependence(const Gradient *gradient, PyRef node, int depth);

static Dependence dependence_of_call(const Gradient *gradient, PyRef node, int depth)
{
  static const char *const cutting[] = {
    "detach", "item", "tolist", "numpy", "argmax", "argmin", "long", "int", "bool"
  };
  Forward *forward = gradient->forward;
  const PyTree *tree = &forward->model->tree;
  const PyCall *call = py_model_call(forward->model, node);
  if (!call)
    return DEPENDS_NOT;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  Str method = py_tree_member_name(tree, function);
  if (str_is_one_of(method, cutting, COUNT(cutting)))
    return DEPENDS_NOT;
  CalledNames names = called_names_of_tensor(forward, call);
  bool is_method = !str_starts_with(call->qualified, STR("torch.")) && forward_own_part(forward, function) == 0;
  Dependence most = is_method ? dependence(gradient, object, depth - 1) : DEPENDS_NOT;
  for (uint32_t i = 0; i < call->argument_count; i++)
    most = more(most, dependence(gradient, py_model_arguments(forward->model, call)[i].value, depth - 1));
  for (size_t i = 0; i < names.count && most == DEPENDS; i++) {
    if (keeps_own_tensor(names.items[i]))
      most = DEPENDS_BY_KEPT;
  }
  return most;
}

/// `y.requires_grad_()`, in one expression.
static bool begins_gradient(const PyTree *tree, PyRef node)
{
  node = py_tree_strip(tree, node);
  PyRef function = py_tree_callee(tree, node);
  return function && str_equal(py_tree_member_name(tree, function), STR("requires_grad_"));
}

static Dependence dependence_of_name(const Gradient *gradient, PyRef name, int depth)
{
  const PyTree *tree = &gradient->forward->model->tree;
  if (str_equal(py_text(tree, name), gradient->input))
    return DEPENDS;
  PyRef value = forward_value_of_name(gradient->forward, name);
  if (value && gradient->input.len == 0 && begins_gradient(tree, value))
    return DEPENDS;
  return dependence(gradient, value, depth - 1);
}

static Dependence dependence(const Gradient *gradient, PyRef node, int depth)
{
  Forward *forward = gradient->forward;
  const PyTree *tree = &forward->model->tree;
  node = node ? py_tree_strip(tree, node) : 0;
  if (!node || depth <= 0 || forward->steps-- <= 0)
    return DEPENDS_NOT;
  switch (py_kind(tree, node)) {
  case PYK_IDENTIFIER:
    return dependence_of_name(gradient, node, depth);
  case PYK_CALL:
    return dependence_of_call(gradient, node, depth);
  case PYK_BINARY_OPERATOR:
    return more(dependence(gradient, py_child(tree, node, PY_F_LEFT), depth - 1),
                dependence(gradient, py_child(tree, node, PY_F_RIGHT), depth - 1));
  case PYK_UNARY_OPERATOR:
    return dependence(gradient, py_child(tree, node, PY_F_ARGUMENT), depth - 1);
  case PYK_SUBSCRIPT:
    return dependence(gradient, py_child(tree, node, PY_F_VALUE), depth - 1);
  default:
    return DEPENDS_NOT;
  }
}

/// `energy.backward()`
static bool goes_back_by_kept(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  Gradient gradient = { forward, { 0 } };
  return str_equal(py_tree_member_name(tree, function), STR("backward")) &&
         dependence(&gradient, py_tree_object(tree, function), PY_EXPRESSION_DEPTH) == DEPENDS_BY_KEPT;
}

/// `torch.autograd.grad(energy, x)`, of one name.
static bool asks_for_kept(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (!str_equal(call->qualified, STR("torch.autograd.grad")))
    return goes_back_by_kept(forward, call);
  const PyArgument *of = py_model_argument(model, call, 0, "outputs");
  const PyArgument *by = py_model_argument(model, call, 1, "inputs");
  PyRef output = of ? py_tree_strip(tree, of->value) : 0;
  PyRef input = by ? py_tree_strip(tree, by->value) : 0;
  if (output && (py_kind(tree, output) == PYK_LIST || py_kind(tree, output) == PYK_TUPLE))
    output = py_tree_first_element(tree, output);
  if (input && (py_kind(tree, input) == PYK_LIST || py_kind(tree, input) == PYK_TUPLE))
    input = py_tree_first_element(tree, input);
  if (!output || !input || py_kind(tree, input) != PYK_IDENTIFIER)
    return false;
  Gradient gradient = { forward, py_text(tree, input) };
  return dependence(&gradient, output, PY_EXPRESSION_DEPTH) == DEPENDS_BY_KEPT;
}

/// What is left of a function's name in torch.func, of which functorch was the name before; empty for others.
static Str transform_name(Str qualified)
{
  static const char *const spaces[] = { "torch.func.", "functorch.", "torch._functorch.eager_transforms." };
  for (size_t i = 0; i < COUNT(spaces); i++) {
    Str space = str_from(spaces[i]);
    if (str_starts_with(qualified, space))
      return str_slice(qualified, space.len, qualified.len);
  }
  return (Str){ 0 };
}

/// Whether the function that torch.vmap() gets is made by a transform that differentiates.
static bool maps_gradient(const PyModel *model, const PyCall *call)
{
  static const char *const reverse[] = { "grad", "grad_and_value", "jacrev", "vjp" };
  const PyArgument *first = py_model_argument(model, call, 0, "func");
  const PyCall *made = first ? py_model_call(model, py_tree_strip(&model->tree, first->value)) : NULL;
  return made && str_is_one_of(transform_name(made->qualified), reverse, COUNT(reverse));
}

/// A transform of torch.func that no capture can hold; NULL. Those that go backwards stop the exporter to ONNX only.
static const char *refused_transform(const Forward *forward, const PyCall *call)
{
  static const char *const always[] = { "jacfwd", "hessian" };
  static const char *const by_onnx[] = { "grad", "grad_and_value", "jacrev", "vjp" };
  Str name = transform_name(call->qualified);
  bool is_map = str_equal(call->qualified, STR("torch.vmap")) || str_equal(name, STR("vmap"));
  if (str_is_one_of(name, always, COUNT(always)) || (is_map && maps_gradient(forward->model, call)))
    return "torch.export can't capture";
  if (forward->is_for_onnx && forward->model->exports.count > 0 && str_is_one_of(name, by_onnx, COUNT(by_onnx)))
    return "The dynamo exporter can't decompose";
  return NULL;
}

bool capture_keeps_gradient(Forward *forward, const PyCall *call)
{
  return asks_for_kept(forward, call);
}

bool capture_check_gradient(Forward *forward, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  if (!export_torch_is_from(sink_python(sink), 2, 9) || !sink_wants(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR))
    return false;
  const char *refused = refused_transform(forward, call);
  Str message = { 0 };
  if (refused)
    message = arena_printf(sink->arena,
                           "%s what %.*s() makes: write the derivative out, or use torch.autograd.grad() of operators "
                           "that keep only their inputs.",
                           refused, STR_ARG(call->qualified));
  else if (asks_for_kept(forward, call))
    message =
        STR("torch.export can't capture this gradient: a linear layer, a normalization, relu(), exp() and the like "
            "keep a tensor of their own for it, which no graph has. Write the derivative out.");
  if (message.len == 0 || forward_is_conditional(forward, call->node))
    return false;
  py_say(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, call->node, message, NULL);
  return true;
}
