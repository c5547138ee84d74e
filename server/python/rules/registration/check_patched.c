// `symbolic_opset9.elu = elu`: since torch 1.13 the exporter looks functions up in a registry, which torch fills when
// it is imported, so that this puts nothing in the place of anything. Run with torch 1.13, 2.6 and 2.14.

#include "python/rules/registration/registration.h"

/// "torch.onnx.symbolic_opset9.elu", if torch registers a function under that name; empty.
static Str patched_name(DiagSink *sink, PyRef module, Str member)
{
  const PyFile *file = sink_python(sink);
  Str whole = py_model_qualified(file->model, module, sink->arena);
  if (member.len == 0 || !str_starts_with(whole, STR("torch.onnx.symbolic_opset")))
    return (Str){ 0 };
  Str name = arena_printf(sink->arena, "aten::%.*s", STR_ARG(member));
  return py_file_builtin_opsets(file, file->torch, name) != 0 ? name : (Str){ 0 };
}

static void check_patch(const PyPatch *patch, void *context)
{
  DiagSink *sink = context;
  const PyFile *file = sink_python(sink);
  Str member = patch->member;
  uint32_t function = py_model_callable(file->model, patch->value).function;
  if (function == PY_ABSENT ||
      (patch->member_node && !py_model_string(file->model, patch->member_node, sink->arena, &member)))
    return;
  Str name = patched_name(sink, patch->module, member);
  if (name.len == 0 || file->torch_is_before || py_file_asks_version(file, patch->place) ||
      !sink_wants(sink, RULE_IGNORED_REGISTRATION, SEVERITY_WARNING))
    return;
  py_say(sink, RULE_IGNORED_REGISTRATION, SEVERITY_WARNING, patch->place,
         arena_printf(sink->arena,
                      "The exporter does not look there since torch 1.13, so this function is never called for %.*s: "
                      "write register_custom_op_symbolic(\"%.*s\", ...).",
                      STR_ARG(name), STR_ARG(name)),
         NULL);
}

void registration_check_patched(DiagSink *sink)
{
  py_model_each_patch(sink_python(sink)->model, check_patch, sink);
}
