// What the runtime that is to run the model refuses to load, though onnx passes it.

#include "facts/runtime.h"
#include "graph/onnx/onnx_rules.h"

/// Who refuses: the version that is meant, or the one that serves for it.
static Str describe(OnnxCheck *check, const RuntimeChoice *choice)
{
  Str tried = choice->limits->version;
  if (str_equal(tried, choice->version))
    return arena_printf(check->arena, "%.*s %.*s", STR_ARG(choice->name), STR_ARG(tried));
  return arena_printf(check->arena, "%.*s %.*s was not tried, and %.*s, the nearest that was,", STR_ARG(choice->name),
                      STR_ARG(choice->version), STR_ARG(tried));
}

static void refuse(OnnxCheck *check, OnnxSpan at, const RuntimeChoice *choice, const char *what, int64_t number,
                   int newest)
{
  onnx_report(check, at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
              "%.*s takes no model of %s %lld; %d is the newest that it knows.", STR_ARG(describe(check, choice)), what,
              (long long)number, newest);
}

void onnx_check_runtime(OnnxCheck *check)
{
  RuntimeChoice choice;
  const OnnxModel *model = check->model;
  if (!symbolics_resolve_runtime(check->db, check->sink->target->runtime, &choice) || !choice.limits)
    return;
  if (model->has_ir_version && model->ir_version > choice.limits->ir)
    refuse(check, model->ir_at, &choice, "IR version", model->ir_version, choice.limits->ir);
  for (uint32_t i = 0; i < model->imports.count; i++) {
    const OnnxImport *import = &model->imports.items[i];
    if (import->domain.len == 0 && import->version > choice.limits->opset)
      refuse(check, import->at, &choice, "opset", import->version, choice.limits->opset);
  }
}
