#include "python/rules/trace/traced_foreign.h"

#include "base/search.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/trace/traced_support.h"
#include "python/rules/trace/traced_weights.h"

/// What a parameter gets, also one of __init__(); 0.
static PyRef given_as(const Forward *forward, const PyBinding *binding, PyRef name)
{
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[binding->scope].class_node;
  bool is_made = class_node && str_equal(model->functions.items[binding->scope].name, STR("__init__"));
  const PyCall *maker = is_made ? traced_weights_maker(forward, class_node) : NULL;
  if (!is_made)
    return py_model_given(model, name, binding);
  uint32_t position = binding->index - model->functions.items[binding->scope].first_param;
  const PyArgument *argument =
      maker && !maker->has_splat ? py_model_argument_of(model, maker, position - 1, binding->name) : NULL;
  return argument ? argument->value : 0;
}

/// What the name is bound to; 0 if that is not one module or tensor.
static PyRef made_as(const Forward *forward, const PyBinding *binding, PyRef name)
{
  if (binding->next != PY_ABSENT || binding->is_changed)
    return 0;
  PyRef value = binding->kind == PY_BIND_ASSIGN  ? binding->value
                : binding->kind == PY_BIND_PARAM ? given_as(forward, binding, name)
                                                 : 0;
  return value ? export_module_made(forward->model, value) : 0;
}

/// The class of the file that is called there; 0.
static PyRef class_of(const PyModel *model, PyRef made)
{
  const PyCall *call = py_model_call(model, made);
  return call ? export_class_named(model, call->scope, call->function_node) : 0;
}

/// Methods of modules that register nothing, and leave weights with their gradients.
static bool is_harmless_method(const Forward *forward, PyRef made, Str name)
{
  static const char *const names[] = { "eval",  "train",     "to",      "cpu",        "cuda",     "half",
                                       "float", "double",    "forward", "state_dict", "training", "load_state_dict",
                                       "shape", "__class__", "t",       "T",          "unsqueeze" };
  const PyModel *model = forward->model;
  PyRef class_node = class_of(model, made);
  uint32_t method = class_node ? export_method_of(model, class_node, name) : PY_ABSENT;
  return str_is_one_of(name, names, COUNT(names)) || (method != PY_ABSENT && !traced_weights_is_odd(forward, method));
}

static bool is_harmless_use(const Forward *forward, PyRef made, PyRef mention)
{
  const PyTree *tree = &forward->model->tree;
  PyRef parent = tree->nodes[mention].parent;
  switch (py_kind(tree, parent)) {
  case PYK_CALL:
    return py_child(tree, parent, PY_F_FUNCTION) == mention;
  case PYK_ATTRIBUTE:
    return py_tree_object(tree, parent) == mention &&
           is_harmless_method(forward, made, py_tree_member_name(tree, parent));
  case PYK_BINARY_OPERATOR:
    return true;
  default:
    return false;
  }
}

/// Whether all that the file does with the name leaves its module alone. `given` is where it is given to who uses it.
static bool stays_alone(const Forward *forward, const PyBinding *binding, PyRef made, PyRef given)
{
  const PyModel *model = forward->model;
  const TracedWeights *weights = forward->weights;
  size_t at;
  SEARCH_FIRST(at, 0, weights->name_count, str_compare(py_text(&model->tree, weights->names[at]), binding->name) < 0);
  for (; at < weights->name_count && str_equal(py_text(&model->tree, weights->names[at]), binding->name); at++) {
    PyRef mention = weights->names[at];
    bool is_it = py_model_binding_at(model, mention) == binding;
    if (is_it && mention != binding->node && mention != given && !is_harmless_use(forward, made, mention))
      return false;
  }
  return true;
}

/// The module or tensor that a name of another scope stands for, if nothing else knows it; 0.
static PyRef find_foreign(const Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  PyRef made = binding ? made_as(forward, binding, name) : 0;
  if (!made || !stays_alone(forward, binding, made, 0))
    return 0;
  PyRef given = binding->kind == PY_BIND_PARAM ? py_tree_strip(&model->tree, given_as(forward, binding, name)) : 0;
  if (!given || py_kind(&model->tree, given) != PYK_IDENTIFIER)
    return made;
  const PyBinding *outer = py_model_binding_at(model, given);
  return outer && outer != binding && made_as(forward, outer, given) == made && stays_alone(forward, outer, made, given)
             ? made
             : 0;
}

/// The same, found once for all uses of a name.
static PyRef foreign(const Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  int8_t *known = binding ? &forward->weights->is_alone[binding - model->bindings.items] : NULL;
  if (!known || *known < 0)
    return 0;
  PyRef made = find_foreign(forward, name);
  *known = made ? 1 : -1;
  return made;
}

/// `backbone(x)`, `backbone.forward(x)`
static bool is_called(const PyTree *tree, PyRef name)
{
  PyRef parent = tree->nodes[name].parent;
  bool is_forward = py_kind(tree, parent) == PYK_ATTRIBUTE && py_tree_object(tree, parent) == name &&
                    str_equal(py_tree_member_name(tree, parent), STR("forward"));
  PyRef function = is_forward ? parent : name;
  PyRef call = tree->nodes[function].parent;
  return py_kind(tree, call) == PYK_CALL && py_child(tree, call, PY_F_FUNCTION) == function;
}

void traced_foreign_check_name(Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  bool calls = is_called(tree, name);
  bool is_operand = py_kind(tree, tree->nodes[name].parent) == PYK_BINARY_OPERATOR;
  const PyBinding *binding =
      forward->support->is_judged && (calls || is_operand) ? py_model_binding_at(model, name) : NULL;
  if (!binding || binding->scope == forward->function || !forward_runs_always(forward, name))
    return;
  traced_weights_begin(forward);
  if (forward->weights->is_alone[binding - model->bindings.items] != 0)
    return;  // It was said, or there is nothing to say.
  PyRef value = made_as(forward, binding, name);
  if (!value)
    return;
  bool has_weights = calls ? traced_weights_are_in(forward, value) : traced_weights_is_tensor(model, value);
  if (!has_weights || !foreign(forward, name))
    return;
  Str words = calls ? STR("is no part of the model, and the TorchScript exporter fails on its weights, which need a "
                          "gradient: keep it in an attribute that __init__() sets.")
                    : STR("is no parameter of the model, and the TorchScript exporter fails on it as it needs a "
                          "gradient: keep it in an attribute that __init__() sets.");
  traced_weights_say(forward, value, name,
                     arena_printf(forward->sink->arena, "'%.*s' %.*s", STR_ARG(binding->name), STR_ARG(words)), NULL);
}

/// Whether a method uses a layer or a parameter of its own.
static bool uses_weights(const Forward *forward, PyRef class_node, uint32_t method)
{
  const PyTree *tree = &forward->model->tree;
  Forward own = *forward;
  own.function = method;
  PyRef body = forward->model->functions.items[method].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < tree->nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    Str name = forward_own_name(&own, node);
    PyRef part = name.len > 0 ? module_parts_value(forward->parts, class_node, name) : 0;
    if (part && traced_weights_are_in(forward, part))
      return true;
  }
  return false;
}

void traced_foreign_check_method(Forward *forward, PyRef use, PyRef method)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, method);
  PyRef parent = tree->nodes[use].parent;
  bool calls = py_kind(tree, parent) == PYK_CALL && py_child(tree, parent, PY_F_FUNCTION) == use;
  PyRef made = calls && py_kind(tree, object) == PYK_IDENTIFIER ? foreign(forward, object) : 0;
  PyRef class_node = made ? class_of(model, made) : 0;
  uint32_t run = class_node ? export_method_of(model, class_node, py_tree_member_name(tree, method)) : PY_ABSENT;
  if (run == PY_ABSENT || traced_weights_is_odd(forward, run) || !uses_weights(forward, class_node, run))
    return;
  traced_weights_say(
      forward, use, method,
      STR("A method brings no weights of its module with it, and the TorchScript exporter fails on those "
          "that are none of the model's: keep the module in an attribute, and call its method."),
      NULL);
}
