// Parameters of functions that hand them on to torch.onnx.export(), and whose default it can't take: whoever calls the
// function without it gets the exception.

#include "base/limits.h"
#include "python/rules/export/export_call.h"

#define KIND(name) (UINT64_C(1) << PYK_##name)

/// What an argument can't be, among literals.
typedef struct WrongDefault {
  const char *argument;
  RuleId rule;
  uint64_t kinds;
  const char *right;
  bool is_traced;  ///< The dynamo exporter does not look at it.
} WrongDefault;

static const WrongDefault wrong_defaults[] = {
  // Keep alphabetized.
  { "custom_opsets", RULE_EXPORT_ARGUMENT_TYPE, KIND(STRING) | KIND(LIST) | KIND(TUPLE) | KIND(SET), "a dict", true },
  { "dynamic_axes", RULE_DYNAMIC_AXES_TYPE, KIND(STRING) | KIND(SET), "a dict", false },
  { "input_names", RULE_EXPORT_ARGUMENT_TYPE, KIND(STRING), "a list of names", false },
  { "operator_export_type", RULE_EXPORT_ARGUMENT_TYPE, KIND(STRING), "a torch.onnx.OperatorExportTypes", true },
  { "opset_version", RULE_EXPORT_OPSET_TYPE, KIND(STRING) | KIND(FLOAT) | KIND(LIST) | KIND(TUPLE), "an int", false },
  { "output_names", RULE_EXPORT_ARGUMENT_TYPE, KIND(STRING), "a list of names", false },
  { "training", RULE_EXPORT_ARGUMENT_TYPE, KIND(STRING) | KIND(TRUE) | KIND(FALSE), "a torch.onnx.TrainingMode", true },
};

/// Whether a call leaves the parameter out, or the file has none.
static bool may_be_left_out(const PyModel *model, const PyFunction *function, const PyParam *param)
{
  uint32_t at = function->first_call;
  uint32_t position = (uint32_t)(param - py_model_params(model, function)) - (function->class_node ? 1 : 0);
  for (; at != PY_ABSENT; at = model->calls.items[at].next) {
    const PyCall *call = &model->calls.items[at];
    if (call->has_splat || call->has_dictionary_splat || !py_model_argument_of(model, call, position, param->name))
      return true;
  }
  return function->first_call == PY_ABSENT;
}

/// The default of the parameter that the argument is, where nothing else is known of it; 0.
static PyRef default_of(const ExportCall *export, const char *name)
{
  const PyModel *model = export->model;
  const PyArgument *argument = export_argument(export, name);
  PyRef value = argument ? export_resolve(model, argument->value) : 0;
  const PyBinding *binding = value ? py_model_binding_at(model, value) : NULL;
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->is_changed || binding->scope == PY_ABSENT)
    return 0;
  const PyFunction *function = &model->functions.items[binding->scope];
  const PyParam *param = &model->params.items[binding->index];
  bool is_open = param->default_value && !param->bound_value && may_be_left_out(model, function, param);
  return is_open ? py_model_resolve(model, param->default_value) : 0;
}

static bool is_one_letter(const ExportCall *export, PyRef value)
{
  Str text;
  return py_model_string(export->model, value, export->sink->arena, &text) && text.len <= 1;
}

void export_check_defaults(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  for (size_t i = 0; i < COUNT(wrong_defaults); i++) {
    const WrongDefault *wrong = &wrong_defaults[i];
    PyRef value = wrong->is_traced && export->kind == EXPORT_DYNAMO ? 0 : default_of(export, wrong->argument);
    PyNodeKind kind = value ? py_kind(&export->model->tree, value) : PYK_OTHER;
    bool is_wrong =
        value && kind < 64 && (wrong->kinds >> kind & 1) != 0 && (kind != PYK_STRING || !is_one_letter(export, value));
    if (is_wrong && sink_wants(sink, wrong->rule, SEVERITY_WARNING))
      py_say(sink, wrong->rule, SEVERITY_WARNING, value,
             arena_printf(sink->arena, "%s has to be %s, and this is handed on to it where nothing else is given.",
                          wrong->argument, wrong->right),
             NULL);
  }
}
