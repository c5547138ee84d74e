#include "python/rules/trace/computed_weights.h"

#include "base/limits.h"
#include "python/rules/trace/traced_weights.h"

/// What is done to a tensor so that another one comes, with the gradient of that.
static bool keeps_gradient(Str name)
{
  static const char *const names[] = {
    "abs",     "add",       "bmm",     "cat",      "clone",   "contiguous", "cos",    "cumsum",  "diag",      "div",
    "einsum",  "exp",       "expand",  "flip",     "inverse", "log",        "matmul", "mean",    "mm",        "mul",
    "neg",     "norm",      "permute", "pinverse", "pow",     "relu",       "repeat", "reshape", "sigmoid",   "sin",
    "softmax", "softplus",  "sqrt",    "stack",    "sub",     "sum",        "t",      "tanh",    "transpose", "tril",
    "triu",    "unsqueeze", "view",    "flatten",  "squeeze", "normalize",  "linear"
  };
  return str_is_one_of(name, names, COUNT(names));
}

/// Types of real numbers, by what they are called as methods and as torch.X.
static bool is_real_type(Str name)
{
  static const char *const names[] = { "bfloat16", "double", "float", "float16", "float32", "float64", "half" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Whether a tensor of the text that makes it is of another type than this one: such a conversion gives a new tensor.
static bool is_other_type(Str text, Str type)
{
  bool names_one = str_contains_one_of(text, (const char *const[]){ "dtype", "half", "double", "float", "to(" }, 5);
  bool is_standard = str_equal(type, STR("float")) || str_equal(type, STR("float32"));
  return names_one ? str_contains(text, STR("dtype=torch.")) && !str_contains(text, type) : !is_standard;
}

/// `parameter.half()`, `parameter.to(torch.bfloat16)`
static bool is_conversion(const PyModel *model, const PyCall *call, Str name, PyRef object)
{
  Str text = py_text(&model->tree, object);
  if (is_real_type(name))
    return is_other_type(text, name);
  const PyArgument *first = str_equal(name, STR("to")) ? py_model_argument(model, call, 0, "dtype") : NULL;
  Str type = first ? py_text(&model->tree, first->value) : (Str){ 0 };
  return str_starts_with(type, STR("torch.")) && is_real_type(str_after_last(type, '.')) &&
         is_other_type(text, str_after_last(type, '.'));
}

static bool needs_gradient(const Forward *forward, PyRef class_node, PyRef node, int depth);

/// `self.scale`, `self.fc.weight`
static bool is_own_weight(const Forward *forward, PyRef class_node, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, node);
  Str name = py_tree_member_name(tree, node);
  bool is_of_layer = py_kind(tree, object) == PYK_ATTRIBUTE && str_equal(name, STR("weight"));
  PyRef own = is_of_layer ? object : node;
  if (!str_equal(py_text(tree, py_tree_object(tree, own)), STR("self")))
    return false;
  PyRef part = module_parts_unchanged(forward->parts, model, class_node, py_tree_member_name(tree, own));
  return part && (is_of_layer ? traced_weights_are_in(forward, part) : traced_weights_is_parameter(model, part));
}

static bool any_argument(const Forward *forward, PyRef class_node, const PyCall *call, int depth)
{
  for (PY_EACH_ARGUMENT(forward->model, argument, call)) {
    if (needs_gradient(forward, class_node, argument->value, depth))
      return true;
  }
  return false;
}

static bool is_computed_by_call(const Forward *forward, PyRef class_node, const PyCall *call, int depth)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  if (py_model_argument(forward->model, call, PY_ABSENT, "dtype") && !str_starts_with(call->qualified, STR("torch.")))
    return false;
  if (str_starts_with(call->qualified, STR("torch.")))
    return keeps_gradient(str_after_last(call->qualified, '.')) && any_argument(forward, class_node, call, depth);
  if (py_kind(tree, function) != PYK_ATTRIBUTE)
    return false;
  PyRef object = py_tree_object(tree, function);
  Str name = py_tree_member_name(tree, function);
  if (str_equal(py_text(tree, object), STR("self"))) {
    PyRef part = module_parts_unchanged(forward->parts, forward->model, class_node, name);
    return part && module_part_gives_tensor(forward->model, part) && traced_weights_are_in(forward, part);
  }
  return (keeps_gradient(name) || is_conversion(forward->model, call, name, object)) &&
         needs_gradient(forward, class_node, object, depth);
}

static bool needs_gradient(const Forward *forward, PyRef class_node, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (depth == 0 || !node)
    return false;
  node = py_tree_strip(tree, node);
  switch (py_kind(tree, node)) {
  case PYK_ATTRIBUTE:
    return is_own_weight(forward, class_node, node);
  case PYK_BINARY_OPERATOR:
    return needs_gradient(forward, class_node, py_child(tree, node, PY_F_LEFT), depth - 1) ||
           needs_gradient(forward, class_node, py_child(tree, node, PY_F_RIGHT), depth - 1);
  case PYK_LIST:
    return needs_gradient(forward, class_node, py_tree_first_element(tree, node), depth - 1);
  case PYK_CALL:
    break;
  default:
    return false;
  }
  const PyCall *call = py_model_call(model, node);
  return traced_weights_is_parameter(model, node) ||
         (call && is_computed_by_call(forward, class_node, call, depth - 1));
}

bool computed_weights(const Forward *forward, PyRef class_node, PyRef made)
{
  return !traced_weights_is_parameter(forward->model, made) && py_kind(&forward->model->tree, made) != PYK_ATTRIBUTE &&
         needs_gradient(forward, class_node, made, PY_EXPRESSION_DEPTH);
}
