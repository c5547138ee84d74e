// What is done with the None that functions give back that change or write something.

#include "base/limits.h"
#include "python/rules/public_objects.h"
#include "python/rules/result_uses.h"

/// All that they give is None. Source: inspect.signature() and calls in torch 2.6 and 2.14, onnx 1.12, 1.17 and 1.20,
/// onnxruntime 1.21 and 1.23.
static bool gives_none(Str function)
{
  static const char *const names[] = { "onnx.save",
                                       "onnx.save_model",
                                       "onnx.checker.check_model",
                                       "onnx.checker.check_graph",
                                       "onnx.checker.check_node",
                                       "onnx.checker.check_tensor",
                                       "onnx.convert_model_to_external_data",
                                       "onnx.load_external_data_for_model",
                                       "onnx.external_data_helper.convert_model_to_external_data",
                                       "onnx.external_data_helper.load_external_data_for_model",
                                       "onnx.helper.set_model_props",
                                       "onnx.helper.strip_doc_string",
                                       "onnx.shape_inference.infer_shapes_path",
                                       "onnx.utils.extract_model",
                                       "onnxruntime.quantization.quantize_dynamic",
                                       "onnxruntime.quantization.quantize_static",
                                       "onnxruntime.quantization.quant_pre_process",
                                       "onnxruntime.quantization.shape_inference.quant_pre_process",
                                       "onnxruntime.quantization.quantize.quantize_dynamic",
                                       "onnxruntime.quantization.quantize.quantize_static",
                                       "torch.export.save",
                                       "torch.onnx.register_custom_op_symbolic",
                                       "torch.onnx.unregister_custom_op_symbolic",
                                       "torch.onnx.ONNXProgram.apply_weights",
                                       "torch.onnx.ONNXProgram.initialize_inference_session",
                                       "torch.onnx.ONNXProgram.optimize",
                                       "torch.onnx.ONNXProgram.release",
                                       "torch.onnx.ONNXProgram.save",
                                       "onnxruntime.InferenceSession.run_with_iobinding",
                                       "onnxruntime.IOBinding.bind_cpu_input",
                                       "onnxruntime.IOBinding.bind_input",
                                       "onnxruntime.IOBinding.bind_output",
                                       "onnxruntime.IOBinding.bind_ortvalue_input",
                                       "onnxruntime.IOBinding.bind_ortvalue_output",
                                       "onnxruntime.IOBinding.synchronize_outputs",
                                       "onnxruntime.SessionOptions.add_session_config_entry",
                                       "onnxruntime.SessionOptions.register_custom_ops_library" };
  return public_is_known_package(function) && str_is_one_of(function, names, COUNT(names));
}

/// Whether a name may be the last one of the table: most methods are none of them.
static bool may_give_none(Str method)
{
  static const char *const starts[] = { "apply_", "initialize_", "optimize", "release", "save",
                                        "run_",   "bind_",       "synch",    "add_",    "register_" };
  for (size_t i = 0; i < COUNT(starts); i++) {
    if (str_starts_with(method, str_from(starts[i])))
      return true;
  }
  return false;
}

typedef struct NoneUse {
  DiagSink *sink;
  const PyModel *model;
  Str function;
} NoneUse;

/// Where None raises: `x.a`, `x[0]`, `x()`, `for a in x`, `a, b = x`, `f(x)` of a function that needs a model.
static bool raises(const NoneUse *use, PyRef node)
{
  const PyTree *tree = &use->model->tree;
  PyRef parent = tree->nodes[node].parent;
  PyField field = (PyField)tree->nodes[node].field;
  switch (py_kind(tree, parent)) {
  case PYK_ATTRIBUTE:
    return py_tree_object(tree, parent) == node && !str_starts_with(py_tree_member_name(tree, parent), STR("__"));
  case PYK_SUBSCRIPT:
    return field == PY_F_VALUE;
  case PYK_CALL:
    return field == PY_F_FUNCTION;
  case PYK_FOR_STATEMENT:
  case PYK_FOR_IN_CLAUSE:
    return field == PY_F_RIGHT;
  case PYK_ASSIGNMENT:
    return field == PY_F_RIGHT && py_kind(tree, py_child(tree, parent, PY_F_LEFT)) == PYK_PATTERN_LIST;
  default:
    return false;
  }
}

/// Whether the call whose first argument it is takes no None there.
static bool is_refused(const NoneUse *use, PyRef node)
{
  const PyCall *call = py_model_call_of_list(use->model, use->model->tree.nodes[node].parent);
  bool is_first = call && call->argument_count > 0 && py_model_arguments(use->model, call)->node == node;
  return is_first && public_refuses_none(call->qualified);
}

/// Whether a condition around a name asks for it: `if model: print(model.graph)`.
static bool is_asked_for(const PyTree *tree, PyRef name)
{
  Str text = py_text(tree, name);
  PyRef at = py_kind(tree, name) == PYK_IDENTIFIER ? tree->nodes[name].parent : 0;
  for (int depth = 0; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    PyRef condition = kind == PYK_IF_STATEMENT || kind == PYK_WHILE_STATEMENT ? py_child(tree, at, PY_F_CONDITION)
                      : kind == PYK_BOOLEAN_OPERATOR || kind == PYK_CONDITIONAL_EXPRESSION ? at
                                                                                           : 0;
    if (condition && str_contains(py_text(tree, condition), text))
      return true;
    if (kind == PYK_FUNCTION_DEFINITION)
      return false;
  }
  return false;
}

static void check_use(void *context, PyRef node)
{
  const NoneUse *use = context;
  bool is_argument = is_refused(use, node);
  if ((is_argument || raises(use, node)) && !py_tree_try_around(&use->model->tree, node) &&
      !is_asked_for(&use->model->tree, node) && !py_model_expects_failure(use->model, node))
    py_say(use->sink, is_argument ? RULE_EXPORT_ARGUMENT_TYPE : RULE_UNSTABLE_API, SEVERITY_ERROR, node,
           arena_printf(use->sink->arena, "This is None: %.*s() gives nothing back.", STR_ARG(use->function)), NULL);
}

/// The function that is called, or the method of its class.
static Str called(DiagSink *sink, const PyCall *call)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  Str method = py_tree_member_name(tree, call->function_node);
  if (gives_none(call->qualified) || !may_give_none(method))
    return call->qualified;
  Str class_name = public_class_of(sink, py_tree_object(tree, call->function_node));
  return class_name.len > 0 ? arena_printf(sink->arena, "%.*s.%.*s", STR_ARG(class_name), STR_ARG(method)) : class_name;
}

void check_python_none_results(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  if (py_is_torch_itself(model) || public_is_onnx_itself(file))
    return;
  bool has_objects = public_objects_are_made(file);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    // A statement of its own, as most are, gives nobody anything.
    if (py_kind(&model->tree, model->tree.nodes[call->node].parent) == PYK_EXPRESSION_STATEMENT)
      continue;
    NoneUse use = { sink, model, has_objects ? called(sink, call) : call->qualified };
    if (gives_none(use.function) && !py_file_asks_version(file, call->node))
      result_each_use(model, call, check_use, &use);
  }
}
