// What onnx and onnxruntime.quantization ask of calls beside their signatures. Run with onnx 1.12, 1.17 and 1.20, and
// onnxruntime 1.21 and 1.23.

#include "base/nearest.h"
#include "python/rules/public_objects.h"

static void say(DiagSink *sink, PyRef node, Str message)
{
  const PyFile *file = sink_python(sink);
  if (!py_tree_try_around(&file->model->tree, node) && !public_is_onnx_itself(file))
    py_say(sink, RULE_UNSTABLE_API, SEVERITY_ERROR, node, message, NULL);
}

/// make_model() sets each keyword as a member of the model, and a list can't be set.
static void check_make_model(DiagSink *sink, const PyCall *call)
{
  static const char *const names[] = { "graph",         "ir_version", "producer_name", "producer_version", "domain",
                                       "model_version", "doc_string", "opset_imports", "functions" };
  Arena *arena = sink->arena;
  for (PY_EACH_ARGUMENT(sink_python(sink)->model, argument, call)) {
    if (argument->keyword.len == 0 || str_is_one_of(argument->keyword, names, COUNT(names)))
      continue;
    const char *near = str_starts_with(argument->keyword, STR("opset"))
                           ? "opset_imports"
                           : nearest_word(arena_copy(arena, argument->keyword).data, names, COUNT(names));
    say(sink, argument->node,
        arena_printf(arena, "onnx.helper.make_model() has no argument '%.*s'%s%s%s", STR_ARG(argument->keyword),
                     near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "."));
  }
}

/// `make_model(graph, opset_imports=[])`, which is read afterwards and gets none.
static void check_no_opset(DiagSink *sink, const PyCall *call)
{
  static const char *const readers[] = { "check_model", "InferenceSession" };
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *imports = py_model_argument(model, call, PY_ABSENT, "opset_imports");
  PyRef list = imports ? py_tree_strip(&model->tree, imports->value) : 0;
  if (list && py_kind(&model->tree, list) == PYK_LIST && !py_first_child(&model->tree, list) &&
      py_model_mentions_one_of(model, readers, COUNT(readers)) && !py_model_mentions(model, "opset_import."))
    say(sink, imports->value,
        STR("A model has to import an opset, and this is an empty list: leave it out, or write "
            "[onnx.helper.make_opsetid(\"\", 17)]."));
}

/// The function of the file that a name stands for; NULL.
static const PyFunction *function_given(const PyModel *model, const PyArgument *argument)
{
  const PyBinding *binding = argument && py_kind(&model->tree, argument->value) == PYK_IDENTIFIER
                                 ? py_model_binding_at(model, argument->value)
                                 : NULL;
  const PyFunction *function =
      py_binding_is_only(binding, PY_BIND_FUNCTION) ? &model->functions.items[binding->index] : NULL;
  return function && function->outer == function->node && function->param_count > 0 ? function : NULL;
}

/// A parameter after the first that has to be given, and that the other function does not name; NULL. A pattern may
/// name results, too: `op.Relu(x, _outputs=["y"])`.
static const PyParam *param_apart(const PyModel *model, const PyFunction *function, const PyFunction *other)
{
  for (uint32_t i = 0; i < other->param_count; i++) {
    PyParamKind kind = py_model_params(model, other)[i].kind;
    if (kind == PY_PARAM_ARGS || kind == PY_PARAM_KWARGS)
      return NULL;
  }
  for (uint32_t i = 1; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    if (param->kind == PY_PARAM_PLAIN && !param->default_value &&
        !str_contains(py_text(&model->tree, other->node), param->name))
      return param;
  }
  return NULL;
}

/// `RewriteRule(pattern, replacement)`: the replacement gets what the pattern has matched, by name. Run with onnxscript
/// 0.7.
static void check_rewrite(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *argument = py_model_argument(model, call, 1, "replacement_pattern");
  const PyFunction *pattern = function_given(model, py_model_argument(model, call, 0, "target_pattern"));
  const PyFunction *replacement = function_given(model, argument);
  const PyParam *apart = pattern && replacement ? param_apart(model, replacement, pattern) : NULL;
  if (apart)
    say(sink, argument->value,
        arena_printf(sink->arena, "%.*s() gets what the pattern matches, by name, and %.*s() has no '%.*s'.",
                     STR_ARG(replacement->name), STR_ARG(pattern->name), STR_ARG(apart->name)));
}

/// Whether a class derives from CalibrationDataReader alone and leaves get_next() to it.
static bool lacks_next(const DiagSink *sink, PyRef class_node)
{
  static const char *const bases[] = { "onnxruntime.quantization.CalibrationDataReader",
                                       "onnxruntime.quantization.calibrate.CalibrationDataReader" };
  const PyModel *model = sink_python(sink)->model;
  PyRef list = py_child(&model->tree, class_node, PY_F_SUPERCLASSES);
  PyRef base = list ? py_first_child(&model->tree, list) : 0;
  return base && !py_next_sibling(&model->tree, base) &&
         str_is_one_of(py_model_qualified(model, base, sink->arena), bases, COUNT(bases)) &&
         !py_model_names_member(model, class_node, STR("get_next"));
}

/// `Reader()`
static void check_reader(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyBinding *binding = py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER
                                 ? py_model_binding_at(model, call->function_node)
                                 : NULL;
  if (py_binding_is_only(binding, PY_BIND_CLASS) && lacks_next(sink, model->tree.nodes[binding->node].parent))
    say(sink, call->function_node,
        STR("A CalibrationDataReader can't be made without a method get_next(), which gives the inputs by name, and "
            "None at the end."));
}

/// `f.to_model_proto()` of a function that nothing decorates.
static void check_compiled(DiagSink *sink, const PyCall *call)
{
  static const char *const methods[] = { "to_model_proto", "to_function_proto" };
  const PyModel *model = sink_python(sink)->model;
  PyRef name = py_tree_object(&model->tree, call->function_node);
  const PyBinding *binding =
      name && py_kind(&model->tree, name) == PYK_IDENTIFIER &&
              str_is_one_of(py_tree_member_name(&model->tree, call->function_node), methods, COUNT(methods))
          ? py_model_binding_at(model, name)
          : NULL;
  const PyFunction *function =
      py_binding_is_only(binding, PY_BIND_FUNCTION) ? &model->functions.items[binding->index] : NULL;
  if (function && function->outer == function->node && !py_tree_try_around(&model->tree, call->node))
    py_say(sink, RULE_SCRIPT_PYTHON, SEVERITY_ERROR, call->function_node,
           arena_printf(sink->arena, "'%.*s' is a function of Python: @script() makes one of ONNX of it.",
                        STR_ARG(function->name)),
           NULL);
}

static bool is_script(const PyModel *model, uint32_t function)
{
  const PyFunction *at = function == PY_ABSENT ? NULL : &model->functions.items[function];
  return at && (at->roles & PY_ROLE_ONNXSCRIPT) && !at->has_unknown_decorator;
}

/// A tensor of torch, or a keyword that is no parameter, where such a function is run. Run with onnxscript 0.7.
static bool check_eager_arguments(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  bool may_be_ignored = py_model_mentions(model, "ignore_unknown_function_kwargs");  // By an evaluator.
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    bool is_known = argument->keyword.len == 0 || may_be_ignored;
    for (PY_EACH_PARAM(model, param, function))
      is_known |= str_equal(param->name, argument->keyword) || param->kind == PY_PARAM_KWARGS;
    bool is_tensor = py_file_is_only(py_file_value(sink_python(sink), argument->value), PY_TENSOR);
    if (is_known && !is_tensor)
      continue;
    Str what = is_known ? STR("onnxscript runs its functions with arrays of numpy, and this is a tensor of torch: "
                              "numpy() makes one of it.")
                        : arena_printf(sink->arena, "%.*s() has no parameter '%.*s'.", STR_ARG(function->name),
                                       STR_ARG(argument->keyword));
    py_say(sink, RULE_SCRIPT_PYTHON, SEVERITY_ERROR, argument->node, what, NULL);
    return true;
  }
  return false;
}

/// `f()` of a function that @script() makes and that takes something, where Python calls it: it is run then.
static void check_eager(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (!is_script(model, call->function) || is_script(model, call->scope) || call->has_splat ||
      call->has_dictionary_splat || py_tree_try_around(&model->tree, call->node) ||
      py_model_expects_failure(model, call->node))
    return;
  const PyFunction *function = &model->functions.items[call->function];
  if (check_eager_arguments(sink, call, function))
    return;
  uint32_t position = 0;
  for (PY_EACH_PARAM(model, param, function)) {
    bool may_miss =
        param->default_value || param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS ||
        str_contains(param->annotation ? py_text(&model->tree, param->annotation) : (Str){ 0 }, STR("Optional"));
    if (!may_miss && !py_model_argument_of(model, call, position, param->name)) {
      py_say(sink, RULE_SCRIPT_PYTHON, SEVERITY_ERROR, call->node,
             arena_printf(sink->arena, "%.*s() is run here, and its '%.*s' gets nothing%s", STR_ARG(function->name),
                          STR_ARG(param->name),
                          call->argument_count == 0 ? ": without parentheses it is the function of ONNX itself." : "."),
             NULL);
      return;
    }
    position++;
  }
}

void check_python_onnx_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool has_compiled = py_model_mentions(model, "onnxscript");
  bool has_reader = py_model_mentions(model, "CalibrationDataReader");
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (str_equal(call->qualified, STR("onnx.helper.make_model"))) {
      check_make_model(sink, call);
      check_no_opset(sink, call);
    } else if (str_ends_with(call->qualified, STR("pattern.RewriteRule")) ||
               str_equal(call->qualified, STR("onnxscript.rewriter.RewriteRule")))
      check_rewrite(sink, call);
    else if (has_reader)
      check_reader(sink, call);
    if (!has_compiled)
      continue;
    check_compiled(sink, call);
    check_eager(sink, call);
  }
}
