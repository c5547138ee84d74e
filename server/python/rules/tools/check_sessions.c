// What an onnxruntime.InferenceSession is run with, also against the export of the file that wrote its model.
// Run with ONNX Runtime 1.21 and 1.23, and models of torch 2.6 and 2.14.

#include "python/rules/tools/session_run.h"

/// One of the names of outputs that are asked for.
static void check_output_name(const Run *run, PyRef node)
{
  static const char *const digits[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" };
  Str name;
  if (session_is_node(run, node)) {
    session_say(run, node, STR("The outputs go by name, and this is one that has a name: add `.name`."),
                py_edit_after(run->sink, false, STR("Add .name"), node, STR(".name")));
    return;
  }
  // Those without a name in output_names have a number.
  if (!run->has_export || !run->outputs.node || !run->outputs.is_known || !session_is_string(run, node, &name) ||
      export_has_name(&run->outputs, run->outputs.count, name) || str_contains_one_of(name, digits, COUNT(digits)))
    return;
  session_say(
      run, node,
      arena_printf(run->sink->arena, "The model has no output '%.*s': see output_names of its export.", STR_ARG(name)),
      NULL);
}

static void check_outputs(const Run *run, const PyArgument *argument)
{
  const PyTree *tree = &run->model->tree;
  PyRef names = py_model_resolve(run->model, argument->value);
  PyNodeKind kind = py_kind(tree, names);
  PyRef node = str_equal(py_tree_member_name(tree, names), STR("name")) ? py_tree_object(tree, names) : 0;
  if (kind == PYK_STRING || (node && session_is_node(run, node))) {
    Str text = arena_printf(run->sink->arena, "[%.*s]", STR_ARG(py_text(tree, argument->value)));
    session_say(run, argument->value, STR("A session takes the names of outputs as a list."),
                py_edit_replace(run->sink, true, argument->value, text));
    return;
  }
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return;
  for (PY_EACH_ELEMENT(tree, item, names))
    check_output_name(run, item);
}

/// `run({...})` and `run({...}, None)`.
static bool check_order(const Run *run, const PyArgument *outputs, const PyArgument *feed)
{
  PyNodeKind first = outputs ? py_kind(&run->model->tree, py_model_resolve(run->model, outputs->value)) : PYK_OTHER;
  if (feed && first != PYK_DICTIONARY)
    return false;
  session_say(run, outputs ? outputs->value : run->call->node,
              STR("run() takes the names of the outputs first, or None for all of them, and then the inputs by name."),
              NULL);
  return true;
}

/// How many outputs run() gives: those that it is asked for, or all; -1.
static int given_outputs(const Run *run)
{
  const PyTree *tree = &run->model->tree;
  const PyArgument *names = py_model_argument(run->model, run->call, 0, "output_names");
  PyRef list = names ? py_model_resolve(run->model, names->value) : 0;
  PyNodeKind kind = list ? py_kind(tree, list) : PYK_NONE;
  int count = 0;
  if (kind == PYK_NONE)
    return run->has_export ? export_output_count(&run->export, &run->made) : -1;
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return -1;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_tree_is_splat(tree, item))
      return -1;
    count++;
  }
  return count;
}

/// `boxes, scores = session.run(...)` of three outputs.
static void check_unpacked(const Run *run, const PyArgument *outputs)
{
  const PyTree *tree = &run->model->tree;
  PyRef up = tree->nodes[run->call->node].parent;
  PyRef targets = py_kind(tree, up) == PYK_ASSIGNMENT ? py_child(tree, up, PY_F_LEFT) : 0;
  PyRef names = outputs ? py_model_resolve(run->model, outputs->value) : 0;
  PyNodeKind kind = names ? py_kind(tree, names) : PYK_NONE;
  bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
  size_t wanted = 0, given = 0;
  if (!targets || py_kind(tree, targets) != PYK_PATTERN_LIST)
    return;
  for (PY_EACH_CHILD(tree, target, targets)) {
    if (py_kind(tree, target) == PYK_LIST_SPLAT_PATTERN)
      return;
    wanted++;
  }
  for (PyRef item = is_list ? py_tree_first_element(tree, names) : 0; item; item = py_tree_next_element(tree, item)) {
    if (py_tree_is_splat(tree, item))
      return;
    given++;
  }
  // Outputs without a name come after the others; the TorchScript exporter refuses names without an output.
  bool is_all = kind == PYK_NONE && run->has_export && run->export.kind == EXPORT_TRACES && run->outputs.node &&
                run->outputs.is_known;
  given = is_all ? run->outputs.count : given;
  int known = kind == PYK_NONE ? given_outputs(run) : -1;
  if (known > 0 && known != (int)wanted) {
    given = (size_t)known;
    is_list = true;
  }
  if (given > 0 && (is_list ? given != wanted : given > wanted))
    session_say(run, targets,
                arena_printf(run->sink->arena, "run() gives %zu outputs here, and there are %zu names.", given, wanted),
                NULL);
}

void session_check_picked(DiagSink *sink, const WrittenModels *written, const PyCall *call, PyRef number)
{
  const PyFile *file = sink_python(sink);
  const PyCall *session = session_made(file->model, py_tree_object(&file->model->tree, call->function_node));
  Run run = { .sink = sink, .file = file, .model = file->model, .call = call, .input_count = -1 };
  int64_t place;
  if (!session || call->has_splat || call->has_dictionary_splat || !py_model_int(run.model, number, &place))
    return;
  run.has_export = session_export(written, session, &run.export);
  if (run.has_export)
    session_find_names(&run);
  int count = given_outputs(&run);
  if (count > 0 && place >= count && sink_wants(sink, RULE_SESSION_RUN, OWN))
    session_say(&run, number, arena_printf(sink->arena, "run() gives %d output%s here.", count, count == 1 ? "" : "s"),
                NULL);
}

static void check_run(const Run *run, const PyCall *session)
{
  const PyArgument *outputs = py_model_argument(run->model, run->call, 0, "output_names");
  const PyArgument *feed = py_model_argument(run->model, run->call, 1, "input_feed");
  if (run->call->has_splat || run->call->has_dictionary_splat || check_order(run, outputs, feed))
    return;
  if (outputs)
    check_outputs(run, outputs);
  check_unpacked(run, outputs);
  session_check_feed(run, feed);
  if (!run->has_export)
    session_check_made(run, session, feed);
}

/// `session.get_outputs()[2]`
static void check_numbered_output(const Run *run)
{
  PyRef number = session_number_picked(run);
  int64_t place = number ? session_largest(run, number) : -1;
  int count = number ? export_output_count(&run->export, &run->made) : -1;
  if (count > 0 && place >= count)
    session_say(run, number, arena_printf(run->sink->arena, "The model has %d output%s.", count, count == 1 ? "" : "s"),
                NULL);
}

/// What is asked of a session: run(), get_inputs() and get_outputs().
static void check_method(Run *run, const WrittenModels *written, const PyCall *session, Str method)
{
  run->has_export = session_export(written, session, &run->export);
  if (run->has_export)
    session_find_names(run);
  if (str_equal(method, STR("run")))
    check_run(run, session);
  else if (run->has_export && str_equal(method, STR("get_inputs")))
    session_check_numbered(run);
  else if (run->has_export)
    check_numbered_output(run);
}

/// `binding.bind_cpu_input("x", array)`, `binding.bind_output("y")` of `session.io_binding()`.
static void check_bound(Run *run, const WrittenModels *written, Str method)
{
  static const char *const outputs[] = { "bind_output", "bind_ortvalue_output" };
  const PyTree *tree = &run->model->tree;
  PyRef binding = py_tree_object(tree, run->call->function_node);
  const PyCall *made = binding ? py_model_call(run->model, py_model_resolve(run->model, binding)) : NULL;
  PyRef function = made ? made->function_node : 0;
  const PyCall *session = function && str_equal(py_tree_member_name(tree, function), STR("io_binding"))
                              ? session_made(run->model, py_tree_object(tree, function))
                              : NULL;
  const PyArgument *argument = session ? py_model_argument(run->model, run->call, 0, "name") : NULL;
  Str name;
  run->has_export = argument && session_export(written, session, &run->export);
  if (!run->has_export || !session_is_string(run, argument->value, &name))
    return;
  session_find_names(run);
  bool is_output = str_is_one_of(method, outputs, COUNT(outputs));
  const char *wrong = !is_output && session_has_input_names(run) ? session_wrong_name(run, name) : NULL;
  if (wrong)
    session_say(run, argument->value, str_from(wrong), NULL);
  else if (is_output)
    check_output_name(run, argument->value);
}

static bool is_binding_method(Str method)
{
  static const char *const methods[] = { "bind_input", "bind_cpu_input", "bind_ortvalue_input", "bind_output",
                                         "bind_ortvalue_output" };
  return str_is_one_of(method, methods, COUNT(methods));
}

static void check_call(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef function = call->function_node;
  Str method = py_tree_member_name(tree, function);
  static const char *const methods[] = { "run", "get_inputs", "get_outputs" };
  bool is_method = str_is_one_of(method, methods, COUNT(methods));
  Run run = { .sink = sink, .file = file, .model = file->model, .call = call, .input_count = -1 };
  if (is_binding_method(method) && sink_wants(sink, RULE_SESSION_RUN, OWN))
    check_bound(&run, written, method);
  if (!is_method && py_kind(tree, function) != PYK_IDENTIFIER)
    return;
  const PyCall *session = session_made(file->model, is_method ? py_tree_object(tree, function) : function);
  if (!session || !sink_wants(sink, RULE_SESSION_RUN, OWN))
    return;
  if (is_method)
    check_method(&run, written, session, method);
  else
    session_say(&run, function, STR("A session is no function: call its run(None, {\"input\": array})."), NULL);
}

/// `InferenceSession("modle.onnx")` after an export to "model.onnx".
static void check_path(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  Str meant = str_equal(call->qualified, STR("onnxruntime.InferenceSession")) && written->count == 1
                  ? session_path_meant(written, call)
                  : (Str){ 0 };
  PyRef path = meant.len > 0 ? py_model_argument(sink_python(sink)->model, call, 0, "path_or_bytes")->value : 0;
  if (path && sink_wants(sink, RULE_SESSION_RUN, SEVERITY_WARNING))
    py_say(
        sink, RULE_SESSION_RUN, SEVERITY_WARNING, path,
        arena_printf(sink->arena, "Nothing here writes this file: the export before it writes '%.*s'.", STR_ARG(meant)),
        py_edit_string(sink, false, path, meant));
}

/// A session with the file that the only export of the same block writes after it.
static void check_order_of_files(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyCall *export = written->count == 1 && written->is_known ? written->exports[0].call : NULL;
  const PyArgument *path =
      export && export->node > call->node && str_equal(call->qualified, STR("onnxruntime.InferenceSession"))
          ? py_model_argument(model, call, 0, "path_or_bytes")
          : NULL;
  PyRef block, other;
  Str read;
  if (path && py_tree_statement(tree, call->node, &block) && py_tree_statement(tree, export->node, &other) &&
      block == other && py_model_string(model, path->value, sink->arena, &read) &&
      session_is_same_path(read, written->paths[0]) && sink_wants(sink, RULE_SESSION_RUN, SEVERITY_WARNING))
    py_say(sink, RULE_SESSION_RUN, SEVERITY_WARNING, path->value,
           STR("The export that writes this file comes after the session that reads it."), NULL);
}

void check_python_sessions(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (!py_model_mentions(model, "InferenceSession"))
    return;
  WrittenModels written = written_models(sink);
  for (size_t i = 0; i < model->calls.count; i++) {
    check_call(sink, &written, &model->calls.items[i]);
    check_path(sink, &written, &model->calls.items[i]);
    check_order_of_files(sink, &written, &model->calls.items[i]);
  }
  session_check_operators(sink, &written);
  session_check_results(sink, &written);
}
