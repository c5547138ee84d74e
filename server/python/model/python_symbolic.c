// Which functions are symbolic, and what they are called.
#include "python/model/python_file_private.h"

bool py_file_is_symbolic(const PyFunction *function)
{
  return (function->roles &
          (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER | PY_ROLE_ONNXSCRIPT | PY_ROLE_TORCHLIB)) != 0;
}

// --- Functions that nothing registers ---

static bool has_same_arguments(const PyModel *model, const PyFunction *function, const TorchOverload *overload)
{
  if (overload->argument_count + 1 != function->param_count)
    return false;
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    const PyParam *param = &model->params.items[function->first_param + 1 + i];
    if (param->kind != PY_PARAM_PLAIN || !str_equal(param->name, overload->arguments[i].name))
      return false;
  }
  return overload->argument_count > 0;
}

/// Takes the graph, makes nodes with it, and nobody in the file calls it.
static bool may_be_registered(const PyFile *file, const PyFunction *function)
{
  bool is_free = !function->class_node || (function->is_static && file->registers_unknown);
  return (function->roles & PY_ROLE_HELPER) != 0 && (function->roles & PY_ROLE_CALLED) == 0 && is_free &&
         function->first_method_call == PY_ABSENT && function->parent == PY_ABSENT &&
         !function->has_unknown_decorator && function->name.len > 0 && function->param_count > 0;
}

/// "elu" of sym_elu, elu_symbolic and the like.
static Str bare_name(Str name)
{
  static const char *const before[] = { "symbolic_", "sym_", "onnx_", "custom_", "my_", "export_", "_" };
  static const char *const after[] = { "_symbolic", "_sym", "_onnx" };
  for (size_t i = 0; i < COUNT(before); i++) {
    Str part = str_from(before[i]);
    if (str_starts_with(name, part))
      return str_slice(name, part.len, name.len);
  }
  for (size_t i = 0; i < COUNT(after); i++) {
    Str part = str_from(after[i]);
    if (str_ends_with(name, part))
      return str_slice(name, 0, name.len - part.len);
  }
  return name;
}

Str py_file_supposed_operator(const PyFile *file, uint32_t function, Arena *arena)
{
  const PyFunction *at = &file->model->functions.items[function];
  if (!file->registers_unknown || file->model->is_builtin || (at->roles & PY_ROLE_REGISTERED) ||
      !may_be_registered(file, at) || !str_equal(py_model_params(file->model, at)->name, STR("g")))
    return (Str){ 0 };
  Str whole = arena_printf(arena, "aten::%.*s", STR_ARG(at->name));
  if (symbolics_torch_operator(file->db, whole))
    return whole;
  Str bare = arena_printf(arena, "aten::%.*s", STR_ARG(bare_name(at->name)));
  return symbolics_torch_operator(file->db, bare) ? bare : (Str){ 0 };
}

static bool is_supposed(const PyFile *file, uint32_t function)
{
  Arena arena = { 0 };
  bool yes = py_file_supposed_operator(file, function, &arena).len > 0;
  arena_done(&arena);
  return yes;
}

const TorchOperator *py_file_operator_by_shape(const PyFile *file, uint32_t function)
{
  const PyFunction *at = &file->model->functions.items[function];
  char text[72];
  if (at->name.len + 7 > sizeof(text))
    return NULL;
  memcpy(text, "aten::", 6);
  memcpy(text + 6, at->name.data, at->name.len);
  const TorchOperator *op = symbolics_torch_operator(file->db, str_make(text, at->name.len + 6));
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (has_same_arguments(file->model, at, &op->overloads[i]))
      return op;
  }
  return NULL;
}

void python_find_shaped_functions(PyFile *file)
{
  const PyModel *model = file->model;
  file->shaped_functions = xcalloc(model->functions.count + 1, sizeof(*file->shaped_functions));
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool has_letters = function->parse_args != PY_ABSENT && function->descriptors_known;
    if (!model->is_builtin && (function->roles & PY_ROLE_REGISTERED) == 0 && may_be_registered(file, function))
      file->shaped_functions[i] = has_letters || py_file_operator_by_shape(file, i) || is_supposed(file, i);
  }
}

/// `helper(g, ...)` in `def function(g, ...)`
static bool passes_graph(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (call->scope == PY_ABSENT || !first)
    return false;
  const PyFunction *function = &model->functions.items[call->scope];
  return function->param_count > 0 && py_kind(&model->tree, first->value) == PYK_IDENTIFIER &&
         str_equal(py_text(&model->tree, first->value), py_model_params(model, function)->name);
}

const bool *py_file_graph_functions(const PyModel *model, Arena *arena)
{
  bool *functions = ARENA_ARRAY(arena, bool, model->functions.count);
  for (size_t i = 0; i < model->functions.count; i++)
    functions[i] = py_file_is_symbolic(&model->functions.items[i]);
  for (size_t i = 0; model->is_ours && i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_foreign = call->function == PY_ABSENT && str_rfind_char(call->qualified, '.') != STR_NOT_FOUND;
    bool is_symbolic = call->function != PY_ABSENT && py_file_is_symbolic(&model->functions.items[call->function]);
    if (!passes_graph(model, call))
      continue;
    // Elsewhere, only the usual name of the graph tells.
    bool is_graph = str_equal(model->params.items[model->functions.items[call->scope].first_param].name, STR("g"));
    functions[call->scope] |= is_symbolic || (is_foreign && is_graph);
  }
  return functions;
}

uint32_t py_file_function_around(const PyModel *model, const bool *functions, uint32_t scope)
{
  while (scope != PY_ABSENT && !functions[scope])
    scope = model->functions.items[scope].parent;
  return scope;
}

static Str class_name(const PyModel *model, PyRef node)
{
  for (size_t i = 0; i < model->classes.count; i++) {
    if (model->classes.items[i].node == node)
      return model->classes.items[i].name;
  }
  return (Str){ 0 };
}

Str py_file_function_title(const PyModel *model, uint32_t function, Arena *arena)
{
  const PyFunction *at = &model->functions.items[function];
  if (at->name.len == 0)
    return STR("lambda");
  Str owner = at->class_node ? class_name(model, at->class_node) : (Str){ 0 };
  return owner.len > 0 ? arena_printf(arena, "%.*s.%.*s", STR_ARG(owner), STR_ARG(at->name)) : at->name;
}
