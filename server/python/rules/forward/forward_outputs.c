#include "python/rules/forward/forward_outputs.h"

#include "base/ascii.h"
#include "python/rules/export/export_call.h"
#include "python/rules/symbolic/value_check.h"

/// `torch.distributions.Normal(mean, 1)`, also by a name.
static bool is_distribution(const Forward *forward, PyRef value)
{
  const PyCall *call = py_model_call(forward->model, py_model_resolve(forward->model, value));
  Str space = STR("torch.distributions.");
  return call && str_starts_with(call->qualified, space) && ascii_is_upper(call->qualified.data[space.len]);
}

/// A view of a dict, `{"a": x}.values()`.
static bool is_dict_view(const PyModel *model, const PyCall *call)
{
  static const char *const views[] = { "values", "items", "keys" };
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  PyNodeKind kind = object ? py_kind(tree, py_model_resolve(model, object)) : PYK_NONE;
  return (kind == PYK_DICTIONARY || kind == PYK_DICTIONARY_COMPREHENSION) && call->argument_count == 0 &&
         str_is_one_of(py_tree_member_name(tree, call->function_node), views, COUNT(views));
}

/// What can only be looped over: neither a trace nor torch.export knows what is in it.
static const char *name_of_iterable(const PyModel *model, PyRef value)
{
  static const char *const makers[] = { "map", "zip", "filter", "reversed", "enumerate", "iter" };
  PyNodeKind kind = py_kind(&model->tree, value);
  if (kind == PYK_GENERATOR_EXPRESSION)
    return "a generator";
  if (kind == PYK_SET || kind == PYK_SET_COMPREHENSION)
    return "a set";
  const PyCall *call = py_model_call(model, value);
  if (!call)
    return NULL;
  if (value_is_builtin(model, call->function_node) && str_is_one_of(call->qualified, makers, COUNT(makers)))
    return "an iterator";
  return is_dict_view(model, call) ? "a view of a dict" : NULL;
}

static bool wants_outputs(const Forward *forward)
{
  return sink_wants(forward->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR);
}

static void say_iterable(const Forward *forward, PyRef node, const char *what)
{
  py_say(forward->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, node,
         arena_printf(forward->sink->arena,
                      "The exporter does not know what is in %s: return a tuple or a list of tensors.", what),
         NULL);
}

void forward_check_generator(Forward *forward)
{
  const PyModel *model = forward->model;
  if (py_file_ending(sink_python(forward->sink), forward->function) == PY_ENDS_AS_GENERATOR && wants_outputs(forward))
    say_iterable(forward, model->functions.items[forward->function].name_node,
                 "the generator that a `yield` makes of this");
}

static void check_iterable(Forward *forward, PyRef value)
{
  const PyModel *model = forward->model;
  PyRef known = py_model_resolve(model, py_tree_strip(&model->tree, value));
  const char *what = known ? name_of_iterable(model, known) : NULL;
  if (what && wants_outputs(forward) && !forward_is_conditional(forward, value))
    say_iterable(forward, value, what);
}

void forward_check_output(Forward *forward, PyRef value)
{
  check_iterable(forward, value);
  const PyModel *model = forward->model;
  const PyCall *call = py_model_call(model, py_model_resolve(model, py_tree_strip(&model->tree, value)));
  PyRef name = call ? call->function_node : 0;
  const PyBinding *binding = py_model_binding_of(model, forward->function, name);
  bool is_own = py_binding_is_only(binding, PY_BIND_CLASS) &&
                (export_is_unknown_class(model, model->tree.nodes[binding->node].parent) ||
                 (!forward->is_traced && export_is_unknown_container(model, model->tree.nodes[binding->node].parent)));
  bool is_namespace = name && str_equal(call->qualified, STR("types.SimpleNamespace")) &&
                      !py_model_mentions(model, "register_pytree_node");
  if ((is_own || is_namespace || is_distribution(forward, value)) && wants_outputs(forward) &&
      !forward_is_conditional(forward, value))
    py_say(forward->sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, value,
           STR("The exporter does not know what is in an object of this class: return a tuple or a dict of tensors."),
           NULL);
}
