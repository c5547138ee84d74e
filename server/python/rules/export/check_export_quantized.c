// Models that PyTorch's own quantization has made: their weights are packed for its kernels. Run with torch 2.6
// and 2.14.

#include "python/rules/export/export_call.h"

/// "convert" of a call of torch.quantization or torch.ao.quantization; empty.
static Str quantization_of(const PyCall *call)
{
  static const Str modules[] = { STR_INIT("torch.ao.quantization."), STR_INIT("torch.quantization.") };
  for (size_t i = 0; i < COUNT(modules); i++) {
    if (str_starts_with(call->qualified, modules[i]))
      return str_slice(call->qualified, modules[i].len, call->qualified.len);
  }
  return (Str){ 0 };
}

/// Whether a statement before the export, on its level or around it, converts the model in its place.
static bool is_converted_in_place(const ExportCall *export, PyRef name)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  for (size_t i = 0; i < model->calls.count && model->calls.items[i].node < export->call->node; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *given =
        str_equal(quantization_of(call), STR("convert")) ? py_model_argument(model, call, 0, NULL) : NULL;
    const PyArgument *inplace = given ? py_model_argument(model, call, PY_ABSENT, "inplace") : NULL;
    PyRef statement = tree->nodes[call->node].parent;
    PyRef block = tree->nodes[statement].parent;
    if (inplace && py_kind(tree, inplace->value) == PYK_TRUE &&
        str_equal(py_text(tree, given->value), py_text(tree, name)) &&
        py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT && export->call->node < tree->nodes[block].next &&
        py_model_scope_of(model, call->node) == py_model_scope_of(model, export->call->node))
      return true;
  }
  return false;
}

/// What nothing gives a `qconfig` convert() leaves as it is.
static bool has_configuration(const PyModel *model)
{
  Str name = STR("qconfig");
  for (size_t i = 0; i < model->classes.count; i++) {
    if (py_model_names_member(model, model->classes.items[i].node, name))
      return true;
  }
  return py_model_member_is_set_elsewhere(model, 0, name);
}

/// How the model was quantized: "convert" or "quantize_dynamic"; empty.
static Str how_quantized(const ExportCall *export, PyRef name)
{
  const PyModel *model = export->model;
  const PyCall *call = py_model_call(model, export_value(export, "model"));
  Str how = call ? quantization_of(call) : (Str){ 0 };
  if (str_equal(how, STR("convert")) || str_equal(how, STR("quantize_dynamic")))
    return how;
  bool is_name = py_kind(&model->tree, name) == PYK_IDENTIFIER;
  return is_name && is_converted_in_place(export, name) ? STR("convert") : (Str){ 0 };
}

void export_check_quantized(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  const PyArgument *argument = export_argument(export, "model");
  Str how = argument ? how_quantized(export, argument->value) : (Str){ 0 };
  bool is_static = str_equal(how, STR("convert"));
  bool is_packed = how.len > 0 && (!is_static || has_configuration(export->model));
  bool is_refused = is_packed && (export->kind == EXPORT_DYNAMO || (export->kind == EXPORT_TRACES && !is_static));
  if (!is_refused || !sink_wants(sink, RULE_EXPORT_ARGUMENT_TYPE, OWN))
    return;
  py_say(
      sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, argument->value,
      arena_printf(sink->arena,
                   "%.*s() packs the weights for kernels of PyTorch, and %s: export the float model, and quantize the "
                   "ONNX model (onnxruntime.quantization).",
                   STR_ARG(how),
                   is_static                       ? "torch.export can't capture that, only dynamo=False converts it"
                   : export->kind == EXPORT_DYNAMO ? "torch.export can't capture that"
                                                   : "the TorchScript exporter has no function for them"),
      NULL);
}
