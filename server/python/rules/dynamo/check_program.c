// What is done with the None that the TorchScript exporter gives back.

#include "python/rules/export/export_call.h"
#include "python/rules/result_uses.h"

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
static void check_use(void *context, PyRef node)
{
  const ExportCall *export = context;
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

void export_check_program(const ExportCall *export)
{
  if (is_known(export))
    result_each_use(export->model, export->call, check_use, (void *)export);
}
