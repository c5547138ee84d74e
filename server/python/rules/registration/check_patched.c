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

static void check_patch(DiagSink *sink, PyRef place, PyRef module, Str member, PyRef value)
{
  const PyFile *file = sink_python(sink);
  uint32_t function = value ? py_model_callable(file->model, value).function : PY_ABSENT;
  Str name = function == PY_ABSENT ? (Str){ 0 } : patched_name(sink, module, member);
  if (name.len == 0 || file->torch_is_before || py_file_asks_version(file, place) ||
      !sink_wants(sink, RULE_IGNORED_REGISTRATION, SEVERITY_WARNING))
    return;
  py_say(sink, RULE_IGNORED_REGISTRATION, SEVERITY_WARNING, place,
         arena_printf(sink->arena,
                      "The exporter does not look there since torch 1.13, so this function is never called for %.*s: "
                      "write register_custom_op_symbolic(\"%.*s\", ...).",
                      STR_ARG(name), STR_ARG(name)),
         NULL);
}

void registration_check_patched(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  if (!py_model_mentions(model, "symbolic_opset"))
    return;
  for (PyRef node = 1; node < tree->count; node++) {
    PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    if (left && py_kind(tree, left) == PYK_ATTRIBUTE)
      check_patch(sink, left, py_tree_object(tree, left), py_tree_member_name(tree, left),
                  py_child(tree, node, PY_F_RIGHT));
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *arguments = call->argument_count == 3 ? py_model_arguments(model, call) : NULL;
    Str member;
    if (arguments && str_equal(py_text(tree, call->function_node), STR("setattr")) &&
        py_model_string(model, arguments[1].value, sink->arena, &member))
      check_patch(sink, call->node, arguments[0].value, member, arguments[2].value);
  }
}
