#include "python/rules/module/module_calls.h"

#include "base/limits.h"

static bool is_given(const PyModel *model, const PyCall *call, uint32_t position, Str name)
{
  uint32_t positional = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len > 0 ? str_equal(argument->keyword, name) : positional++ == position)
      return true;
  }
  return false;
}

/// The first parameter without a default that the call does not give; empty.
static Str missing_param(const PyModel *model, const PyFunction *function, uint32_t skip, const PyCall *call)
{
  for (uint32_t i = skip; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    bool is_wanted = param->kind == PY_PARAM_PLAIN || param->kind == PY_PARAM_KEYWORD_ONLY;
    uint32_t position = param->kind == PY_PARAM_PLAIN ? i - skip : PY_ABSENT;
    if (is_wanted && !param->default_value && !is_given(model, call, position, param->name))
      return param->name;
  }
  return (Str){ 0 };
}

/// How many positional arguments it takes; UINT32_MAX for any number.
static uint32_t most_positional(const PyModel *model, const PyFunction *function, uint32_t skip)
{
  uint32_t most = 0;
  for (uint32_t i = skip; i < function->param_count; i++) {
    PyParamKind kind = py_model_params(model, function)[i].kind;
    if (kind == PY_PARAM_ARGS)
      return UINT32_MAX;
    most += kind == PY_PARAM_PLAIN;
  }
  return most;
}

/// The keyword of an argument that no parameter has, or that is given by position, too; NULL.
static const PyArgument *strange_argument(const PyModel *model, const PyFunction *function, uint32_t skip,
                                          const PyCall *call, bool *ret_twice)
{
  uint32_t given = py_model_positional_count(model, call);
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    bool has_it = argument->keyword.len == 0;
    for (uint32_t i = skip; i < function->param_count && !has_it; i++) {
      const PyParam *param = &py_model_params(model, function)[i];
      bool is_named = str_equal(param->name, argument->keyword);
      *ret_twice = is_named && param->kind == PY_PARAM_PLAIN && i - skip < given;
      if (*ret_twice)
        return argument;
      has_it = param->kind == PY_PARAM_KWARGS || (is_named && param->kind != PY_PARAM_ARGS);
    }
    if (!has_it)
      return argument;
  }
  return NULL;
}

/// What Python says of the call; empty if the function takes it.
static Str misfit(const Forward *forward, const PyFunction *function, uint32_t skip, const PyCall *call)
{
  const PyModel *model = forward->model;
  Arena *arena = forward->sink->arena;
  uint32_t given = py_model_positional_count(model, call), most = most_positional(model, function, skip);
  Str missing = missing_param(model, function, skip, call);
  bool is_twice = false;
  const PyArgument *strange = strange_argument(model, function, skip, call, &is_twice);
  if (strange)
    return arena_printf(arena, "The export runs this call, which gives %s '%.*s' to %.*s().",
                        is_twice ? "by position and by name" : "the unknown argument", STR_ARG(strange->keyword),
                        STR_ARG(function->name));
  if (missing.len > 0)
    return arena_printf(arena, "The export runs this call, which does not give '%.*s' to %.*s().", STR_ARG(missing),
                        STR_ARG(function->name));
  if (given > most)
    return arena_printf(arena, "The export runs this call, which gives %u arguments to a %.*s() of %u.", given,
                        STR_ARG(function->name), most);
  return (Str){ 0 };
}

void module_call_check(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  DiagSink *sink = forward->sink;
  uint32_t skip;
  uint32_t callee = forward_called(forward, call, &skip);
  const PyFunction *function = callee == PY_ABSENT ? NULL : &model->functions.items[callee];
  if (!function || function->param_count > PY_KEYWORD_LIMIT || call->argument_count > PY_KEYWORD_LIMIT ||
      call->has_splat || call->has_dictionary_splat || function->has_unknown_decorator ||
      forward_is_conditional(forward, call->node) ||
      !sink_wants(sink, RULE_EXPORT_ARGS_COUNT, (Severity)SEVERITY_DEFAULT))
    return;
  Str message = misfit(forward, function, skip, call);
  if (message.len > 0)
    py_say(sink, RULE_EXPORT_ARGS_COUNT, (Severity)SEVERITY_DEFAULT, call->node, message, NULL);
}
