// What is done with the ONNXProgram that torch.onnx.export() gives back, or with the None of the TorchScript exporter.

#include "base/limits.h"
#include "base/nearest.h"
#include "python/rules/export_call.h"

/// Members of torch.onnx.ONNXProgram in torch 2.6 and 2.14, as dir() of a program gives them.
static const char *const members[] = {
  "apply_weights", "call_reference", "compute_values", "exported_program", "initialize_inference_session",
  "model",         "model_proto",    "optimize",       "release",          "rename_axes",
  "save",
};

/// Those of them that can't be called.
static const char *const values[] = { "exported_program", "model", "model_proto" };

/// The name that the result of the call alone is bound to; 0.
static PyRef bound_name(const PyModel *model, const PyCall *call, uint32_t *ret_binding)
{
  const PyTree *tree = &model->tree;
  PyRef assignment = tree->nodes[call->node].parent;
  PyRef name = py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  if (!name || py_kind(tree, name) != PYK_IDENTIFIER)
    return 0;
  *ret_binding = py_model_lookup(model, call->scope, py_text(tree, name));
  const PyBinding *binding = *ret_binding == PY_ABSENT ? NULL : &model->bindings.items[*ret_binding];
  return binding && binding->node == name && binding->next == PY_ABSENT ? name : 0;
}

static void say(const ExportCall *export, PyRef node, Str message, const Fix *fix)
{
  if (sink_wants(export->sink, RULE_UNSTABLE_API, SEVERITY_ERROR))
    py_say(export->sink, RULE_UNSTABLE_API, SEVERITY_ERROR, node, message, fix);
}

/// `program.save_model`, where `attribute` stands.
static void check_member(const ExportCall *export, PyRef attribute)
{
  const PyTree *tree = &export->model->tree;
  Arena *arena = export->sink->arena;
  PyRef name = py_child(tree, attribute, PY_F_ATTRIBUTE);
  Str text = py_text(tree, name);
  PyRef parent = tree->nodes[attribute].parent;
  bool is_called = py_kind(tree, parent) == PYK_CALL && py_child(tree, parent, PY_F_FUNCTION) == attribute;
  bool is_set = py_kind(tree, parent) == PYK_ASSIGNMENT && py_child(tree, parent, PY_F_LEFT) == attribute;
  bool is_private = text.len > 0 && text.data[0] == '_';
  if (is_called && str_is_one_of(text, values, COUNT(values)) && !str_equal(text, STR("exported_program"))) {
    PyRef list = py_child(tree, parent, PY_F_ARGUMENTS);
    bool is_empty = list && !py_first_child(tree, list);
    say(export, name, arena_printf(arena, "'%.*s' is a value of the ONNXProgram, no method.", STR_ARG(text)),
        is_empty ? py_edit_replace(export->sink, true, parent, py_text(tree, attribute)) : NULL);
  } else if (!is_set && !is_private && !str_is_one_of(text, members, COUNT(members))) {
    const char *near = nearest_word(arena_copy(arena, text).data, members, COUNT(members));
    if (!near && str_starts_with(text, STR("save")))
      near = "save";
    say(export, name,
        arena_printf(arena, "An ONNXProgram has no member '%.*s'%s%s%s", STR_ARG(text), near ? ": did you mean '" : ".",
                     near ? near : "", near ? "'?" : ""),
        near ? py_edit_replace(export->sink, false, name, str_from(near)) : NULL);
  }
}

/// `onnx.checker.check_model(program)`, where `program` stands.
static void check_none_argument(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  PyRef list = model->tree.nodes[node].parent;
  uint32_t call = py_kind(&model->tree, list) == PYK_ARGUMENT_LIST
                      ? py_model_call_at(model, model->tree.nodes[list].parent)
                      : PY_ABSENT;
  Str name = call == PY_ABSENT ? (Str){ 0 } : model->calls.items[call].qualified;
  if (str_starts_with(name, STR("onnx.")) || str_starts_with(name, STR("onnxruntime.")))
    say(export, node,
        STR("This is None: the TorchScript exporter writes the file, and gives nothing back. Load the file."), NULL);
}

/// One use of what the call gave.
static void check_use(const ExportCall *export, PyRef node)
{
  const PyTree *tree = &export->model->tree;
  PyRef parent = tree->nodes[node].parent;
  bool is_object = py_kind(tree, parent) == PYK_ATTRIBUTE && py_child(tree, parent, PY_F_OBJECT) == node;
  if (is_object && export->kind == EXPORT_DYNAMO)
    check_member(export, parent);
  else if (is_object && !str_starts_with(py_text(tree, py_child(tree, parent, PY_F_ATTRIBUTE)), STR("__")))
    say(export, py_child(tree, parent, PY_F_ATTRIBUTE),
        STR("The TorchScript exporter writes the file, and gives None back; with dynamo=True it is an ONNXProgram."),
        NULL);
  else if (export->kind != EXPORT_DYNAMO)
    check_none_argument(export, node);
}

/// Whether it is sure what the call gives.
static bool is_known(const ExportCall *export)
{
  if (export->is_capture || py_file_asks_version(export->file, export->call->node))
    return false;
  if (export->kind == EXPORT_DYNAMO)
    return export_torch_is_from(export->file, 2, 6);
  bool is_said = export->says_dynamo || !export->file->target->torch_is_default;
  return export->kind == EXPORT_TRACES && is_said && !export->is_exported_program &&
         str_equal(export->call->qualified, STR("torch.onnx.export"));
}

void export_check_program(const ExportCall *export)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  if (!is_known(export))
    return;
  check_use(export, export->call->node);
  uint32_t binding = PY_ABSENT;
  PyRef bound = bound_name(model, export->call, &binding);
  if (!bound)
    return;
  Str name = py_text(tree, bound);
  uint32_t steps = 0;
  for (PyRef node = export->call->node; node < tree->count && steps < PY_METHOD_NODE_LIMIT; node++, steps++) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name) &&
        py_model_scope_of(model, node) == export->call->scope &&
        py_model_lookup(model, export->call->scope, name) == binding)
      check_use(export, node);
  }
}
