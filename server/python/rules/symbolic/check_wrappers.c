// Decorators of the file that put a function of their own in the place of a symbolic one: what @parse_args above them
// sees, and what they give back.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/function_check.h"

static bool takes_any(const PyModel *model, const PyFunction *function)
{
  bool any = false;
  for (PY_EACH_PARAM(model, param, function))
    any |= param->kind == PY_PARAM_ARGS;
  return any;
}

/// `@functools.wraps(function)` gives it the parameters of the other one; what anything else does is not known.
static bool is_bare(const PyModel *model, const PyFunction *wrapper)
{
  for (PY_EACH_DECORATOR(model, expression, wrapper->outer)) {
    if (expression)
      return false;
  }
  return true;
}

/// How many decorators there are from the node on.
static uint32_t count_below(const PyModel *model, PyRef definition, PyRef node)
{
  uint32_t count = 0;
  for (PY_EACH_DECORATOR(model, expression, definition))
    count += expression > node;
  return count;
}

/// @parse_args passes one argument for each parameter after the first that it sees, `*args` among them, and drops what
/// is more than that. Run with torch 1.13, 2.6 and 2.14.
static void check_parsed(DiagSink *sink, const PyFunction *function, const PyFunction *wrapper)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef parse_args = model->calls.items[function->parse_args].node;
  uint32_t required = 0;
  for (PY_EACH_PARAM(model, param, function))
    required += param->kind == PY_PARAM_PLAIN && !param->default_value;
  if (!takes_any(model, wrapper) || !is_bare(model, wrapper) || count_below(model, function->outer, parse_args) != 1 ||
      required <= wrapper->param_count || !sink_wants(sink, RULE_REGISTRATION_CALL, OWN))
    return;
  py_say(sink, RULE_REGISTRATION_CALL, OWN, parse_args,
         arena_printf(sink->arena,
                      "@parse_args sees the parameters of '%.*s', which hides those of '%.*s', and drops the arguments "
                      "beyond them: put @functools.wraps(...) above '%.*s', or @parse_args below.",
                      STR_ARG(wrapper->name), STR_ARG(function->name), STR_ARG(wrapper->name)),
         NULL);
}

/// A wrapper that calls the function and gives nothing back.
static void check_result(DiagSink *sink, const PyFunction *function, const PyFunction *wrapper)
{
  const PyFile *file = sink_python(sink);
  uint32_t index = (uint32_t)(wrapper - file->model->functions.items);
  if (py_file_ending(file, index) != PY_FALLS_THROUGH || !sink_wants(sink, RULE_MISSING_RETURN, OWN))
    return;
  py_say(sink, RULE_MISSING_RETURN, OWN, wrapper->name_node ? wrapper->name_node : wrapper->node,
         arena_printf(sink->arena,
                      "This stands in the place of '%.*s' and returns no value, so the exporter can't convert the "
                      "operator.",
                      STR_ARG(function->name)),
         NULL);
}

/// The registration that names a function whose decorator leaves None in its place; NULL.
static const PyRegistration *registration_of_none(const PyFile *file, const PyFunction *function)
{
  const PyModel *model = file->model;
  if (function->outer == function->node || !(function->roles & PY_ROLE_REGISTERED) || function->class_node)
    return NULL;
  for (PY_EACH_REGISTRATION(model, registration, (uint32_t)(function - model->functions.items))) {
    PyRef node = registration->function_node;
    bool is_named = node >= model->tree.nodes[function->outer].next && node < model->tree.count &&
                    py_kind(&model->tree, node) == PYK_IDENTIFIER &&
                    str_equal(py_text(&model->tree, node), function->name);
    if (is_named)
      return function_is_lost(file, function) ? registration : NULL;
  }
  return NULL;
}

static void check_lost(DiagSink *sink, const PyFunction *function)
{
  const PyRegistration *registration = registration_of_none(sink_python(sink), function);
  if (registration && sink_wants(sink, RULE_REGISTRATION_CALL, OWN))
    py_say(sink, RULE_REGISTRATION_CALL, OWN, registration->function_node,
           arena_printf(sink->arena,
                        "'%.*s' is None here, as its decorator returns nothing: let that return the function.",
                        STR_ARG(function->name)),
           NULL);
}

void check_python_wrappers(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->functions.count && !py_is_torch_itself(model); i++) {
    const PyFunction *function = &model->functions.items[i];
    check_lost(sink, function);
    if (function->wrapper == PY_ABSENT || !(function->roles & PY_ROLE_REGISTERED) || function->class_node)
      continue;
    const PyFunction *wrapper = &model->functions.items[function->wrapper];
    check_result(sink, function, wrapper);
    if (function->parse_args != PY_ABSENT)
      check_parsed(sink, function, wrapper);
  }
}
