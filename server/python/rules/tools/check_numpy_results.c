// What a model gives, handed to numpy outside of forward(): torch refuses it as long as it needs a gradient.

#include "python/rules/export/export_call.h"
#include "python/rules/trace/gradient_results.h"

static void say(DiagSink *sink, PyRef node)
{
  if (sink_wants(sink, RULE_SESSION_RUN, OWN))
    py_say(
        sink, RULE_SESSION_RUN, OWN, node,
        STR("What a model gives needs a gradient, and numpy takes no such tensor: run it in `with torch.no_grad():`, "
            "or call detach() first."),
        NULL);
}

/// Functions that make arrays of their first arguments.
static uint32_t arrays_of(Str function)
{
  static const struct {
    const char *name;
    uint32_t count;
  } functions[] = {
    { "numpy.array", 1 },    { "numpy.asarray", 1 },
    { "numpy.allclose", 2 }, { "numpy.testing.assert_allclose", 2 },
    { "numpy.argmax", 1 },   { "numpy.testing.assert_almost_equal", 2 },
  };
  for (size_t i = 0; i < COUNT(functions); i++) {
    if (str_equal(function, str_from(functions[i].name)))
      return functions[i].count;
  }
  return 0;
}

static void check_call(DiagSink *sink, const ModuleParts *parts, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef object = call->argument_count == 0 && str_equal(py_tree_member_name(tree, call->function_node), STR("numpy"))
                     ? py_tree_object(tree, call->function_node)
                     : 0;
  uint32_t scope = call->scope, count = arrays_of(call->qualified);
  if (scope != PY_ABSENT && model->functions.items[scope].class_node)
    return;
  if (object && result_needs_gradient(model, parts, object, sink->arena))
    say(sink, call->function_node);
  for (uint32_t i = 0; i < count; i++) {
    const PyArgument *argument = py_model_argument(model, call, i, NULL);
    if (argument && !argument->is_splat && result_needs_gradient(model, parts, argument->value, sink->arena))
      say(sink, argument->value);
  }
}

void check_python_numpy_results(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (model->exports.count == 0 || !py_model_mentions(model, "numpy"))
    return;
  ModuleParts parts = module_parts(model, sink->arena);
  for (size_t i = 0; i < model->calls.count; i++)
    check_call(sink, &parts, &model->calls.items[i]);
}
