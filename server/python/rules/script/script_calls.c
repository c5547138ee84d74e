// Calls of @script functions in others: what onnxscript gives them.

#include "python/rules/script/script_calls.h"

#include "base/limits.h"

bool script_is_attribute_type(const ScriptCheck *check, PyRef annotation)
{
  static const char *const names[] = { "int",  "float",    "str",   "bool",  "Sequence", "List",
                                       "list", "Optional", "Tuple", "tuple", "Union" };
  for (PY_EACH_NODE(check->tree, node, annotation)) {
    if (script_kind(check, node) == PYK_IDENTIFIER && str_is_one_of(py_text(check->tree, node), names, COUNT(names)))
      return true;
  }
  return script_kind(check, py_first_child(check->tree, annotation)) == PYK_STRING;
}

/// A function that @script makes, and nothing else; NULL for others.
static const PyFunction *script_called(const ScriptCheck *check, PyRef callee)
{
  const PyBinding *binding = script_kind(check, callee) == PYK_IDENTIFIER ? script_binding(check, callee) : NULL;
  if (!py_binding_is_only(binding, PY_BIND_FUNCTION))
    return NULL;
  const PyFunction *function = &check->model->functions.items[binding->index];
  bool is_script = (function->roles & PY_ROLE_ONNXSCRIPT) && !function->has_unknown_decorator;
  return is_script ? function : NULL;
}

static const PyParam *param_at(const ScriptCheck *check, const PyFunction *function, uint32_t i)
{
  return &py_model_params(check->model, function)[i];
}

static const PyParam *param_named(const ScriptCheck *check, const PyFunction *function, Str name)
{
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (str_equal(param_at(check, function, i)->name, name))
      return param_at(check, function, i);
  }
  return NULL;
}

/// A parameter or a value of the function that calls, which is a tensor.
static bool is_tensor(const ScriptCheck *check, PyRef node)
{
  const PyBinding *binding = script_kind(check, node) == PYK_IDENTIFIER ? script_binding(check, node) : NULL;
  if (!script_is_local(check, binding) || binding->kind != PY_BIND_PARAM || binding->next != PY_ABSENT)
    return false;
  const PyParam *param = &check->model->params.items[binding->index];
  return !param->default_value && (!param->annotation || !script_is_attribute_type(check, param->annotation));
}

static void check_attribute(const ScriptCheck *check, const PyParam *param, PyRef value)
{
  bool is_attribute = param->annotation && script_is_attribute_type(check, param->annotation);
  if (is_attribute && is_tensor(check, value))
    script_say(
        check, value,
        arena_printf(check->sink->arena, "'%.*s' is an attribute, and a tensor can't be one", STR_ARG(param->name))
            .data);
}

/// The first parameter that gets nothing and needs something.
static void check_missing(const ScriptCheck *check, const PyFunction *function, PyRef callee, const PyCall *call,
                          uint32_t given)
{
  for (uint32_t i = given; i < function->param_count; i++) {
    const PyParam *param = param_at(check, function, i);
    if (param->default_value || py_model_argument_of(check->model, call, PY_ABSENT, param->name))
      continue;
    script_say(
        check, callee,
        arena_printf(check->sink->arena, "'%.*s' of %.*s() gets nothing", STR_ARG(param->name), STR_ARG(function->name))
            .data);
    return;
  }
}

void script_check_inner_call(const ScriptCheck *check, PyRef callee, PyRef node)
{
  const PyFunction *function = script_called(check, callee);
  const PyCall *call = function ? py_model_call(check->model, node) : NULL;
  uint32_t given = 0;
  if (!call || call->has_splat || call->has_dictionary_splat)
    return;
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (param_at(check, function, i)->kind != PY_PARAM_PLAIN)
      return;
  }
  for (PY_EACH_ARGUMENT(check->model, argument, call)) {
    bool is_named = argument->keyword.len > 0;
    const PyParam *param = is_named                        ? param_named(check, function, argument->keyword)
                           : given < function->param_count ? param_at(check, function, given)
                                                           : NULL;
    given += !is_named;
    if (param)
      check_attribute(check, param, argument->value);
    else if (is_named)
      script_say(check, argument->node,
                 arena_printf(check->sink->arena, "%.*s() has no parameter '%.*s'", STR_ARG(function->name),
                              STR_ARG(argument->keyword))
                     .data);
  }
  check_missing(check, function, callee, call, given);
}
