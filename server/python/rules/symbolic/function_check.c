// What is known of a symbolic function and of an operator that it is registered for.

#include "python/rules/symbolic/function_check.h"

bool function_check_begin(FunctionCheck *check, DiagSink *sink, uint32_t index)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = &model->functions.items[index];
  *check =
      (FunctionCheck){ .sink = sink, .file = sink_python(sink), .model = model, .index = index, .function = function };
  bool is_symbolic = (function->roles & PY_ROLE_REGISTERED) != 0 || check->file->shaped_functions[index];
  if (!is_symbolic || function->has_unknown_decorator || check->file->torch_is_before)
    return false;
  for (PY_EACH_REGISTRATION(model, registration, index)) {
    // What torch doesn't have is never converted, so nothing is passed to the function.
    bool is_dead =
        str_starts_with(registration->name, STR("aten::")) && !py_file_torch_operator(check->file, registration->name);
    is_dead |= !check->model->is_builtin && !py_file_is_ever_chosen(check->file, registration);
    if (registration->has_applied_params || registration->is_opaque || is_dead ||
        py_file_asks_version(check->file, registration->node))
      return false;
  }
  uint32_t first = py_file_input_params(check->file, index, &check->param_count);
  check->params = check->param_count > 0 ? model->params.items + first : NULL;
  while (check->required < check->param_count && !check->params[check->required].default_value &&
         !check->params[check->required].bound_value)
    check->required++;
  // What partial() gives by its name can't be given by position, too.
  for (uint32_t i = 0; i < check->param_count; i++) {
    if (check->params[i].bound_value)
      check->param_count = i;
  }
  for (uint32_t i = 0; i < function->param_count; i++)
    check->has_args |= py_model_params(model, function)[i].kind == PY_PARAM_ARGS;
  return true;
}

bool function_takes(const FunctionCheck *check, const TorchOverload *overload)
{
  return overload->argument_count >= check->required &&
         (check->has_args || overload->argument_count <= check->param_count);
}

/// `out=`: nobody writes a symbolic function for it.
static bool is_out_variant(const TorchOverload *overload)
{
  const TorchArgument *last = overload->argument_count > 0 ? &overload->arguments[overload->argument_count - 1] : NULL;
  return last && last->is_kwarg_only && str_ends_with(last->alias, STR("!"));
}

/// For tensors with named dimensions, or of an older release: no trace has them.
static bool is_never_traced(const TorchOverload *overload)
{
  return str_equal(overload->overload, STR("deprecated")) ||
         str_find(overload->overload, STR("imname"), 0) != STR_NOT_FOUND ||
         str_find(overload->overload, STR("names"), 0) != STR_NOT_FOUND;
}

/// `aten::add.int(int a, int b)`, `aten::sum.int(int[] self)`: of what a script computes with numbers and texts.
static bool is_without_tensors(const TorchOverload *overload)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    if (str_starts_with(overload->arguments[i].type, STR("Tensor")))
      return false;
  }
  return true;
}

static bool is_of_tensor(const TorchOverload *overload)
{
  return overload->argument_count > 0 && str_equal(overload->arguments[0].type, STR("Tensor"));
}

static bool is_packed(const TorchOverload *overload)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    if (str_find(overload->arguments[i].type, STR("__torch__"), 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

void function_check_name(FunctionCheck *check, Str name)
{
  const TorchOperator *op = py_file_torch_operator(check->file, name);
  const TorchOverload **overloads = ARENA_ARRAY(check->sink->arena, const TorchOverload *, op ? op->overload_count : 0);
  check->name = name;
  check->overloads = overloads;
  check->overload_count = 0;
  check->any_fits = false;
  uint32_t seen = 0;
  bool has_tensors = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++)
    has_tensors |= is_of_tensor(&op->overloads[i]) && !is_out_variant(&op->overloads[i]);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (has_tensors && is_without_tensors(overload))
      continue;
    if (!py_file_overload_applies(check->file, overload) || overload->has_varargs || is_out_variant(overload) ||
        is_never_traced(overload))
      continue;
    if (is_packed(overload)) {
      check->overload_count = 0;  // A pass unpacks the weights: the function gets other arguments.
      check->any_fits = true;
      return;
    }
    overloads[check->overload_count++] = overload;
    check->any_fits |= function_takes(check, overload);
    seen |= overload->torch_versions;
  }
  if (check->file->torches & ~seen) {
    check->overload_count = 0;  // Newer than some version: it may have begun with other arguments.
    check->any_fits = true;
  }
}

PyRef function_place(const FunctionCheck *check)
{
  return check->function->name_node ? check->function->name_node : check->function->node;
}

bool function_counts(const FunctionCheck *check, const TorchOverload *overload)
{
  return !check->any_fits || function_takes(check, overload);
}

Str function_signature(const FunctionCheck *check, const TorchOverload *overload)
{
  Arena *arena = check->sink->arena;
  Str text = arena_printf(arena, "%.*s(", STR_ARG(check->name));
  for (uint32_t i = 0; i < overload->argument_count; i++)
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), i > 0 ? ", " : "", STR_ARG(overload->arguments[i].name));
  return arena_printf(arena, "%.*s)", STR_ARG(text));
}

const TorchOverload *function_best_overload(const FunctionCheck *check)
{
  const TorchOverload *best = NULL;
  uint32_t best_score = 0;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    uint32_t score = function_takes(check, overload) ? 100 : 0;
    score += overload->argument_count == check->param_count ? 50 : 0;
    for (uint32_t k = 0; k < overload->argument_count && k < check->param_count; k++)
      score += str_equal(overload->arguments[k].name, check->params[k].name);
    if (!best || score > best_score) {
      best = overload;
      best_score = score;
    }
  }
  return best;
}

// --- The graph ---

/// Whether `param` is used as the graph: `param.op(...)`.
static bool is_used_as_graph(const FunctionCheck *check, Str name)
{
  const PyModel *model = check->model;
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    const PyCall *call = &model->calls.items[op->call];
    PyRef object = py_tree_object(&model->tree, call->function_node);
    if (op->kind != PY_OP_ONNXSCRIPT && op->scope == check->index && object &&
        str_equal(py_text(&model->tree, object), name))
      return true;
  }
  return false;
}

static bool looks_like_graph(Str name)
{
  return str_equal(name, STR("g")) || str_equal(name, STR("_g")) || str_equal(name, STR("_")) ||
         str_find(name, STR("graph"), 0) != STR_NOT_FOUND || str_find(name, STR("context"), 0) != STR_NOT_FOUND ||
         str_equal(name, STR("ctx"));
}

bool function_lacks_graph(const FunctionCheck *check)
{
  const PyFunction *function = check->function;
  if (function->param_count == 0)
    return true;
  const PyParam *first = py_model_params(check->model, function);
  if (first->kind != PY_PARAM_PLAIN || looks_like_graph(first->name) || first->annotation || function->class_node)
    return false;
  if (is_used_as_graph(check, first->name))
    return false;
  // Only if the names say that the graph was forgotten: the first is what an operator calls its input.
  return str_equal(first->name, STR("self")) || str_equal(first->name, STR("input")) ||
         str_equal(first->name, STR("x")) || str_equal(first->name, STR("tensor"));
}
