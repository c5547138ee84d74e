// What is done with the None that the TorchScript exporter gives back.

#include "base/limits.h"
#include "python/rules/export_call.h"

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

static void say(const ExportCall *export, PyRef node, Str message)
{
  py_say(export->sink, RULE_UNSTABLE_API, SEVERITY_ERROR, node, message, NULL);
}

/// `onnx.checker.check_model(program)`, where `program` stands.
static void check_none_argument(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  PyRef list = model->tree.nodes[node].parent;
  const PyCall *call = py_model_call_of_list(model, list);
  Str name = call ? call->qualified : (Str){ 0 };
  if (str_starts_with(name, STR("onnx.")) || str_starts_with(name, STR("onnxruntime.")))
    say(export, node,
        STR("This is None: the TorchScript exporter writes the file, and gives nothing back. Load the file."));
}

/// One use of what the call gave.
static void check_use(const ExportCall *export, PyRef node)
{
  const PyTree *tree = &export->model->tree;
  PyRef parent = tree->nodes[node].parent;
  bool is_object = py_tree_object(tree, parent) == node;
  if (is_object && !str_starts_with(py_tree_member_name(tree, parent), STR("__")))
    say(export, py_tree_member(tree, parent),
        STR("The TorchScript exporter writes the file, and gives None back; with dynamo=True it is an ONNXProgram."));
  else
    check_none_argument(export, node);
}

/// Whether it is sure what the call gives.
static bool is_known(const ExportCall *export)
{
  if (py_file_asks_version(export->file, export->call->node))
    return false;
  bool is_said = export->says_dynamo || !export->file->target->torch_is_default;
  return export->kind == EXPORT_TRACES && is_said && !export->is_exported_program &&
         str_equal(export->call->qualified, STR("torch.onnx.export"));
}

/// Calls `visit` with the call, and with each name that stands for what it gave.
static void each_use(const ExportCall *export, void (*visit)(const ExportCall *, PyRef))
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  uint32_t binding = PY_ABSENT;
  visit(export, export->call->node);
  PyRef bound = bound_name(model, export->call, &binding);
  Str name = bound ? py_text(tree, bound) : (Str){ 0 };
  uint32_t steps = 0;
  for (PyRef node = export->call->node; bound && node < tree->count && steps < PY_METHOD_NODE_LIMIT; node++, steps++) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name) &&
        py_model_scope_of(model, node) == export->call->scope &&
        py_model_lookup(model, export->call->scope, name) == binding)
      visit(export, node);
  }
}

void export_check_program(const ExportCall *export)
{
  if (is_known(export))
    each_use(export, check_use);
}
