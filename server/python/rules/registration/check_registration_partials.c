// What functools.partial() gives a symbolic function that is registered, and other things in the place of one.

#include "python/rules/registration/registration.h"

static void say(DiagSink *sink, PyRef node, Str message, const Fix *fix)
{
  py_say(sink, RULE_REGISTRATION_CALL, OWN, node, message, fix);
}

/// `partial(function, 0.1)` of `def function(g, x, slope)`: g is 0.1, and x the graph.
static void check_given_graph(DiagSink *sink, const PyCall *partial, const PyFunction *function)
{
  static const char *const names[] = { "g", "graph", "graph_context" };
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *given = partial->argument_count > 1 ? &py_model_arguments(model, partial)[1] : NULL;
  if (!given || given->keyword.len > 0 || partial->has_splat || function->class_node || function->plain_count < 2 ||
      !str_is_one_of(py_model_params(model, function)->name, names, COUNT(names)))
    return;
  Str last = model->params.items[function->first_param + function->plain_count - 1].name;
  bool is_alone = partial->argument_count == 2;
  Str named = arena_printf(sink->arena, "%.*s=%.*s", STR_ARG(last), STR_ARG(py_text(&model->tree, given->value)));
  say(sink, given->node,
      arena_printf(sink->arena,
                   "functools.partial() gives this for '%.*s', in the place of the graph: give it by its name.",
                   STR_ARG(py_model_params(model, function)->name)),
      is_alone ? py_edit_replace(sink, false, given->node, named) : NULL);
}

static bool takes_any_name(const PyModel *model, const PyFunction *function)
{
  for (PY_EACH_PARAM(model, param, function)) {
    if (param->kind == PY_PARAM_KWARGS)
      return true;
  }
  return false;
}

/// `partial(function, slop=0.1)` of `def function(g, x, slope)`
static void check_given_names(DiagSink *sink, const PyCall *partial, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  if (function->has_unknown_decorator || takes_any_name(model, function))
    return;
  for (PY_EACH_ARGUMENT(model, argument, partial)) {
    if (argument->keyword.len > 0 && !py_model_param(model, function, argument->keyword))
      say(sink, argument->node,
          arena_printf(sink->arena, "The function has no parameter '%.*s', so its call raises a TypeError.",
                       STR_ARG(argument->keyword)),
          NULL);
  }
}

void registration_check_partial(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_again = registration != model->registrations.items && registration[-1].partial == registration->partial;
  if (registration->partial == PY_ABSENT || registration->function == PY_ABSENT || is_again)
    return;
  const PyCall *partial = &model->calls.items[registration->partial];
  const PyFunction *function = &model->functions.items[registration->function];
  check_given_graph(sink, partial, function);
  check_given_names(sink, partial, function);
}

/// torch 1.13 looks for the signature in a function's code, which objects that can be called don't have.
bool registration_check_object(DiagSink *sink, const PyRegistration *registration)
{
  const PyFile *file = sink_python(sink);
  if (!py_file_torch_is_before(file, (TorchRelease){ 2, 0 }))
    return false;
  PyCallable callable = py_model_callable(file->model, registration->function_node);
  bool is_object = callable.function != PY_ABSENT && callable.is_bound &&
                   str_equal(file->model->functions.items[callable.function].name, STR("__call__"));
  if (callable.partial == PY_ABSENT && !is_object)
    return false;
  py_say(sink, RULE_REGISTRATION_CALL, OWN, registration->function_node,
         arena_printf(sink->arena,
                      "torch 1.13 calls functions alone, and this is %s: register a function that calls it.",
                      is_object ? "an object" : "a functools.partial()"),
         NULL);
  return true;
}

/// Whether a table that is written out, and nothing changes, lacks the key.
static bool lacks_key(DiagSink *sink, PyRef object, PyRef wanted_key)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyBinding *binding = object ? py_model_binding_at(model, object) : NULL;
  PyRef table = object ? py_model_resolve(model, object) : 0;
  Str wanted, key;
  if (!table || py_kind(tree, table) != PYK_DICTIONARY || (binding && binding->is_changed) ||
      !py_model_string(model, wanted_key, sink->arena, &wanted))
    return false;
  for (PY_EACH_ELEMENT(tree, pair, table)) {
    PyRef node = py_tree_key(tree, pair);
    if (!node || !py_model_string(model, node, sink->arena, &key) || str_equal(key, wanted))
      return false;
  }
  return true;
}

void registration_check_key(DiagSink *sink, PyRef value)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, value);
  if (call && call->argument_count == 1 && str_is(py_tree_member_name(tree, call->function_node), "get") &&
      lacks_key(sink, py_tree_object(tree, call->function_node), py_model_arguments(model, call)->value))
    say(sink, value, STR("The table has no such key, so this is None."), NULL);
  if (py_kind(tree, value) == PYK_SUBSCRIPT &&
      lacks_key(sink, py_child(tree, value, PY_F_VALUE), py_child(tree, value, PY_F_SUBSCRIPT)))
    say(sink, value, STR("The table has no such key: this raises a KeyError."), NULL);
}
