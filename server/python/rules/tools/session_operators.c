// Sessions with a model of this file that has operators which ONNX Runtime doesn't know: without a library that brings
// them the session is not made. Run with ONNX Runtime 1.21 and 1.23.

#include "python/rules/export/exported_code.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/tools/session_model.h"
#include "python/rules/trace/traced_applied.h"

/// Domains of which ONNX Runtime has operators itself.
static bool is_known_domain(Str domain)
{
  static const char *const domains[] = {
    "", "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "org.pytorch.aten"
  };
  return str_is_one_of(domain, domains, COUNT(domains)) || str_starts_with(domain, STR("com.microsoft"));
}

/// An operator of another domain that symbolic() surely makes; NULL.
static const PyOp *strange_operator(Forward *forward, uint32_t symbolic)
{
  const PyModel *model = forward->model;
  forward->function = symbolic;
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    if (op->kind == PY_OP_GRAPH && op->scope == symbolic && op->name_known && !is_known_domain(op->domain) &&
        forward_runs_always(forward, model->calls.items[op->call].node))
      return op;
  }
  return NULL;
}

/// The function of the file, or the forward() of the module of an attribute, that the call runs; PY_ABSENT.
static uint32_t function_run(const Forward *forward, const PyCall *call)
{
  PyRef part = forward_own_part(forward, call->function_node);
  return call->function != PY_ABSENT ? call->function : part ? export_forward_made(forward->model, part) : PY_ABSENT;
}

/// What the function surely makes, by itself or by apply(); functions that it surely calls are added to `functions`.
static const PyOp *operator_of_function(Forward *forward, uint32_t index, ExportedFunctions *functions)
{
  const PyModel *model = forward->model;
  PyRef body = model->functions.items[index].body;
  for (PyRef node = body; node && node < model->tree.nodes[body].next; node++) {
    const PyCall *call = py_model_call(model, node);
    forward->function = index;
    if (!call || !forward_runs_always(forward, node))
      continue;
    PyRef class_node = traced_applied_class(model, call->function_node);
    uint32_t symbolic = class_node ? py_model_class_function(model, class_node, STR("symbolic")) : PY_ABSENT;
    const PyOp *op = symbolic == PY_ABSENT ? NULL : strange_operator(forward, symbolic);
    uint32_t run = class_node ? PY_ABSENT : function_run(forward, call);
    if (op)
      return op;
    if (run != PY_ABSENT)
      exported_code_add(functions, run);
  }
  return NULL;
}

/// The same of all that the export surely runs.
static const PyOp *operator_of_export(const ExportCall *export)
{
  const PyModel *model = export->model;
  ExportModel made = export_model(export);
  ExportedFunctions functions = { 0 };
  const PyOp *found = NULL;
  if (made.forward == PY_ABSENT || export->kind != EXPORT_TRACES)
    return NULL;
  Forward forward = {
    .sink = export->sink, .model = model, .parts = export->parts, .is_traced = true, .steps = PY_TRACING_WORK
  };
  exported_code_add(&functions, made.forward);
  for (size_t i = 0; i < functions.count && !found; i++)
    found = operator_of_function(&forward, functions.items[i], &functions);
  vec_free(&functions);
  return found;
}

void session_check_operators(DiagSink *sink, const WrittenModels *written)
{
  // What the session options bring is not looked for.
  const PyModel *model = sink_python(sink)->model;
  if (model->autograds.count == 0 || py_model_mentions(model, "register_custom_ops"))
    return;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    ExportCall export;
    if (!str_equal(call->qualified, STR("onnxruntime.InferenceSession")) || call->has_splat ||
        call->has_dictionary_splat || py_model_argument(model, call, 1, "sess_options") ||
        py_tree_try_around(&model->tree, call->node) || !session_export(written, call, &export))
      continue;
    const PyOp *op = operator_of_export(&export);
    if (op && sink_wants(sink, RULE_SESSION_RUN, OWN))
      py_say(sink, RULE_SESSION_RUN, OWN, call->node,
             arena_printf(sink->arena,
                          "The model has '%.*s', which ONNX Runtime does not know: give SessionOptions the library "
                          "that has it, with register_custom_ops_library().",
                          STR_ARG(op->full_name)),
             NULL);
  }
}
