// What a Python file tells the others: the functions that it registers or that others may, whose functions it calls,
// and the exports that it makes.

#include <stdlib.h>

#include "base/limits.h"
#include "base/search.h"
#include "base/vec.h"
#include "core/unknown_registration.h"
#include "describe/stub.h"
#include "python/model/python_file.h"
#include "python/model/python_file_private.h"
#include "python/python_language.h"

typedef struct FileBuilder {
  WorkspaceFile *file;
  const Document *document;
  const PyFile *python;
  Vec(WorkspaceSymbolic) symbolics;
  Vec(WorkspaceCall) calls;
  const WorkspaceCaller **callers;  ///< By function; NULL for what has not called anything yet.
  bool has_unregistrations;
  const bool *functions;          ///< Of the graph, see py_file_graph_functions().
  const uint32_t *tensor_params;  ///< By function, see python_tensor_params().
} FileBuilder;

static WorkspacePlace node_place(const FileBuilder *builder, PyRef node)
{
  const PyNode *at = &builder->python->model->tree.nodes[node];
  return workspace_place(builder->document, (Range){ at->start, at->end });
}

static WorkspacePlace registration_place(const FileBuilder *builder, const PyRegistration *registration)
{
  return node_place(builder, registration->name_node ? registration->name_node : registration->node);
}

/// Whether an export of the file uses what is between the two.
static bool has_export_between(const PyModel *model, PyRef first, PyRef last)
{
  for (size_t i = 0; i < model->exports.count; i++) {
    PyRef at = model->calls.items[model->exports.items[i]].node;
    if (at > first && at < last)
      return true;
  }
  return false;
}

/// The opsets for which the module takes a registration back before anything is exported.
static OpsetSet taken_back(const PyModel *model, const PyRegistration *registration)
{
  OpsetSet set = 0;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *other = &model->registrations.items[i];
    if (other->kind == PY_REG_UNREGISTER && other->name_known && other->opset_known &&
        other->node > registration->node && str_equal(other->name, registration->name) &&
        py_model_scope_of(model, other->node) == PY_ABSENT &&
        !has_export_between(model, registration->node, other->node))
      set |= py_file_registration_opsets(model, other);
  }
  return set;
}

static bool is_stub(const FileBuilder *builder, const PyFunction *function)
{
  const PyNode *node = &builder->python->model->tree.nodes[function->node];
  Arena arena = { 0 };
  Str text = document_slice(builder->document, (Range){ node->start, node->end }, &arena);
  bool has_todo = str_contains(text, STR(STUB_TODO));
  arena_done(&arena);
  return has_todo;
}

/// Parameters that become attributes as they are.
static uint32_t attribute_params(const PyModel *model, uint32_t index)
{
  const PyFunction *function = &model->functions.items[index];
  uint32_t params = 0;
  PyRef end = model->tree.nodes[function->node].next;
  size_t at;
  SEARCH_FIRST(at, 0, model->ops.count, model->calls.items[model->ops.items[at].call].node < function->node);
  for (; at < model->ops.count && model->calls.items[model->ops.items[at].call].node < end; at++) {
    const PyOp *op = &model->ops.items[at];
    for (uint32_t i = 0; i < op->attribute_count && op->kind == PY_OP_GRAPH; i++) {
      const PyAttribute *attribute = &model->attributes.items[op->first_attribute + i];
      const PyBinding *binding =
          attribute->suffix.len > 0 ? py_model_binding_of(model, op->scope, attribute->value) : NULL;
      bool is_param = py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope == index;
      if (is_param && binding->index - function->first_param < 32)
        params |= UINT32_C(1) << (binding->index - function->first_param);
    }
  }
  return params;
}

static WorkspaceSignature signature_of(const FileBuilder *builder, uint32_t index)
{
  const PyFile *file = builder->python;
  const PyModel *model = file->model;
  const PyFunction *function = &model->functions.items[index];
  const PyBinding *binding = py_model_binding_named(model, PY_ABSENT, function->name);
  bool is_only = binding && binding->next == PY_ABSENT;
  WorkspaceSignature signature = { .is_known = is_only && function->outer == function->node };
  if (!signature.is_known)
    return (WorkspaceSignature){ 0 };
  PyValue result = file->flow ? py_file_result(file, index) : (PyValue){ .length = -1 };
  signature.attributes = attribute_params(model, index);
  signature.tensors = builder->tensor_params[index];
  signature.takes_graph = function->param_count > 0 && str_equal(py_model_params(model, function)->name, STR("g"));
  signature.result = result.kinds;
  signature.elements = result.elements;
  signature.length = result.length;
  for (PY_EACH_PARAM(model, param, function)) {
    bool takes_any = param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS;
    signature.least += !takes_any && !param->default_value;
    signature.most = takes_any || signature.most == UINT32_MAX ? UINT32_MAX : signature.most + 1;
    if (param->kind == PY_PARAM_ARGS)
      signature.positional = UINT32_MAX;
    else if (signature.positional != UINT32_MAX && !takes_any && param->kind != PY_PARAM_KEYWORD_ONLY)
      signature.positional++;
  }
  return signature;
}

/// Whether the name is put together of parameters: calls of the function say it, and are looked at by themselves.
static bool is_given(const PyModel *model, PyRef name)
{
  name = py_model_resolve(model, name);
  for (PY_EACH_NODE(&model->tree, node, name)) {
    const PyBinding *binding = py_model_binding_at(model, node);
    if (binding && binding->kind == PY_BIND_PARAM)
      return true;
  }
  return false;
}

/// A name that may be any string: a function in its place registers nothing.
static bool is_unknown_name(const PyModel *model, const PyRegistration *registration)
{
  return registration->kind == PY_REG_CUSTOM && !registration->name_known && registration->name_node &&
         py_model_callable(model, registration->name_node).function == PY_ABSENT &&
         !is_given(model, registration->name_node);
}

/// Of all that the file registers by names that are not known.
static void add_unknown(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  WorkspaceSymbolic symbolic = { .name = STR(UNKNOWN_REGISTRATION), .uri = builder->file->uri };
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (!is_unknown_name(model, registration))
      continue;
    if (symbolic.opsets == 0)
      symbolic.place = symbolic.registration = registration_place(builder, registration);
    symbolic.opsets |= registration->opset_known ? py_file_registration_opsets(model, registration) : OPSET_SET_ALL;
  }
  if (symbolic.opsets != 0)
    vec_push(&builder->symbolics, symbolic);
}

static void add_registration(FileBuilder *builder, const PyRegistration *registration)
{
  const PyModel *model = builder->python->model;
  Arena *arena = &builder->file->arena;
  bool is_here = registration->kind != PY_REG_UNREGISTER && registration->kind != PY_REG_ELSEWHERE;
  if (!is_here || !registration->name_known || !registration->opset_known)
    return;
  WorkspaceSymbolic symbolic = {
    .name = arena_copy(arena, workspace_lookup_name(registration->name, arena)),
    .uri = builder->file->uri,
    .opsets = py_file_registration_opsets(model, registration) &
              ~(builder->has_unregistrations ? taken_back(model, registration) : 0),
    .elsewhere = arena_copy(arena, registration->function_name),
    .is_builtin = model->is_builtin,
  };
  symbolic.registration = registration_place(builder, registration);
  symbolic.place = symbolic.registration;
  if (registration->function != PY_ABSENT) {
    const PyFunction *function = &model->functions.items[registration->function];
    symbolic.function = arena_copy(arena, function->name);
    symbolic.is_stub = is_stub(builder, function);
    symbolic.signature = signature_of(builder, registration->function);
    if (function->name_node)
      symbolic.place = node_place(builder, function->name_node);
  }
  if (symbolic.opsets != 0)
    vec_push(&builder->symbolics, symbolic);
}

static bool is_registered_here(const PyModel *model, uint32_t function)
{
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (registration->kind != PY_REG_ELSEWHERE)
      return true;
  }
  return false;
}

/// The operator that a decorator of another file is given, with the opset: `@converts("addcdiv", 12)`. What it does is
/// not known, but nothing else is done with the name of an operator and a function that makes nodes.
static bool supposed_registration(FileBuilder *builder, const PyFunction *function, WorkspaceSymbolic *symbolic)
{
  const PyModel *model = builder->python->model;
  for (PY_EACH_DECORATOR(model, expression, function->outer)) {
    const PyCall *call = py_model_call(model, expression);
    const PyArgument *first = call && call->function == PY_ABSENT ? py_model_argument(model, call, 0, NULL) : NULL;
    Str name;
    if (!first || str_ends_with(call->qualified, STR("parse_args")) ||
        !py_model_string(model, first->value, &builder->file->arena, &name) || name.len == 0)
      continue;
    const char *prefix = str_contains(name, STR("::")) ? "" : "aten::";
    int64_t opset = 1;
    for (uint32_t i = 1; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++)
      py_model_int(model, py_model_arguments(model, call)[i].value, &opset);
    symbolic->name = arena_printf(&builder->file->arena, "%s%.*s", prefix, STR_ARG(name));  // The text may go first.
    symbolic->opsets = opset_set_range(opset > 0 && opset <= OPSET_LIMIT ? (int)opset : 1, OPSET_LIMIT);
    return true;
  }
  return false;
}

/// Functions that another file may register.
static void add_helpers(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_free = function->parent == PY_ABSENT && !function->class_node && function->name.len > 0;
    if (!is_free || is_registered_here(model, (uint32_t)i))
      continue;
    WorkspaceSymbolic symbolic = {
      .uri = builder->file->uri,
      .function = arena_copy(&builder->file->arena, function->name),
      .place = node_place(builder, function->name_node),
      .is_helper = builder->functions[i],
      .signature = signature_of(builder, (uint32_t)i),
    };
    symbolic.registration = symbolic.place;
    if (symbolic.is_helper && function->has_unknown_decorator && supposed_registration(builder, function, &symbolic))
      symbolic.is_helper = false;
    vec_push(&builder->symbolics, symbolic);
  }
}

/// Those of a file that was only read for what its names stand for, as far as calls of them can be wrong.
static void add_asking_functions(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (builder->tensor_params[i] == 0)
      continue;
    WorkspaceSymbolic symbolic = {
      .uri = builder->file->uri,
      .function = arena_copy(&builder->file->arena, function->name),
      .place = node_place(builder, function->name_node),
      .signature = signature_of(builder, i),
    };
    symbolic.registration = symbolic.place;
    vec_push(&builder->symbolics, symbolic);
  }
}

static void take_symbolics(FileBuilder *builder)
{
  WorkspaceSymbolic *symbolics = ARENA_ARRAY(&builder->file->arena, WorkspaceSymbolic, builder->symbolics.count);
  if (builder->symbolics.count > 0)
    memcpy(symbolics, builder->symbolics.items, builder->symbolics.count * sizeof(*symbolics));
  builder->file->symbolics = symbolics;
  builder->file->symbolic_count = (uint32_t)builder->symbolics.count;
  vec_free(&builder->symbolics);
}

static WorkspacePlace function_place(const FileBuilder *builder, const PyFunction *function)
{
  if (function->name_node)
    return node_place(builder, function->name_node);
  uint32_t start = builder->python->model->tree.nodes[function->node].start;
  return workspace_place(builder->document, (Range){ start, start + STR("lambda").len });
}

static const WorkspaceCaller *caller_of(FileBuilder *builder, uint32_t function)
{
  const PyModel *model = builder->python->model;
  Arena *arena = &builder->file->arena;
  if (!builder->callers[function]) {
    const PyFunction *at = &model->functions.items[function];
    const PyRegistration *first = py_model_registration(model, at->first_registration);
    WorkspaceCaller *caller = ARENA_NEW(arena, WorkspaceCaller);
    *caller = (WorkspaceCaller){
      .title = arena_copy(arena, py_file_function_title(model, function, arena)),
      .is_method = at->class_node != 0,
      .place = function_place(builder, at),
      .registration = first ? registration_place(builder, first) : function_place(builder, at),
    };
    builder->callers[function] = caller;
  }
  return builder->callers[function];
}

/// Calls of functions of other modules. Whether a file of the workspace has them is asked when it matters.
static void add_calls(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  builder->callers = xcalloc(model->functions.count + 1, sizeof(*builder->callers));
  for (size_t i = 0; i < model->calls.count && builder->calls.count < SUMMARY_CALL_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    uint32_t caller = py_file_function_around(model, builder->functions, call->scope);
    bool is_foreign = call->function == PY_ABSENT && str_rfind_char(call->qualified, '.') != STR_NOT_FOUND;
    if (caller == PY_ABSENT || !is_foreign)
      continue;
    WorkspaceCall found = {
      .callee = arena_copy(&builder->file->arena, call->qualified),
      .uri = builder->file->uri,
      .caller = caller_of(builder, caller),
      .place = node_place(builder, py_tree_last_name(&model->tree, call->function_node)),
    };
    vec_push(&builder->calls, found);
  }
  free(builder->callers);
  WorkspaceCall *calls = ARENA_ARRAY(&builder->file->arena, WorkspaceCall, builder->calls.count);
  if (builder->calls.count > 0)
    memcpy(calls, builder->calls.items, builder->calls.count * sizeof(*calls));
  builder->file->calls = calls;
  builder->file->call_count = (uint32_t)builder->calls.count;
}

static void add_exports(FileBuilder *builder)
{
  const PyModel *model = builder->python->model;
  WorkspaceExport *exports = ARENA_ARRAY(&builder->file->arena, WorkspaceExport, model->exports.count);
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    ExportKind kind = py_file_exporter(builder->python, call).kind;
    exports[i] = (WorkspaceExport){
      .exporter = kind == EXPORT_DYNAMO ? EXPORTER_DYNAMO : EXPORTER_TORCHSCRIPT,
      .exporter_is_known = kind != EXPORT_EITHER,
      .opset = py_file_opset_named(builder->python, call),
      .keeps_operators = builder->python->keeps_operators,
    };
  }
  builder->file->exports = exports;
  builder->file->export_count = (uint32_t)model->exports.count;
}

static void add_operators(FileBuilder *builder)
{
  const PyLibrary *library = &builder->python->library;
  DefinedOperator *defined = xcalloc(library->count + 1, sizeof(*defined));
  size_t count = 0;
  for (size_t i = 0; i < library->count; i++) {
    if (str_contains(library->items[i].defined.name, STR("::")))
      defined[count++] = library->items[i].defined;
  }
  workspace_file_take_operators(builder->file, builder->document, defined, count);
  free(defined);
}

void python_summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  FileBuilder job = { .file = file, .document = snapshot_document(snapshot), .python = py_file_of_snapshot(snapshot) };
  FileBuilder *builder = &job;
  const PyModel *model = builder->python->model;
  Arena scratch = { 0 };
  builder->functions = py_file_graph_functions(model, &scratch);
  builder->tensor_params = python_tensor_params(model, &scratch);
  for (size_t i = 0; i < model->registrations.count; i++)
    builder->has_unregistrations |= model->registrations.items[i].kind == PY_REG_UNREGISTER;
  for (size_t i = 0; i < model->registrations.count; i++)
    add_registration(builder, &model->registrations.items[i]);
  add_unknown(builder);
  add_helpers(builder);
  take_symbolics(builder);
  add_calls(builder);
  add_exports(builder);
  add_operators(builder);
  python_add_translations(builder->python, builder->file);
  vec_free(&builder->calls);
  arena_done(&scratch);
}

void python_summarize_unread(const Snapshot *snapshot, WorkspaceFile *file)
{
  Arena scratch = { 0 };
  FileBuilder builder = { .file = file,
                          .document = snapshot_document(snapshot),
                          .python = py_file_of_snapshot(snapshot) };
  builder.tensor_params = python_tensor_params(builder.python->model, &scratch);
  add_asking_functions(&builder);
  take_symbolics(&builder);
  arena_done(&scratch);
}
