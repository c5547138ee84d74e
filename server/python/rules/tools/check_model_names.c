// Names of inputs and outputs that functions of onnx are given, against the model they are of: one that the file
// exports, or loads after it did. Run with onnx 1.17 and 1.20.

#include "base/limits.h"
#include "python/rules/tools/made_model.h"
#include "python/rules/tools/session_model.h"

/// What the file shows of a model's names.
typedef struct ModelNames {
  ExportNames inputs, outputs;  ///< `node` is 0 for those that are not known.
  bool is_traced;               ///< By the TorchScript exporter...
  bool is_whole;                ///< ...all of it: other values have signs or digits in their names then.
  int opset;                    ///< 0 if it is not known.
} ModelNames;

/// Of a path, or of `onnx.load(path)`.
static bool read_names(DiagSink *sink, const WrittenModels *written, PyRef value, ModelNames *ret_names)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef made = py_model_resolve(model, value);
  const PyCall *call = py_model_call(model, made);
  const PyArgument *argument =
      call && (str_equal(call->qualified, STR("onnx.load")) || str_equal(call->qualified, STR("onnx.load_model")))
          ? py_model_argument(model, call, 0, "f")
          : NULL;
  PyRef path = call ? argument ? argument->value : 0 : made;
  ExportCall export;
  Str text;
  uint32_t scope = py_model_scope_of(model, value);
  if (!path || !py_model_string(model, path, sink->arena, &text) ||
      !written_model(written, text, scope, value, &export) || export.call->scope != scope)
    return false;
  export_read_names(&export, "input_names", &ret_names->inputs);
  export_read_names(&export, "output_names", &ret_names->outputs);
  ExportModel exported = export_model(&export);
  ret_names->is_traced = export.kind == EXPORT_TRACES;
  ret_names->is_whole = ret_names->is_traced && (exported.class_node || exported.torch_class.len > 0) &&
                        !py_model_mentions(model, "script");  // Which keeps the names of its variables.
  ret_names->opset = export_opset(export.file, export.call);
  return true;
}

/// Whether the model surely has nothing of that name: others get names of numbers, or with signs in them.
static bool is_unknown(const ExportNames *names, Str name)
{
  static const char *const signs[] = { "/", ".", ":", "_", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
  return names->node && names->is_known && !export_has_name(names, names->count, name) &&
         !str_contains_one_of(name, signs, COUNT(signs));
}

static void check_name(DiagSink *sink, PyRef node, const ExportNames *names, const char *what)
{
  Str name;
  if (py_model_string(sink_python(sink)->model, node, sink->arena, &name) && is_unknown(names, name))
    py_say(
        sink, RULE_EXPORT_ARGUMENT_TYPE, SEVERITY_ERROR, node,
        arena_printf(sink->arena, "The model has no %s '%.*s': see %s_names of its export.", what, STR_ARG(name), what),
        NULL);
}

/// The dynamo exporter makes what opset it can.
static void check_opsets(DiagSink *sink, const PyCall *call, const ModelNames *first, const ModelNames *second)
{
  if (first->is_traced && second->is_traced && first->opset > 0 && second->opset > 0 && first->opset != second->opset)
    py_say(sink, RULE_EXPORT_ARGUMENT_TYPE, SEVERITY_ERROR, call->node,
           arena_printf(sink->arena,
                        "merge_models() takes models of one opset, and these are exported with %d and %d: give both "
                        "exports the same opset_version, or convert one by onnx.version_converter.",
                        first->opset, second->opset),
           NULL);
}

/// `merge_models(first, second, io_map=[("out", "in")])`
static void check_merge(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyArgument *first = py_model_argument(model, call, 0, "m1"), *second = py_model_argument(model, call, 1, "m2");
  const PyArgument *map = py_model_argument(model, call, 2, "io_map");
  ModelNames from = { 0 }, to = { 0 };
  PyRef list = map ? py_model_resolve(model, map->value) : 0;
  bool has_from = first && read_names(sink, written, first->value, &from);
  bool has_to = second && read_names(sink, written, second->value, &to);
  check_opsets(sink, call, &from, &to);
  if (!list || (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE))
    return;
  for (PY_EACH_ELEMENT(tree, pair, list)) {
    PyRef out = py_kind(tree, pair) == PYK_TUPLE ? py_tree_first_element(tree, pair) : 0;
    PyRef in = out ? py_tree_next_element(tree, out) : 0;
    if (has_from && in)
      check_name(sink, out, &from.outputs, "output");
    if (has_to && in)
      check_name(sink, in, &to.inputs, "input");
  }
}

/// Names inside of the model may be given, too, and those of both lists as either.
static void check_extracted(DiagSink *sink, const PyArgument *argument, const ModelNames *names, bool is_output)
{
  const PyModel *model = sink_python(sink)->model;
  const ExportNames *own = is_output ? &names->outputs : &names->inputs;
  const ExportNames *others = is_output ? &names->inputs : &names->outputs;
  PyRef list = argument ? py_model_resolve(model, argument->value) : 0;
  if (!list || py_kind(&model->tree, list) != PYK_LIST)
    return;
  for (PY_EACH_ELEMENT(&model->tree, item, list)) {
    Str name;
    if (py_model_string(model, item, sink->arena, &name) && !export_has_name(others, others->count, name))
      check_name(sink, item, own, is_output ? "output" : "input");
  }
}

/// `extract_model("m.onnx", "part.onnx", ["x"], ["y"])`
static void check_extract(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *path = py_model_argument(model, call, 0, "input_path");
  ModelNames names = { 0 };
  if (!path || !read_names(sink, written, path->value, &names) || !names.is_whole || !names.inputs.node ||
      !names.outputs.node)
    return;
  check_extracted(sink, py_model_argument(model, call, 2, "input_names"), &names, false);
  check_extracted(sink, py_model_argument(model, call, 3, "output_names"), &names, true);
}

void check_python_model_names(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (model->exports.count == 0 ||
      (!py_model_mentions(model, "merge_models") && !py_model_mentions(model, "extract_model")) ||
      made_models_are_changed(model))
    return;
  WrittenModels written = written_models(sink);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (call->has_splat || call->has_dictionary_splat)
      continue;
    if (str_equal(call->qualified, STR("onnx.compose.merge_models")))
      check_merge(sink, &written, call);
    else if (str_equal(call->qualified, STR("onnx.utils.extract_model")))
      check_extract(sink, &written, call);
  }
}
