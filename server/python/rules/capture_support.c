// Functions of torch in forward() whose operator the dynamo exporter has no function for.

#include "base/limits.h"
#include "describe/dynamo_words.h"
#include "python/rules/capture_calls.h"
#include "python/rules/unconverted.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

/// "masked_select" of torch.masked_select(x, m), and of x.masked_select(m) where x is surely a tensor; else empty.
static Str called_name(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  Str name = unconverted_name(call, forward->sink->arena);
  if (name.len == 0 && py_kind(tree, function) == PYK_ATTRIBUTE) {
    PyRef object = py_child(tree, function, PY_F_OBJECT);
    if (object && forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH))
      name = py_text(tree, py_child(tree, function, PY_F_ATTRIBUTE));
  }
  return unconverted_is_measured(name, EXPORTER_DYNAMO) ? name : (Str){ 0 };
}

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
  return fate.verdict == DYNAMO_REFUSED && !fate.is_complex && fate.since == 0;
}

/// Whether each overload is refused in each torch version of the file; `ret_part` is what has no function.
static bool is_refused_always(const PyFile *file, Str name, Str *ret_part, Arena *arena)
{
  const TorchOperator *op = symbolics_torch_operator(file->db, name);
  uint32_t seen = 0;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
      bool applies = (file->torches & op->overloads[i].torch_versions) >> torch & 1;
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

void capture_check_support(Forward *forward, PyRef node, const PyCall *call)
{
  DiagSink *sink = forward->sink;
  const PyFile *file = sink_python(sink);
  Str name = called_name(forward, call);
  Str part;
  if (name.len == 0 || !forward->is_for_onnx || str_contains(file->model->tree.text, STR("custom_translation_table")))
    return;
  Str op = arena_printf(sink->arena, "aten::%.*s", STR_ARG(name));
  if (!is_refused_always(file, op, &part, sink->arena) || !sink_wants(sink, RULE_UNSUPPORTED_OP, OWN) ||
      forward_is_conditional(forward, node))
    return;
  Str missing = dynamo_overload_words(part, sink->arena);
  py_say(sink, RULE_UNSUPPORTED_OP, OWN, call->function_node,
         arena_printf(sink->arena,
                      "The dynamo exporter has no function for %.*s, which this becomes: rewrite it with other "
                      "operators, or give it a function in custom_translation_table.",
                      STR_ARG(missing)),
         NULL);
}
