// A Python file with its facts: versions, registrations, schemas, parameters.

#include "python/model/python_file_private.h"

#include "core/workspace_operators.h"
#include "python/model/keys_set.h"

/// The dynamo exporter calls no symbolic function. Where it is only the default, its opset still says which one is
/// meant.
static bool is_dynamo(const PyFile *file, const PyCall *call)
{
  PyExporterChoice choice = py_file_exporter(file, call);
  return choice.kind == EXPORT_DYNAMO && (choice.is_said || choice.is_exported_program);
}

/// What a key of a dict is looked for with.
typedef struct SetNumber {
  const PyModel *model;
  Str key;
  PyRef value;
  bool is_known;
  Arena arena;
} SetNumber;

static void look_at_key(const KeySet *set, void *context)
{
  SetNumber *number = context;
  Str text;
  bool is_key = key_set_text(number->model, set, &number->arena, &text);
  number->is_known &= is_key && !(set->is_maybe && str_equal(text, number->key));
  if (is_key && str_equal(text, number->key))
    number->value = set->value;
}

/// `options["opset"]` after `options["opset"] = 13`, or as the dict was made; 0.
static PyRef number_of_key(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyRef name = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_VALUE) : 0;
  const PyBinding *binding = name && py_kind(tree, name) == PYK_IDENTIFIER ? py_model_binding_at(model, name) : NULL;
  SetNumber number = { .model = model, .is_known = true };
  PyRef found = 0;
  if (py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->value &&
      py_model_string(model, py_child(tree, node, PY_F_SUBSCRIPT), &number.arena, &number.key) &&
      keys_set_each(model, name, name, look_at_key, &number) && number.is_known)
    found = number.value
                ? number.value
                : py_model_element(model, py_tree_strip(tree, binding->value), py_child(tree, node, PY_F_SUBSCRIPT));
  arena_done(&number.arena);
  return found;
}

int py_file_opset_named(const PyFile *file, const PyCall *call)
{
  const PyModel *model = file->model;
  const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, "opset_version");
  int64_t opset = 0;
  bool is_known = argument && py_model_int(model, argument->value, &opset);
  if (argument && !is_known)
    is_known = py_model_int(model, number_of_key(model, argument->value), &opset);
  return is_known && opset > 0 && opset <= OPSET_LIMIT ? (int)opset : 0;
}

/// The opset that the file's exports name, if all name the same; 0 if one doesn't or they differ.
static int opset_of_exports(const PyFile *file)
{
  const PyModel *model = file->model;
  int only = 0;
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    if (is_dynamo(file, call))
      continue;
    int opset = py_file_opset_named(file, call);
    if (opset == 0 || (only != 0 && only != opset))
      return 0;
    only = opset;
  }
  return only;
}

/// How a file that leaves the export to others calls the opset that it is to have.
static const char *const opset_names[] = {
  "export_opset", "export_opset_version", "onnx_opset",   "onnx_opset_version",
  "opset",        "opset_version",        "target_opset", "target_opset_version",
};

static bool is_opset_name(Str name)
{
  for (size_t i = 0; i < sizeof(opset_names) / sizeof(opset_names[0]); i++) {
    if (str_equal_ignore_case(name, str_from(opset_names[i])))
      return true;
  }
  return false;
}

/// Is a registration for the opset that this name stands for? Then it says no more than that.
static bool registers_for(const PyModel *model, Str name)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    PyRef node = model->registrations.items[i].opset_node;
    if (node && str_find(py_text(&model->tree, node), name, 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

/// `OPSET = 17` of a file without an export; 0 for none, or if two differ.
static int opset_of_constants(const PyModel *model)
{
  int only = 0;
  for (size_t i = 0; model->exports.count == 0 && i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    int64_t opset;
    if (binding->kind != PY_BIND_ASSIGN || binding->scope != PY_ABSENT || !is_opset_name(binding->name) ||
        registers_for(model, binding->name))
      continue;
    if (!py_model_int(model, binding->node, &opset) || opset <= 0 || opset > OPSET_LIMIT ||
        (only != 0 && only != opset))
      return 0;
    only = (int)opset;
  }
  return only;
}

enum { TAKEN_OPSET = 23 };

/// The widest range of all versions in the set.
static OpsetRange range_of(const SymbolicsDb *db, uint32_t torches)
{
  OpsetRange all = { .min = OPSET_LIMIT };
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    OpsetRange range;
    if ((torches >> torch & 1) == 0 || !symbolics_opset_range(db, torch, EXPORTER_TORCHSCRIPT, &range))
      continue;
    all.min = range.min < all.min ? range.min : all.min;
    // Since 2.9 the exporter only warns above its highest opset, as long as onnx knows it.
    const TorchRelease taking = { 2, 9 };
    if (torch_release_reached(export_api_torch_release(db, torch), taking) && range.max < TAKEN_OPSET)
      range.max = TAKEN_OPSET;
    all.max = range.max > all.max ? range.max : all.max;
    all.standard = range.standard;  // The newest comes last.
  }
  return all;
}

typedef struct ForeignSearch {
  PyModel *model;
  uint32_t function;
} ForeignSearch;

static bool note_foreign(const WorkspaceSymbolic *symbolic, void *context)
{
  const ForeignSearch *search = context;
  python_register(search->model, search->function, symbolic->name, symbolic->opsets);
  return true;
}

/// What other files of the workspace register counts like what this one does.
static void note_workspace(PyModel *model, const Workspace *workspace)
{
  size_t before = model->registrations.count;
  for (uint32_t i = 0; workspace && i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    ForeignSearch search = { model, i };
    if (function->parent == PY_ABSENT && !function->class_node && function->name.len > 0)
      workspace_each_foreign(workspace, model->path, function->name, note_foreign, &search);
  }
  if (model->registrations.count > before)
    python_relink(model);
}

/// torch's own symbolic_opset<N>.py without decorators: those of 1.12 and before.
static bool is_older_torch(const PyModel *model)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (model->registrations.items[i].kind == PY_REG_FILE)
      return true;
  }
  return false;
}

static void find_library(PyFile *file, Arena *arena)
{
  file->library = py_library_operators(file->model, arena);
  const DefinedOperator **defined = ARENA_ARRAY(arena, const DefinedOperator *, file->library.count);
  size_t count = 0;
  for (size_t i = 0; i < file->library.count; i++) {
    if (!file->library.items[i].defined.is_kernel)
      defined[count++] = &file->library.items[i].defined;
  }
  file->own = operator_table_make(defined, count, arena);
}

TorchRelease py_file_release(const PyFile *file, uint32_t torch)
{
  return torch_release_is_set(file->torch_meant) ? file->torch_meant : export_api_torch_release(file->db, torch);
}

void python_apply_target(PyFile *file, const Target *target)
{
  file->target = target;
  file->db = target_db(target);
  TorchChoice choice = { 0 };
  bool is_between = target->torch_is_between && symbolics_resolve_torch(file->db, target->torch_meant, &choice);
  if (!is_between)
    symbolics_resolve_torch(file->db, target->torch, &choice);
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  file->torch = choice.torch;
  file->torches = target->torch_is_default ? (uint32_t)((UINT64_C(1) << count) - 1) : UINT32_C(1) << choice.torch;
  if (!export_api_parse_release(target->torch_meant, &file->torch_meant))
    file->torch_meant = (TorchRelease){ 0 };
  // Between two versions that are known, what holds for both.
  if (is_between)
    file->torches |= UINT32_C(1) << choice.other;
  file->range = range_of(file->db, file->torches);
  file->export_opset = opset_of_exports(file);
  if (file->export_opset == 0 && !target->opset_is_default)
    file->export_opset = target->opset;
  else if (file->export_opset == 0)
    file->export_opset = opset_of_constants(file->model);
  file->torch_is_before = target->torch_is_before || is_older_torch(file->model);
}

PyFile *python_file_new_unread(PyModel *model, const Target *target)
{
  PyFile *file = xcalloc(1, sizeof(*file));
  file->holders = xcalloc(1, sizeof(*file->holders));
  atomic_init(file->holders, 1);
  file->model = model;
  file->target = target_retain(target);
  return file;
}

PyFile *python_file_new(PyModel *model, const Target *target)
{
  PyFile *file = python_file_new_unread(model, target);
  note_workspace(model, target->workspace);
  python_apply_target(file, file->target);
  find_library(file, &model->arena);
  python_index_customs(file);
  python_find_registered(file);
  python_find_argument_kinds(file);
  python_find_shaped_functions(file);
  python_interpret(file);
  file->keeps_torch_operators = py_model_mentions(model, "ONNX_FALLTHROUGH") || py_model_mentions(model, "ONNX_ATEN");
  file->keeps_operators = file->keeps_torch_operators || py_model_mentions(model, "enable_onnx_checker=False");
  return file;
}

/// What all that share it have no more.
static void free_common(PyFile *file)
{
  python_free((PyModel *)file->model);
  free(file->customs);
  free(file->registered);
  free(file->argument_kinds);
  python_flow_free(file->flow);
  free(file->shaped_functions);
  free(file->holders);
}

void python_file_free(PyFile *file)
{
  if (!file)
    return;
  target_release((Target *)file->target);
  if (atomic_fetch_sub(file->holders, 1) == 1)
    free_common(file);
  free(file);
}

const WorkspaceSymbolic *py_file_foreign_function(const PyFile *file, const PyCall *call)
{
  bool is_foreign = file->target->workspace && call->function == PY_ABSENT &&
                    str_rfind_char(call->qualified, '.') != STR_NOT_FOUND &&
                    !str_starts_with(call->qualified, STR("torch."));
  return is_foreign ? workspace_find_function(file->target->workspace, file->model->path, call->qualified) : NULL;
}

bool py_file_torch_is_before(const PyFile *file, TorchRelease release)
{
  for (PY_EACH_TORCH(file, torch)) {
    if (torch_release_reached(py_file_release(file, torch), release))
      return false;
  }
  return true;
}

// --- Schemas ---

const TorchOperator *python_find_operator(const PyFile *file, Str name)
{
  char text[256];
  if (str_starts_with(name, STR("::"))) {
    if (name.len + 4 > sizeof(text))
      return NULL;
    memcpy(text, "aten", 4);
    memcpy(text + 4, name.data, name.len);
    return symbolics_torch_operator(file->db, str_make(text, name.len + 4));
  }
  const TorchOperator *op = operator_table_find(&file->own, name);
  if (!op)
    op = workspace_torch_operator(file->target->workspace, file->db, name);
  if (op || name.len + 1 > sizeof(text))
    return op;
  // A graph's `aten::__and__` is looked up as `aten::__and_`.
  if (name.len > 0)
    memcpy(text, name.data, name.len);
  text[name.len] = '_';
  return symbolics_torch_operator(file->db, str_make(text, name.len + 1));
}

bool py_file_overload_applies(const PyFile *file, const TorchOverload *overload)
{
  return (overload->torch_versions & file->torches) != 0;
}

/// A set of names: open addressing, twice as many slots as names.
typedef struct NameSet {
  const Str **slots;
  uint32_t mask;
} NameSet;

static bool add_name(NameSet *set, const Str *name)
{
  uint32_t at = str_hash(*name) & set->mask;
  while (set->slots[at] && !str_equal(*set->slots[at], *name))
    at = (at + 1) & set->mask;
  bool is_new = !set->slots[at];
  set->slots[at] = name;
  return is_new;
}

PyNames py_file_registered_names(const PyFile *file, uint32_t function, Arena *arena)
{
  const PyModel *model = file->model;
  size_t count = 0;
  for (PY_EACH_REGISTRATION(model, counted, function))
    count += counted->name_known;
  Str *names = ARENA_ARRAY(arena, Str, count);
  NameSet set = { .mask = 1 };
  while (set.mask < 2 * count)
    set.mask = set.mask * 2 + 1;
  set.slots = ARENA_ARRAY(arena, const Str *, set.mask + 1);
  count = 0;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (registration->name_known && add_name(&set, &registration->name))
      names[count++] = registration->name;
  }
  return (PyNames){ names, count };
}

// --- Parameters ---

uint32_t py_file_input_params(const PyFile *file, uint32_t function, uint32_t *ret_count)
{
  const PyModel *model = file->model;
  const PyFunction *at = &model->functions.items[function];
  bool skips_self = at->class_node && !at->is_static && at->param_count > 0 &&
                    (str_equal(py_model_params(model, at)->name, STR("self")) ||
                     str_equal(py_model_params(model, at)->name, STR("cls")));
  // The symbolic() of an autograd function is asked of its class: what comes first is the graph, whatever its name.
  skips_self &= (at->roles & PY_ROLE_AUTOGRAD) == 0 || at->is_class_method ||
                (at->param_count > 1 && str_starts_with(py_model_params(model, at)[1].name, STR("g")));
  uint32_t skipped = at->bound_count + (skips_self ? 2 : 1);
  *ret_count = at->plain_count > skipped ? at->plain_count - skipped : 0;
  return at->first_param + skipped;
}

uint32_t py_file_descriptor_shift(const PyFile *file, uint32_t function)
{
  const PyModel *model = file->model;
  const PyFunction *at = &model->functions.items[function];
  bool takes_object = at->class_node && !at->is_static && at->param_count > 0;
  Str first = takes_object ? py_model_params(model, at)->name : (Str){ 0 };
  return str_equal(first, STR("self")) || str_equal(first, STR("cls"));
}

PyRef py_file_descriptor_of(const PyFile *file, uint32_t function, uint32_t param)
{
  const PyFunction *at = &file->model->functions.items[function];
  uint32_t count;
  uint32_t first = py_file_input_params(file, function, &count);
  uint32_t position = param - first + py_file_descriptor_shift(file, function);
  if (at->parse_args == PY_ABSENT || !at->descriptors_known || param < first || position >= at->descriptor_count)
    return 0;
  return file->model->descriptors.items[at->first_descriptor + position];
}

/// Of one operator, in all overloads that have an argument there.
static bool operator_type_is(const PyFile *file, const TorchOperator *op, uint32_t position, Str type)
{
  bool any = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!py_file_overload_applies(file, overload) || position >= overload->argument_count)
      continue;
    // No exporter takes names of dimensions. What newer versions call SymInt was int before.
    if (str_contains(overload->overload, STR("imname")) || str_contains(overload->overload, STR("names")))
      continue;
    Str given = overload->arguments[position].type;
    if (!str_equal(str_equal(given, STR("SymInt")) ? STR("int") : given, type))
      return false;
    any = true;
  }
  return any;
}

bool py_file_param_type_is(const PyFile *file, uint32_t function, Str param, Str type)
{
  const PyModel *model = file->model;
  uint32_t count;
  uint32_t first = py_file_input_params(file, function, &count);
  uint32_t position = 0;
  bool is_one = false;
  while (position < count && !str_equal(model->params.items[first + position].name, param))
    position++;
  if (position == count || model->functions.items[function].has_unknown_decorator)
    return false;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    is_one = registration->name_known && !registration->is_opaque && !registration->has_applied_params &&
             operator_type_is(file, py_file_torch_operator(file, registration->name), position, type);
    if (!is_one)
      return false;
  }
  return is_one;
}
