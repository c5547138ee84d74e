// Calls of @script functions from Python, where they are run at once. Run with onnxscript 0.7.

#include "python/rules/script.h"

static void say(DiagSink *sink, const PyCall *call, PyRef node, Str message)
{
  const PyModel *model = sink_python(sink)->model;
  if (!py_tree_try_around(&model->tree, call->node) && !py_model_expects_failure(model, call->node))
    py_say(sink, RULE_SCRIPT_PYTHON, SEVERITY_ERROR, node, message, NULL);
}

static const PyParam *param_named(const PyModel *model, const PyFunction *function, Str name)
{
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (str_equal(py_model_params(model, function)[i].name, name))
      return &py_model_params(model, function)[i];
  }
  return NULL;
}

static bool has_only_plain(const PyModel *model, const PyFunction *function)
{
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (py_model_params(model, function)[i].kind != PY_PARAM_PLAIN)
      return false;
  }
  return true;
}

/// A tensor of torch, or a keyword that is no parameter. True if one is.
static bool check_arguments(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    bool is_strange = argument->keyword.len > 0 && !param_named(model, function, argument->keyword);
    bool is_tensor = py_file_is_only(py_file_value(sink_python(sink), argument->value), PY_TENSOR);
    if (is_strange)
      say(sink, call, argument->node,
          arena_printf(sink->arena, "%.*s() has no parameter '%.*s'.", STR_ARG(function->name),
                       STR_ARG(argument->keyword)));
    else if (is_tensor)
      say(sink, call, argument->node,
          STR("A function of onnxscript is run with arrays of numpy, and this is a tensor of torch: numpy() makes one."));
    if (is_strange || is_tensor)
      return true;
  }
  return false;
}

static void check_call(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  if (call->has_splat || call->has_dictionary_splat || py_file_asks_version(sink_python(sink), call->node) ||
      check_arguments(sink, call, function))
    return;
  for (uint32_t i = py_model_positional_count(model, call); i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    if (param->default_value || py_model_argument_of(model, call, PY_ABSENT, param->name))
      continue;
    say(sink, call, call->function_node,
        arena_printf(sink->arena, "'%.*s' is missing, which %.*s() needs.", STR_ARG(param->name),
                     STR_ARG(function->name)));
    return;
  }
}

/// Whether the call stands in a function that onnxscript, or an exporter, translates: those are judged elsewhere.
static bool is_translated(const PyModel *model, const PyCall *call)
{
  for (uint32_t at = call->scope; at != PY_ABSENT; at = model->functions.items[at].parent) {
    const PyFunction *around = &model->functions.items[at];
    if ((around->roles & (PY_ROLE_ONNXSCRIPT | PY_ROLE_TORCHLIB)) || around->class_node || around->param_count > 0)
      return true;
  }
  return false;
}

void check_python_script_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_script = (function->roles & PY_ROLE_ONNXSCRIPT) && !function->has_unknown_decorator &&
                     !(function->roles & PY_ROLE_TORCHLIB) && has_only_plain(model, function);
    for (uint32_t at = is_script ? function->first_call : PY_ABSENT; at != PY_ABSENT;
         at = model->calls.items[at].next) {
      if (!is_translated(model, &model->calls.items[at]))
        check_call(sink, &model->calls.items[at], function);
    }
  }
}
