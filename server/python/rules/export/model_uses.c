// Modules that a file has for others, and those of others that it runs.

#include "python/rules/export/model_uses.h"

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/export/exported_code.h"
#include "python/rules/trace/traced_support.h"

typedef struct Teller {
  DiagSink *sink;
  const PyModel *model;
  const ModuleParts *parts;
  WorkspaceFile *file;
  Vec(WorkspaceModelUse) uses;
  Vec(Str) names;        ///< Of classes of other files that exports name.
  bool may_be_replaced;  ///< What a forward() is can't be told.
  bool is_plain;         ///< See traced_support_is_plain().
} Teller;

// --- Modules ---

typedef Vec(WorkspaceModule) Modules;

/// `def build_model(width=64): ... return model` of a class of the file.
static void tell_makers(const PyModel *model, WorkspaceFile *file, Modules *modules)
{
  for (size_t i = 0; i < model->functions.count && modules->count < PY_EXPORT_LIMIT; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_free = function->name.len > 0 && !function->class_node && function->parent == PY_ABSENT &&
                   function->outer == function->node && function->return_count == 1;
    PyRef made = is_free && function->returned ? export_module_made(model, function->returned) : 0;
    const PyCall *call = py_model_call(model, made);
    PyRef class_node = export_class_made(model, call);
    if (class_node && py_model_scope_of(model, class_node) == PY_ABSENT)
      vec_push(modules,
               ((WorkspaceModule){ .name = arena_copy(&file->arena, function->name),
                                   .uri = file->uri,
                                   .made = arena_copy(&file->arena, py_model_class_at(model, class_node)->name) }));
  }
}

/// Functions that the forward() of another file may call.
static void tell_functions(const PyModel *model, WorkspaceFile *file, Modules *modules)
{
  const uint32_t others =
      PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER | PY_ROLE_ONNXSCRIPT | PY_ROLE_TORCHLIB;
  size_t makers = modules->count;
  for (size_t i = 0; i < model->functions.count && modules->count < PY_EXPORT_LIMIT; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_free = function->name.len > 0 && !function->class_node && function->parent == PY_ABSENT &&
                   function->outer == function->node && function->param_count > 0 && (function->roles & others) == 0;
    for (size_t k = 0; is_free && k < makers; k++)
      is_free = !str_equal(modules->items[k].name, function->name);
    if (is_free)
      vec_push(modules, ((WorkspaceModule){
                            .name = arena_copy(&file->arena, function->name), .uri = file->uri, .is_function = true }));
  }
}

static void tell_modules(const PyModel *model, WorkspaceFile *file)
{
  Modules modules = { 0 };
  for (size_t i = 0; i < model->classes.count; i++) {
    const PyClass *class = &model->classes.items[i];
    bool is_free = class->is_module && py_model_scope_of(model, class->node) == PY_ABSENT;
    uint32_t forward = is_free ? export_method_of(model, class->node, STR("forward")) : PY_ABSENT;
    if (forward == PY_ABSENT || modules.count == PY_EXPORT_LIMIT)
      continue;
    size_t count;
    WorkspaceParam *params = (WorkspaceParam *)export_params(model, forward, &file->arena, &count);
    for (size_t k = 0; k < count; k++)
      params[k].name = arena_copy(&file->arena, params[k].name);
    vec_push(&modules, ((WorkspaceModule){ .name = arena_copy(&file->arena, class->name),
                                           .uri = file->uri,
                                           .params = params,
                                           .param_count = (uint32_t)count }));
  }
  if (modules.count > 0)
    tell_makers(model, file, &modules);
  if (py_model_mentions(model, "torch"))
    tell_functions(model, file, &modules);
  file->module_count = (uint32_t)modules.count;
  file->modules = vec_copy(&modules, &file->arena);
  vec_free(&modules);
}

// --- Uses ---

/// `Net` of `Net()`, where that may be a class of another file; empty.
static Str foreign_class(const PyModel *model, const PyCall *call)
{
  bool is_foreign = call->function == PY_ABSENT && str_find_char(call->qualified, '.', 1) != STR_NOT_FOUND &&
                    !str_starts_with(call->qualified, STR("torch.")) && !export_class_made(model, call);
  return is_foreign ? call->qualified : (Str){ 0 };
}

/// Whether a call may be one of a function of another file that knows tensors.
static bool is_foreign_function(const PyModel *model, const PyCall *call)
{
  static const char *const known[] = { "numpy.",   "math.",      "os.",        "sys.",
                                       "logging.", "functools.", "itertools.", "super." };
  Str name = foreign_class(model, call);
  bool is_other = name.len > 0;
  for (size_t i = 0; i < COUNT(known); i++)
    is_other &= !str_starts_with(name, str_from(known[i]));
  return is_other;
}

/// `self.net` with `self.net = Net()`: the class of another file that its part is; empty.
static Str foreign_part(const Forward *forward, const PyCall *call)
{
  PyRef made = forward_own_part(forward, call->function_node);
  const PyCall *maker = py_model_call(forward->model, made);
  return maker ? foreign_class(forward->model, maker) : (Str){ 0 };
}

/// `scale(x)` in a method of a module, where that may be a function of another file.
static bool has_foreign_calls(const Teller *teller)
{
  const PyModel *model = teller->model;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyClass *class =
        call->scope == PY_ABSENT ? NULL : py_model_class_at(model, model->functions.items[call->scope].class_node);
    if (class && class->is_module && is_foreign_function(model, call))
      return true;
  }
  return false;
}

static bool has_foreign_parts(const Teller *teller)
{
  for (size_t i = 0; i < teller->parts->count; i++) {
    PyRef made = teller->parts->items[i].value;
    const PyCall *call = py_model_call(teller->model, made);
    if (call && foreign_class(teller->model, call).len > 0)
      return true;
  }
  return false;
}

static void tell_use(Teller *teller, Str callee, const WorkspaceModelUse *from)
{
  if (teller->uses.count == PY_EXPORT_LIMIT)
    return;
  WorkspaceModelUse use = *from;
  use.callee = arena_copy(&teller->file->arena, callee);
  use.uri = teller->file->uri;
  vec_push(&teller->uses, use);
}

static void tell_call(Teller *teller, Forward *forward, const PyCall *call, WorkspaceModelUse from)
{
  Str callee = foreign_part(forward, call);
  from.is_function = callee.len == 0 && is_foreign_function(teller->model, call);
  if (from.is_function)
    callee = call->qualified;
  if (callee.len == 0 || call->has_splat || call->has_dictionary_splat || forward_is_conditional(forward, call->node))
    return;
  from.tensors = 0;
  for (uint32_t i = 0; i < call->argument_count && i < 32; i++) {
    const PyArgument *argument = &py_model_arguments(teller->model, call)[i];
    if (argument->keyword.len == 0 && (forward_is_tensor(forward, argument->value, PY_EXPRESSION_DEPTH) ||
                                       forward_is_tensor_at_first(forward, argument->value)))
      from.tensors |= UINT32_C(1) << i;
  }
  if (!from.is_function || from.tensors != 0)
    tell_use(teller, callee, &from);
}

/// What a forward() runs, whose parameters get tensors as noted.
static void tell_code(Teller *teller, uint32_t root, bool *tensor_params, const WorkspaceModelUse *from)
{
  const PyModel *model = teller->model;
  ExportedFunctions functions = { 0 };
  Forward forward = { .sink = teller->sink,
                      .model = model,
                      .tensor_params = tensor_params,
                      .parts = teller->parts,
                      .has_own_tensors = true,
                      .steps = PY_TRACING_WORK };
  exported_code_add(&functions, root);
  exported_code_follow(&forward, tensor_params, NULL, &functions);
  for (size_t i = 0; i < functions.count; i++) {
    forward.function = functions.items[i];
    PyRef body = model->functions.items[forward.function].body;
    uint32_t seen = 0;
    for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT;
         node++, seen++) {
      const PyCall *call = py_model_call(model, node);
      if (call)
        tell_call(teller, &forward, call, *from);
    }
  }
  vec_free(&functions);
}

/// Whenever a module of this file is given tensors for what it needs.
static void tell_module_uses(Teller *teller)
{
  const PyModel *model = teller->model;
  for (size_t i = 0; i < model->classes.count && teller->uses.count < PY_EXPORT_LIMIT; i++) {
    const PyClass *class = &model->classes.items[i];
    uint32_t forward = class->is_module ? export_method_of(model, class->node, STR("forward")) : PY_ABSENT;
    if (forward == PY_ABSENT)
      continue;
    const PyFunction *function = &model->functions.items[forward];
    WorkspaceModelUse from = { .inside = arena_copy(&teller->file->arena, class->name) };
    bool *tensor_params = ARENA_ARRAY(teller->sink->arena, bool, model->params.count);
    for (uint32_t k = 1; k < function->param_count && k <= 32; k++) {
      const PyParam *param = &py_model_params(model, function)[k];
      if (param->kind != PY_PARAM_PLAIN || param->default_value)
        continue;
      tensor_params[function->first_param + k] = true;
      from.needs |= UINT32_C(1) << (k - 1);
    }
    tell_code(teller, forward, tensor_params, &from);
  }
}

// --- Exports ---

/// Which arguments of the model are surely tensors, by position.
static uint32_t example_tensors(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || py_kind(tree, args) != PYK_TUPLE)
    return args && export_is_tensor(export->model, args) ? 1 : 0;
  uint32_t tensors = 0;
  uint32_t position = 0;
  for (PyRef item = py_tree_first_element(tree, args); item && position < 32 && !py_tree_is_splat(tree, item);
       item = py_tree_next_element(tree, item), position++)
    tensors |= export_is_tensor(export->model, item) ? UINT32_C(1) << position : 0;
  return tensors;
}

/// Whether the exporter is that which torch takes by itself.
static bool is_by_default(const ExportCall *export)
{
  return export->kind == EXPORT_EITHER && !export->is_capture && !export_may_have(export, "dynamo") &&
         !py_file_asks_version(export->file, export->call->node);
}

static uint8_t runs_of(const ExportCall *export)
{
  if (export->kind == EXPORT_TRACES || is_by_default(export))
    return (export->kind == EXPORT_TRACES ? MODEL_TRACED : MODEL_BY_DEFAULT) | MODEL_FOR_ONNX |
           (export_may_have(export, "dynamic_axes") ? MODEL_HAS_AXES : 0);
  bool is_sure =
      export->kind == EXPORT_DYNAMO && (export->says_dynamo || !py_file_asks_version(export->file, export->call->node));
  bool is_for_onnx = !export->is_capture || py_model_mentions(export->model, "onnx");
  return is_sure ? MODEL_CAPTURED | (is_for_onnx ? MODEL_FOR_ONNX : 0) : 0;
}

static void tell_export(Teller *teller, const ExportCall *export)
{
  ExportModel made = export_model(export);
  WorkspaceModelUse from = { .tensors = example_tensors(export), .runs = runs_of(export) };
  if ((from.runs & (MODEL_TRACED | MODEL_BY_DEFAULT)) != 0) {
    int opset = export_opset(export->file, export->call);
    from.opsets = opset_set_of(opset > 0 ? opset : 0);
    from.runs |= teller->is_plain ? 0 : MODEL_IS_OPEN;
  }
  if (made.made && !made.class_node && made.torch_class.len == 0)
    vec_push(&teller->names, arena_copy(&teller->file->arena, made.made->qualified));
  if (from.runs == 0 || !made.made || teller->may_be_replaced)
    return;
  Str callee = foreign_class(teller->model, made.made);
  if (callee.len > 0) {
    from.runs |= MODEL_IS_WHOLE;
    tell_use(teller, callee, &from);
  } else if (made.forward != PY_ABSENT) {
    bool *tensor_params = ARENA_ARRAY(teller->sink->arena, bool, teller->model->params.count);
    forward_note_tensors(export, &made, tensor_params);
    tell_code(teller, made.forward, tensor_params, &from);
  }
}

static void tell_exports(Teller *teller)
{
  const PyModel *model = teller->model;
  ExportCall export;
  for (size_t i = 0; i < export_call_count(model); i++) {
    export = export_call(teller->sink, i);
    tell_export(teller, &export);
  }
  for (size_t i = 0; i < model->calls.count && teller->uses.count < PY_EXPORT_LIMIT; i++) {
    if (export_capture(teller->sink, &model->calls.items[i], &export) && !export.is_draft)
      tell_export(teller, &export);
  }
}

void model_uses_summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  const PyFile *python = py_file_of_snapshot(snapshot);
  const PyModel *model = python->model;
  Arena arena = { 0 };
  DiagSink sink = {
    .snapshot = snapshot, .target = snapshot_target(snapshot), .arena = &arena, .language = (void *)python
  };
  tell_modules(model, file);
  ModuleParts parts = module_parts(model, &arena);
  Teller teller = { .sink = &sink, .model = model, .parts = &parts, .file = file };
  teller.may_be_replaced = exported_code_may_be_replaced(model);
  teller.is_plain = traced_support_is_plain(&sink, true);
  tell_exports(&teller);
  if (!teller.may_be_replaced && (has_foreign_parts(&teller) || has_foreign_calls(&teller)))
    tell_module_uses(&teller);
  file->model_name_count = (uint32_t)teller.names.count;
  file->model_names = vec_copy(&teller.names, &file->arena);
  vec_free(&teller.names);
  file->model_use_count = (uint32_t)teller.uses.count;
  file->model_uses = vec_copy(&teller.uses, &file->arena);
  vec_free(&teller.uses);
  arena_done(&arena);
}
