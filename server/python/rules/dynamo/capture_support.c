// Functions of torch in forward() whose operator the dynamo exporter has no function for.

#include "base/limits.h"
#include "describe/dynamo_words.h"
#include "facts/functions.h"
#include "python/rules/dynamo/capture_calls.h"
#include "python/rules/forward/call_outcomes.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/forward/forward_sizes.h"
#include "python/rules/forward/vision_operators.h"
#include "python/rules/trace/traced_arguments.h"

/// Whether the exporter of a torch version refuses the overload, whatever it is called with.
static bool is_refused(const PyFile *file, uint32_t torch, Str name, const TorchOverload *overload, Str *ret_part,
                       Arena *arena)
{
  DynamoQuestion question = { .db = file->db,
                              .torch = torch,
                              .onnxscript = file->target->onnxscript,
                              .opset = file->target->dynamo_opset,
                              .name = name,
                              .overload = overload->overload };
  DynamoFate fate = dynamo_fate(&question, arena);
  *ret_part = fate.part;
  // Whether a tensor is complex is not known here: torch.view_as_real() has a function for such alone.
  bool is_for_complex =
      symbolics_dynamo(file->db, torch, name, overload->overload, file->target->dynamo_opset).complex_only;
  return fate.verdict == DYNAMO_REFUSED && !fate.is_complex && !is_for_complex && fate.since == 0;
}

/// Whether each overload is refused in each torch version of the file; `ret_part` is what has no function.
static bool is_refused_always(const PyFile *file, Str name, Str *ret_part, Arena *arena)
{
  const TorchOperator *op = symbolics_torch_operator(file->db, name);
  uint32_t seen = 0;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    for (PY_EACH_TORCH_OF(file, EXPORTER_DYNAMO, torch)) {
      bool applies = op->overloads[i].torch_versions >> torch & 1;
      if (!applies || torch_overload_has_out(&op->overloads[i]))
        continue;
      Str part;
      if (!is_refused(file, torch, name, &op->overloads[i], &part, arena))
        return false;
      bool is_of_tensor =
          op->overloads[i].argument_count > 0 && str_starts_with(op->overloads[i].arguments[0].type, STR("Tensor"));
      if (seen == 0 || is_of_tensor)
        *ret_part = part;
      seen++;
    }
  }
  return seen > 0;
}

/// The operator of each call of the function that has no function of ONNX; `ret_part` as above. Empty if there is none.
static Str refused_operator(const PyFile *file, Str name, Str *ret_part, Arena *arena)
{
  Str operators = called_name_operators(file, EXPORTER_DYNAMO, name);
  Str kind;
  while (functions_next(&operators, &kind)) {
    if (is_refused_always(file, kind, ret_part, arena) && called_name_has(file, EXPORTER_DYNAMO, name, kind))
      return kind;
  }
  return (Str){ 0 };
}

/// The same of one overload.
static bool is_refused_overload(const PyFile *file, Str name, const TorchOverload *overload, Arena *arena)
{
  bool is_known = false;
  for (PY_EACH_TORCH_OF(file, EXPORTER_DYNAMO, torch)) {
    Str part;
    is_known = true;
    if (!is_refused(file, torch, name, overload, &part, arena))
      return false;
  }
  return is_known;
}

/// `x.view(torch.int32)` is another overload than a view in another shape, which has a function.
static bool is_refused_view(Forward *forward, const PyCall *call)
{
  const PyFile *file = sink_python(forward->sink);
  const TorchOverload overload = { .overload = STR("dtype") };
  bool is_view = traced_arguments_viewed_type(forward, call) != 0;
  return is_view && is_refused_overload(file, STR("aten::view"), &overload, forward->sink->arena);
}

/// `x.sort(stable=True)`: whatever is said of `stable`, it is an overload of its own. argsort() becomes the same.
static bool is_refused_sort(Forward *forward, const PyCall *call)
{
  static const char *const names[] = { "torch.sort", "torch.argsort" };
  static const char *const methods[] = { "sort", "argsort" };
  const PyFile *file = sink_python(forward->sink);
  const TorchOverload overload = { .overload = STR("stable") };
  PyRef object = py_tree_object(&forward->model->tree, call->function_node);
  bool is_method =
      object && str_is_one_of(py_tree_member_name(&forward->model->tree, call->function_node), methods, COUNT(methods));
  bool is_sort = py_model_argument(forward->model, call, PY_ABSENT, "stable") &&
                 (str_is_one_of(call->qualified, names, COUNT(names)) ||
                  (is_method && forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH)));
  return is_sort && is_refused_overload(file, STR("aten::sort"), &overload, forward->sink->arena);
}

/// `round(x.shape[0] / 2)` of an open size: what rounds numbers of Python has no function.
static void check_round(Forward *forward, PyRef node, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyRef number = str_equal(call->qualified, STR("round")) && call->argument_count > 0
                     ? py_tree_strip(tree, py_model_arguments(forward->model, call)->value)
                     : 0;
  PyRef sign = number && py_kind(tree, number) == PYK_BINARY_OPERATOR ? py_child(tree, number, PY_F_OPERATOR) : 0;
  bool is_broken = sign && (str_equal(py_text(tree, sign), STR("/")) || str_contains(py_text(tree, number), STR(".")));
  if (is_broken && export_torch_is_from(sink_python(forward->sink), 2, 9) && forward_is_open_size(forward, number) &&
      !forward_is_conditional(forward, node))
    py_say(forward->sink, RULE_UNSUPPORTED_OP, OWN, node,
           STR("The dynamo exporter has no function for round() of a size that is left open: int(), math.floor() and "
               "math.ceil() have one."),
           NULL);
}

/// What the operator's function asks of its arguments, where it shows without sizes.
static void check_arguments(Forward *forward, PyRef node, const PyCall *call, const CalledNames *names)
{
  DiagSink *sink = forward->sink;
  for (size_t i = 0; i < names->count; i++) {
    Str why = call_refusal_by_words(forward, call, names->items[i], EXPORTER_DYNAMO, sink->target->dynamo_opset);
    if (why.len == 0 || forward_returned(forward, node) != RETURNED_ALWAYS || forward_is_conditional(forward, node) ||
        !sink_wants(sink, RULE_REFUSED_CALL, OWN))
      continue;
    py_say(sink, RULE_REFUSED_CALL, OWN, call->function_node, why, NULL);
    return;
  }
}

void capture_check_support(Forward *forward, PyRef node, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
  if (!forward->is_for_onnx || forward->has_translations)
    return;
  CalledNames names = called_names(forward, call, EXPORTER_DYNAMO);
  capture_check_layer(forward, node, call);
  check_arguments(forward, node, call, &names);
  check_round(forward, node, call);
  Str part = { 0 };
  Str refused = { 0 };
  for (size_t i = 0; i < names.count && refused.len == 0; i++)
    refused = refused_operator(file, names.items[i], &part, sink->arena);
  if (refused.len == 0 && is_refused_view(forward, call))
    refused = part = STR("aten.view.dtype");
  if (refused.len == 0 && is_refused_sort(forward, call))
    refused = part = STR("aten.sort.stable");
  if (refused.len == 0 && export_torch_is_from(file, 2, 9))
    refused = part = vision_operator_refused(forward, call, EXPORTER_DYNAMO);
  ForwardReturn returned = refused.len > 0 ? forward_returned(forward, node) : RETURNED_NEVER;
  Severity severity = returned == RETURNED_ALWAYS ? OWN : SEVERITY_INFO;
  if (returned == RETURNED_NEVER || !sink_wants(sink, RULE_UNSUPPORTED_OP, severity) ||
      forward_is_conditional(forward, node))
    return;
  py_say(sink, RULE_UNSUPPORTED_OP, severity, call->function_node,
         arena_printf(sink->arena,
                      "The dynamo exporter has no function for %.*s, which this becomes: rewrite it with other "
                      "operators, or give it a function in custom_translation_table.",
                      STR_ARG(dynamo_overload_words(part, sink->arena))),
         NULL);
}
