// Which functions are symbolic, and what they are called.
#include "python/model/python_file.h"

bool py_file_is_symbolic(const PyFunction *function)
{
  return (function->roles &
          (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER | PY_ROLE_ONNXSCRIPT | PY_ROLE_TORCHLIB)) != 0;
}

/// `helper(g, ...)` in `def function(g, ...)`
static bool passes_graph(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (call->scope == PY_ABSENT || !first)
    return false;
  const PyFunction *function = &model->functions.items[call->scope];
  return function->param_count > 0 && py_kind(&model->tree, first->value) == PYK_IDENTIFIER &&
         str_equal(py_text(&model->tree, first->value), model->params.items[function->first_param].name);
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
