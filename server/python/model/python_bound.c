// What parameters get whenever their function is called, as far as the file shows: by its only call.

#include "base/limits.h"
#include "base/map.h"
#include "python/model/python_model_private.h"

/// What a call passes; the first `skip` parameters are not given by arguments.
static void bind_call(PyModel *model, const PyFunction *function, const PyCall *call, uint32_t skip)
{
  if (call->has_splat || call->has_dictionary_splat)
    return;
  for (uint32_t i = skip; i < function->param_count && i < PY_HEAD_FIX_PARAMS; i++) {
    PyParam *param = &model->params.items[function->first_param + i];
    const PyArgument *argument = py_model_argument_of(model, call, i - skip, param->name);
    if (param->kind == PY_PARAM_PLAIN || param->kind == PY_PARAM_KEYWORD_ONLY)
      param->bound_value = argument ? argument->value : param->default_value;
  }
}

/// What the only call of a function passes.
static void bind_only_call(PyModel *model, const PyFunction *function)
{
  const uint32_t others = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_ONNXSCRIPT | PY_ROLE_TORCHLIB;
  const PyCall *call = function->first_call == PY_ABSENT ? NULL : &model->calls.items[function->first_call];
  if (call && call->next == PY_ABSENT && !(function->roles & others) && !function->has_unknown_decorator &&
      !function->class_node && function->first_decoration == PY_ABSENT)
    bind_call(model, function, call, 0);
}

/// What the only `Exporter(...)` of a file passes to __init__(). A module of torch may be made by any file, so there
/// somebody who knows which one is exported asks (rules/module/module_maker.h).
void python_bind_objects(PyModel *model)
{
  if (model->classes.count == 0)
    return;
  const PyCall **makers = ARENA_ARRAY(&model->arena, const PyCall *, model->classes.count);
  uint32_t *counts = ARENA_ARRAY(&model->arena, uint32_t, model->classes.count);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyClass *class = py_model_class_at(model, py_model_class_named(model, call->function_node));
    if (!class)
      continue;
    makers[class - model->classes.items] = call;
    counts[class - model->classes.items]++;
  }
  // What derives from a class calls its __init__(), too.
  for (size_t i = 0; i < model->classes.count; i++) {
    if (model->classes.items[i].base != PY_ABSENT)
      counts[model->classes.items[i].base]++;
  }
  for (size_t i = 0; i < model->classes.count; i++) {
    const PyClass *class = &model->classes.items[i];
    bool is_decorated = py_kind(&model->tree, model->tree.nodes[class->node].parent) == PYK_DECORATED_DEFINITION;
    uint32_t init = makers[i] && counts[i] == 1 && class->is_plain && !is_decorated
                        ? py_model_method(model, class->node, STR("__init__"))
                        : PY_ABSENT;
    if (init != PY_ABSENT && model->functions.items[init].class_node == class->node)
      bind_call(model, &model->functions.items[init], makers[i], 1);
  }
}

/// The only call of a method, `detector.detect(image)`, also of `__call__()`; NULL. A module's are called by torch,
/// too.
static const PyCall *only_method_call(const PyModel *model, const PyFunction *function)
{
  const PyClass *class = py_model_class_at(model, function->class_node);
  const PyCall *call =
      function->first_method_call == PY_ABSENT ? NULL : &model->calls.items[function->first_method_call];
  bool is_own = call && call->scope == (uint32_t)(function - model->functions.items);
  bool is_only = call && !is_own && call->next == PY_ABSENT && call->is_bound && class && class->is_plain &&
                 function->roles == 0 && !function->has_unknown_decorator && !function->is_class_method &&
                 function->first_decoration == PY_ABSENT && !py_model_is_overridden(model, class->node, function->name);
  return is_only ? call : NULL;
}

static Str method_name(const PyModel *model, const PyCall *call)
{
  return py_tree_member_name(&model->tree, call->function_node);
}

/// What the only call of each method passes, if nothing else in the file has a member of that name: it might be the
/// same.
static void bind_methods(PyModel *model)
{
  Map *counts = map_new();
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyCall *call = only_method_call(model, &model->functions.items[i]);
    if (call)
      map_put(counts, method_name(model, call), (void *)1);
  }
  for (PyRef node = 1; node < model->tree.count && map_count(counts) > 0; node++) {
    Str name = py_kind(&model->tree, node) == PYK_ATTRIBUTE ? py_tree_member_name(&model->tree, node) : (Str){ 0 };
    uintptr_t count = name.len > 0 ? (uintptr_t)map_get(counts, name) : 0;
    if (count > 0)
      map_put(counts, name, (void *)(count + 1));
  }
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyCall *call = only_method_call(model, &model->functions.items[i]);
    if (call && (uintptr_t)map_get(counts, method_name(model, call)) <= 2)
      bind_call(model, &model->functions.items[i], call, 1);
  }
  map_free(counts);
}

void python_bind_calls(PyModel *model)
{
  for (size_t i = 0; i < model->functions.count; i++)
    bind_only_call(model, &model->functions.items[i]);
  if (model->classes.count > 0)
    bind_methods(model);
}
