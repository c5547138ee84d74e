// Objects of PyTorch that a file makes: programs, shapes, libraries and operators.

#include "python/rules/public_objects.h"

#include "base/limits.h"

static const struct {
  Str function, made;
} makers[] = {
  { STR_INIT("torch.export.export"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.draft_export"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.export_for_training"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.export_for_inference"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.load"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.ShapesCollection"), STR_INIT("torch.export.ShapesCollection") },
  { STR_INIT("torch.export.dynamic_shapes.ShapesCollection"), STR_INIT("torch.export.ShapesCollection") },
  { STR_INIT("torch.export.AdditionalInputs"), STR_INIT("torch.export.AdditionalInputs") },
  { STR_INIT("torch.export.dynamic_shapes.AdditionalInputs"), STR_INIT("torch.export.AdditionalInputs") },
  { STR_INIT("torch.library.Library"), STR_INIT("torch.library.Library") },
};

static Str made_by(Str function)
{
  for (size_t i = 0; str_starts_with(function, STR("torch.")) && i < COUNT(makers); i++) {
    if (str_equal(function, makers[i].function))
      return makers[i].made;
  }
  return (Str){ 0 };
}

bool public_objects_are_made(const PyFile *file)
{
  const PyModel *model = file->model;
  if (model->exports.count > 0 || file->library.count > 0)
    return true;
  for (size_t i = 0; i < model->calls.count; i++) {
    if (made_by(model->calls.items[i].qualified).len > 0)
      return true;
  }
  return false;
}

/// What torch.onnx.export() gives, if that is surely a program.
static Str program_of(DiagSink *sink, uint32_t call)
{
  const PyFile *file = sink_python(sink);
  for (size_t i = 0; i < file->model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    if (file->model->exports.items[i] != call)
      continue;
    ExportCall export = export_call(sink, i);
    if (export.kind == EXPORT_DYNAMO && export_torch_is_from(file, 2, 6))
      return STR("torch.onnx.ONNXProgram");
  }
  return (Str){ 0 };
}

/// The function of the file that a name stands for, below @custom_op.
static bool is_operator(const PyFile *file, PyRef node)
{
  uint32_t function = file->library.count > 0 && py_kind(&file->model->tree, node) == PYK_IDENTIFIER
                          ? py_model_callable(file->model, node).function
                          : PY_ABSENT;
  for (size_t i = 0; function != PY_ABSENT && i < file->library.count; i++) {
    if (file->library.items[i].function == function && file->library.items[i].call != PY_ABSENT)
      return true;
  }
  return false;
}

/// `ep` of `ep.run_decompositions()`; 0.
static PyRef program_before(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  if (py_kind(tree, function) != PYK_ATTRIBUTE ||
      !str_equal(py_text(tree, py_child(tree, function, PY_F_ATTRIBUTE)), STR("run_decompositions")))
    return 0;
  return py_child(tree, function, PY_F_OBJECT);
}

Str public_class_of(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    if (is_operator(file, node))
      return STR("torch.library.CustomOpDef");
    PyRef value = export_resolve(model, node);
    uint32_t index = py_model_call_at(model, value);
    if (index == PY_ABSENT || py_file_asks_version(file, value))
      return (Str){ 0 };
    const PyCall *call = &model->calls.items[index];
    Str made = made_by(call->qualified);
    if (made.len == 0)
      made = program_of(sink, index);
    if (made.len > 0)
      return made;
    node = program_before(model, call);
  }
  return (Str){ 0 };
}
