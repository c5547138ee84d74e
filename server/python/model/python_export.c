// Which exporter a call of torch.onnx.export() takes, and whether anything of a file's registrations is used by one.

#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/model/python_file.h"

ExportKind py_file_default_exporter(const PyFile *file)
{
  bool has_dynamo = false;
  bool has_traces = false;
  for (PY_EACH_TORCH(file, torch)) {
    bool is_dynamo = export_api_is_dynamo(file->db, py_file_release(file, torch));
    has_dynamo |= is_dynamo;
    has_traces |= !is_dynamo;
  }
  return has_dynamo && has_traces ? EXPORT_EITHER : has_dynamo ? EXPORT_DYNAMO : EXPORT_TRACES;
}

int py_file_standard_opset(const PyFile *file)
{
  int newest = 0;
  for (PY_EACH_TORCH(file, torch)) {
    OpsetRange range;
    if (symbolics_opset_range(file->db, torch, EXPORTER_TORCHSCRIPT, &range) && range.standard > newest)
      newest = range.standard;
  }
  return newest;
}

/// torch.onnx.utils.export() is the TorchScript exporter in all versions.
static bool is_old_export(const PyModel *model, const PyCall *call)
{
  Arena arena = { 0 };
  bool yes = str_ends_with(py_model_qualified_raw(model, call->function_node, &arena), STR(".utils.export"));
  arena_done(&arena);
  return yes;
}

/// The method that is called, and on what: `run_decompositions` of `ep.run_decompositions()`; empty if it is none.
static Str method_of(const PyTree *tree, const PyCall *call, PyRef *ret_object)
{
  *ret_object = py_tree_object(tree, call->function_node);
  return py_tree_member_name(tree, call->function_node);
}

/// `def save(program: torch.export.ExportedProgram)`
static bool is_annotated_program(const PyModel *model, PyRef node)
{
  node = py_tree_strip(&model->tree, node);
  const PyBinding *binding = py_model_binding_at(model, node);
  PyRef annotation = py_binding_is_only(binding, PY_BIND_PARAM) ? model->params.items[binding->index].annotation : 0;
  Arena arena = { 0 };
  PyRef type = annotation ? py_first_child(&model->tree, annotation) : 0;
  Str name = type ? py_model_qualified(model, type, &arena) : (Str){ 0 };
  bool is_program = str_equal(name, STR("torch.export.ExportedProgram"));
  arena_done(&arena);
  return is_program;
}

static bool makes_program(Str function)
{
  static const char *const makers[] = { "export", "load", "draft_export", "export_for_training",
                                        "export_for_inference" };
  Str module = STR("torch.export.");
  return str_starts_with(function, module) &&
         str_is_one_of(str_slice(function, module.len, function.len), makers, COUNT(makers));
}

/// What its methods give is one, too.
static bool stays_program(const PyTree *tree, const PyCall *call, PyRef *ret_object)
{
  return str_equal(method_of(tree, call, ret_object), STR("run_decompositions"));
}

/// `ep = torch.export.export(...)`, and then `ep = ep.run_decompositions()`: all that the name is given is one.
static bool is_always_program(const PyModel *model, PyRef name)
{
  enum { MOST = 8 };
  const PyBinding *binding = py_model_binding_at(model, name);
  bool has_program = false;
  for (int i = 0; binding && i < MOST; i++) {
    const PyCall *call = binding->kind == PY_BIND_ASSIGN ? py_model_call(model, binding->value) : NULL;
    PyRef object = 0;
    bool is_made = call && makes_program(call->qualified);
    if (!is_made && (!call || !stays_program(&model->tree, call, &object)))
      return false;
    has_program |= is_made;
    binding = binding->next == PY_ABSENT ? NULL : &model->bindings.items[binding->next];
  }
  return has_program && !binding;
}

/// Is the expression surely a torch.export.ExportedProgram?
static bool gives_program(const PyModel *model, PyRef node)
{
  for (int i = 0; i < PY_CHAIN_LIMIT && node; i++) {
    PyRef known = py_model_resolve(model, node);
    const PyCall *call = py_model_call(model, known);
    if (!call)
      return is_annotated_program(model, node) || is_always_program(model, known);
    if (str_starts_with(call->qualified, STR("torch.export.")))
      return makes_program(call->qualified);
    if (!stays_program(&model->tree, call, &node))
      return false;
  }
  return false;
}

PyExporterChoice py_file_exporter(const PyFile *file, const PyCall *call)
{
  const PyModel *model = file->model;
  PyExporterChoice choice = { .kind = py_file_default_exporter(file) };
  const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, "dynamo");
  const PyArgument *exported = py_model_argument(model, call, 0, "model");
  PyNodeKind said = argument ? py_kind(&model->tree, py_model_resolve(model, argument->value)) : PYK_OTHER;
  choice.is_said = said == PYK_TRUE || said == PYK_FALSE;
  if (choice.is_said)
    choice.kind = said == PYK_TRUE ? EXPORT_DYNAMO : EXPORT_TRACES;
  else if (argument || keys_may_give(model, call, "dynamo"))
    choice.kind = EXPORT_EITHER;
  if (is_old_export(model, call))
    choice.kind = EXPORT_TRACES;
  // torch asks for the type of the model first.
  choice.is_exported_program = exported && gives_program(model, exported->value);
  if (choice.is_exported_program)
    choice.kind = EXPORT_DYNAMO;
  return choice;
}

/// Whether somebody chose the TorchScript exporter, in settings or by a flag.
static bool is_torchscript_chosen(const Target *target)
{
  return target->exporter == EXPORTER_TORCHSCRIPT && target->exporter_origin.len > 0 &&
         !str_equal(target->exporter_origin, STR("default"));
}

PyRegistrationUse py_file_registration_use(const PyFile *file)
{
  const PyModel *model = file->model;
  if (model->exports.count == 0 && is_torchscript_chosen(file->target))
    return (PyRegistrationUse){ .kind = EXPORT_TRACES, .export_index = PY_ABSENT };
  PyRegistrationUse use = { .kind = model->exports.count > 0 ? EXPORT_DYNAMO : py_file_default_exporter(file),
                            .export_index = PY_ABSENT };
  for (uint32_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportKind kind = py_file_exporter(file, &model->calls.items[model->exports.items[i]]).kind;
    if (kind == EXPORT_TRACES)
      return (PyRegistrationUse){ .kind = EXPORT_TRACES, .export_index = i };
    if (use.export_index == PY_ABSENT || kind == EXPORT_DYNAMO)
      use.export_index = i;
    if (kind == EXPORT_EITHER)
      use.kind = EXPORT_EITHER;
  }
  return use;
}
