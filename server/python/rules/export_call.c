// What the rules about exports ask of a call of torch.onnx.export().

#include "python/rules/export_call.h"

#include "base/limits.h"

/// Which exporter is taken if nobody says `dynamo=`?
static ExportKind default_kind(const PyFile *file)
{
  bool has_dynamo = false;
  bool has_traces = false;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    bool is_dynamo = export_api_is_dynamo(file->db, export_api_torch_release(file->db, torch));
    has_dynamo |= is_dynamo;
    has_traces |= !is_dynamo;
  }
  return has_dynamo && has_traces ? EXPORT_EITHER : has_dynamo ? EXPORT_DYNAMO : EXPORT_TRACES;
}

/// torch.onnx.utils.export() is the TorchScript exporter in all versions.
static bool is_old_export(const PyModel *model, const PyCall *call)
{
  Arena arena = { 0 };
  bool yes = str_ends_with(py_model_qualified_raw(model, call->function_node, &arena), STR(".utils.export"));
  arena_done(&arena);
  return yes;
}

ExportCall export_call(DiagSink *sink, size_t i)
{
  const PyFile *file = sink_python(sink);
  ExportCall export = { .sink = sink, .file = file, .model = file->model };
  export.call = &file->model->calls.items[file->model->exports.items[i]];
  const PyArgument *dynamo = export_argument(&export, "dynamo");
  PyNodeKind said = dynamo ? py_kind(&file->model->tree, py_model_resolve(file->model, dynamo->value)) : PYK_OTHER;
  export.says_dynamo = said == PYK_TRUE || said == PYK_FALSE;
  export.kind = said == PYK_TRUE    ? EXPORT_DYNAMO
                : said == PYK_FALSE ? EXPORT_TRACES
                : dynamo            ? EXPORT_EITHER
                                    : default_kind(file);
  if (!dynamo && export.call->has_dictionary_splat)
    export.kind = EXPORT_EITHER;
  if (is_old_export(file->model, export.call))
    export.kind = EXPORT_TRACES;
  return export;
}

/// The position of an argument in one of the file's torch versions; PY_ABSENT if it is by keyword only.
static uint32_t position_of(const PyFile *file, const char *name)
{
  const PyExportArgument *argument = export_api_argument(file->db, str_from(name));
  for (uint32_t torch = 0; argument && torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    const PyExportForm *form = file->torches >> torch & 1 ? export_api_form(argument, torch) : NULL;
    if (form && form->position >= 0)
      return (uint32_t)form->position;
  }
  return PY_ABSENT;
}

const PyArgument *export_argument(const ExportCall *export, const char *name)
{
  return py_model_argument(export->model, export->call, position_of(export->file, name), name);
}

PyRef export_value(const ExportCall *export, const char *name)
{
  const PyArgument *argument = export_argument(export, name);
  PyRef value = argument ? py_model_resolve(export->model, argument->value) : 0;
  return value && py_kind(&export->model->tree, value) != PYK_NONE ? value : 0;
}

bool export_torch_is_from(const PyFile *file, uint16_t major, uint16_t minor)
{
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) != 0 &&
        !torch_release_reached(export_api_torch_release(file->db, torch), (TorchRelease){ major, minor }))
      return false;
  }
  return true;
}

// --- The model ---

/// Methods that give back what they are called on, for our purposes.
static bool is_passing_method(Str name)
{
  static const char *const names[] = { "eval",  "train",  "to",       "cpu",         "cuda",   "half",
                                       "float", "double", "bfloat16", "contiguous",  "detach", "requires_grad_",
                                       "long",  "int",    "bool",     "share_memory" };
  return str_is_one_of(name, names, COUNT(names));
}

/// `x` of `x.eval().to(device)`.
static PyRef behind_methods(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    node = py_model_resolve(model, node);
    PyRef function = py_kind(tree, node) == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
    if (!function || py_kind(tree, function) != PYK_ATTRIBUTE)
      return node;
    PyRef object = py_child(tree, function, PY_F_OBJECT);
    PyRef name = py_child(tree, function, PY_F_ATTRIBUTE);
    if (!object || !name || !is_passing_method(py_text(tree, name)))
      return node;
    node = object;
  }
  return node;
}

static PyRef class_of(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, call->function_node) != PYK_IDENTIFIER)
    return 0;
  uint32_t found = py_model_lookup(model, call->scope, py_text(tree, call->function_node));
  if (found == PY_ABSENT || model->bindings.items[found].kind != PY_BIND_CLASS ||
      model->bindings.items[found].next != PY_ABSENT)
    return 0;
  for (size_t i = 0; i < model->classes.count; i++) {
    PyRef class_node = model->classes.items[i].node;
    if (model->classes.items[i].is_module && py_child(tree, class_node, PY_F_NAME) == model->bindings.items[found].node)
      return class_node;
  }
  return 0;
}

static uint32_t forward_of(const PyModel *model, PyRef class_node)
{
  uint32_t forward = PY_ABSENT;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node != class_node || !str_equal(function->name, STR("forward")))
      continue;
    if (forward != PY_ABSENT || function->outer != function->node)
      return PY_ABSENT;  // Defined twice, or wrapped by a decorator.
    forward = i;
  }
  return forward;
}

ExportModel export_model(const ExportCall *export)
{
  const PyModel *model = export->model;
  ExportModel found = { .forward = PY_ABSENT };
  const PyArgument *argument = export_argument(export, "model");
  if (!argument)
    return found;
  PyRef node = behind_methods(model, argument->value);
  uint32_t index = py_model_call_at(model, node);
  if (index == PY_ABSENT)
    return found;
  found.node = node;
  found.made = &model->calls.items[index];
  Str name = found.made->qualified;
  size_t dot = str_rfind_char(name, '.');
  if (str_starts_with(name, STR("torch.nn.")) && dot != STR_NOT_FOUND)
    found.torch_class = str_slice(name, dot + 1, name.len);
  found.class_node = class_of(model, found.made);
  if (found.class_node)
    found.forward = forward_of(model, found.class_node);
  return found;
}

// --- Inputs ---

static bool is_maker(Str name)
{
  static const char *const names[] = { "randn",     "rand",         "zeros",      "ones",       "empty",
                                       "full",      "randint",      "tensor",     "arange",     "linspace",
                                       "eye",       "randn_like",   "rand_like",  "zeros_like", "ones_like",
                                       "full_like", "randint_like", "empty_like", "from_numpy" };
  if (!str_starts_with(name, STR("torch.")))
    return false;
  name = str_slice(name, STR("torch.").len, name.len);
  return str_is_one_of(name, names, COUNT(names));
}

bool export_is_tensor(const PyModel *model, PyRef node)
{
  uint32_t call = py_model_call_at(model, behind_methods(model, node));
  return call != PY_ABSENT && is_maker(model->calls.items[call].qualified);
}

int export_input_count(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || export_argument(export, "kwargs"))
    return -1;
  if (py_kind(tree, args) != PYK_TUPLE)
    return export_is_tensor(export->model, args) ? 1 : -1;
  int count = 0;
  for (PyRef item = py_tree_first_element(tree, args); item; item = py_tree_next_element(tree, item), count++) {
    if (!export_is_tensor(export->model, item))
      return -1;
  }
  return count;
}

// --- Arguments ---

bool export_has_name(const ExportNames *list, size_t count, Str name)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(list->items[i], name))
      return true;
  }
  return false;
}

ExportAcceptance export_acceptance(const PyFile *file, const PyExportArgument *argument)
{
  ExportAcceptance acceptance = { 0 };
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    bool is_taken = argument && export_api_form(argument, torch);
    bool is_swallowed = !is_taken && export_api_ignores_unknown(file->db, torch);
    acceptance.is_taken |= is_taken;
    acceptance.is_swallowed |= is_swallowed;
    acceptance.is_refused |= !is_taken && !is_swallowed;
  }
  return acceptance;
}

Str export_int_meant(const ExportCall *export, PyRef node)
{
  Str text = py_text(&export->model->tree, node);
  if (text.len > 2 && (text.data[0] == '"' || text.data[0] == '\''))
    text = str_slice(text, 1, text.len - 1);
  else if (str_ends_with(text, STR(".0")))
    text = str_slice(text, 0, text.len - 2);
  uint64_t value;
  return str_to_uint(text, 1000, &value) ? text : (Str){ 0 };
}
