// What readers of data give quantize_static(): inputs that the exported model has, of its shapes and types. Run with
// ONNX Runtime 1.23, which refuses others as a session does.

#include "base/limits.h"
#include "python/rules/tools/session_run.h"

/// Whether the dict is what get_next() gives, or one of a list of these: `return {...}`, `iter([{...} for x in xs])`.
static bool is_given(const PyModel *model, PyRef dictionary)
{
  const PyTree *tree = &model->tree;
  PyRef around = tree->nodes[dictionary].parent;
  PyNodeKind kind = py_kind(tree, around);
  uint32_t scope = py_model_scope_of(model, dictionary);
  if (kind == PYK_CONDITIONAL_EXPRESSION)
    kind = py_kind(tree, tree->nodes[around].parent);
  bool is_returned = kind == PYK_RETURN_STATEMENT && scope != PY_ABSENT &&
                     str_equal(model->functions.items[scope].name, STR("get_next"));
  return is_returned || kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION || kind == PYK_LIST;
}

/// Returns whether it said something.
static bool check_dictionary(const Run *run, PyRef dictionary)
{
  const PyTree *tree = &run->model->tree;
  for (PY_EACH_ELEMENT(tree, pair, dictionary)) {
    PyRef key = py_tree_key(tree, pair), value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    Str name = { 0 };
    if (!value || !session_is_string(run, key, &name))
      return false;
    const char *wrong = session_has_input_names(run) ? session_wrong_name(run, name) : NULL;
    if (wrong)
      session_say(run, key, str_from(wrong), NULL);
    if (wrong || session_check_value(run, session_example_of(run, key, &name), name, value))
      return true;
  }
  return false;
}

static void check_reader(const Run *run, PyRef class_node)
{
  const PyTree *tree = &run->model->tree;
  for (PY_EACH_NODE(tree, node, class_node)) {
    if (py_kind(tree, node) == PYK_DICTIONARY && is_given(run->model, node) && check_dictionary(run, node))
      return;
  }
}

static void check_call(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  const PyArgument *input = py_model_argument(model, call, 0, "model_input");
  const PyArgument *reader = py_model_argument(model, call, 2, "calibration_data_reader");
  const PyCall *made = reader ? py_model_call(model, py_model_resolve(model, reader->value)) : NULL;
  PyRef class_node = made ? py_model_class_named(model, made->function_node) : 0;
  Run run = { .sink = sink, .file = file, .model = model, .call = call, .input_count = -1 };
  Str path;
  if (!input || !class_node || !session_is_string(&run, input->value, &path) ||
      !written_model(written, path, call->scope, call->node, &run.export))
    return;
  run.has_export = true;
  session_find_names(&run);
  check_reader(&run, class_node);
}

void check_python_calibration(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (!py_model_mentions(model, "quantize_static") || !sink_wants(sink, RULE_SESSION_RUN, OWN))
    return;
  WrittenModels written = written_models(sink);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (str_equal(call->qualified, STR("onnxruntime.quantization.quantize_static")) && !call->has_splat)
      check_call(sink, &written, call);
  }
}
