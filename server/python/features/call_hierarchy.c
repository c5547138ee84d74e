// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls in Python: which symbolic function
// calls which, in this file and across files, and which operators of ONNX they make. An operator calls nothing, and who
// makes it is told of this file only.

#include "base/limits.h"
#include "base/vec.h"
#include "core/symbolic_places.h"
#include "python/features/python_features.h"
#include "python/features/python_help.h"

/// LSP SymbolKind.
enum { KIND_METHOD = 6, KIND_FUNCTION = 12, KIND_OPERATOR = 25 };

/// One end of a call: a function of another file, else one of this file, or (if that is PY_ABSENT) an operator.
typedef struct End {
  const WorkspaceSymbolic *foreign;  ///< It is called here.
  const WorkspaceCaller *caller;     ///< It calls what is here.
  Str uri;                           ///< Of the caller.
  uint32_t function;
  uint32_t op;  ///< The first place where the operator is made.
} End;

typedef struct EdgeBuilder {
  End end;
  Vec(Range) places;
  Vec(const WorkspacePlace *) file_places;
} EdgeBuilder;

typedef struct Hierarchy {
  const FeatureContext *context;
  const PyFile *file;
  const PyModel *model;
  const bool *functions;  ///< Of the graph, see py_file_graph_functions().
  Vec(EdgeBuilder) edges;
} Hierarchy;

static bool begin(Hierarchy *hierarchy, const FeatureContext *context)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  *hierarchy = (Hierarchy){ .context = context, .file = file };
  if (!file)
    return false;
  hierarchy->model = file->model;
  hierarchy->functions = py_file_graph_functions(file->model, context->arena);
  return true;
}

// --- Ends ---

static bool is_named_op(const PyModel *model, uint32_t op)
{
  return model->ops.items[op].name_known && model->ops.items[op].name_node && model->ops.items[op].kind != PY_OP_ATEN;
}

static bool same_op(const PyModel *model, uint32_t a, uint32_t b)
{
  return str_equal(model->ops.items[a].full_name, model->ops.items[b].full_name) &&
         str_equal(model->ops.items[a].domain, model->ops.items[b].domain);
}

static uint32_t first_of(const PyModel *model, uint32_t op)
{
  for (uint32_t i = 0; i < op; i++) {
    if (is_named_op(model, i) && same_op(model, i, op))
      return i;
  }
  return op;
}

static End function_end(uint32_t function)
{
  return (End){ .function = function, .op = PY_ABSENT };
}

static End op_end(uint32_t op)
{
  return (End){ .function = PY_ABSENT, .op = op };
}

static bool is_registered_by_some(const WorkspaceSymbolic *symbolic, void *context)
{
  *(bool *)context = true;
  return false;
}

/// The symbolic function of another file that is called; NULL if it is none.
static const WorkspaceSymbolic *foreign_function(const Hierarchy *hierarchy, const PyCall *call)
{
  const Workspace *workspace = symbolic_places_workspace(hierarchy->context);
  if (call->function != PY_ABSENT || call->qualified.len == 0)
    return NULL;
  const WorkspaceSymbolic *found =
      workspace_find_function(workspace, snapshot_uri(hierarchy->context->snapshot), call->qualified);
  bool is_symbolic = found && (found->is_helper || found->name.len > 0);
  if (found && !is_symbolic)
    workspace_each_foreign(workspace, found->uri, found->function, is_registered_by_some, &is_symbolic);
  return is_symbolic ? found : NULL;
}

/// What `call` calls: a symbolic function of this file, or of another one.
static bool callee_of(const Hierarchy *hierarchy, const PyCall *call, End *ret_end)
{
  const WorkspaceSymbolic *foreign = foreign_function(hierarchy, call);
  bool is_here = call->function != PY_ABSENT && hierarchy->functions[call->function];
  *ret_end = function_end(call->function);
  ret_end->foreign = foreign;
  return is_here || foreign;
}

/// The call whose function is named by `node`; PY_ABSENT for none.
static uint32_t call_named_by(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyRef outer = tree->nodes[node].field == PY_F_ATTRIBUTE ? tree->nodes[node].parent : node;
  if (node == 0 || tree->nodes[outer].field != PY_F_FUNCTION)
    return PY_ABSENT;
  return py_model_call_at(model, tree->nodes[outer].parent);
}

/// The function that is defined, or the operator that is made, at the cursor; a call of a symbolic function counts,
/// too.
static bool find_end(const Hierarchy *hierarchy, size_t offset, End *ret_end)
{
  const PyModel *model = hierarchy->model;
  const PyTree *tree = &model->tree;
  PyRef node = py_node_at(tree, offset);
  for (uint32_t i = 0; i < model->ops.count; i++) {
    if (node != 0 && model->ops.items[i].name_node == node && is_named_op(model, i)) {
      *ret_end = op_end(first_of(model, i));
      return true;
    }
  }
  uint32_t call = call_named_by(model, node);
  if (call != PY_ABSENT)
    return callee_of(hierarchy, &model->calls.items[call], ret_end);
  PyRef parent = tree->nodes[node].parent;
  uint32_t function = PY_ABSENT;
  if (py_kind(tree, node) == PYK_LAMBDA)
    function = py_model_function_at(model, node);
  else if (tree->nodes[node].field == PY_F_NAME && py_kind(tree, parent) == PYK_FUNCTION_DEFINITION)
    function = py_model_function_at(model, parent);
  *ret_end = function_end(function);
  return function != PY_ABSENT && hierarchy->functions[function];
}

// --- Items ---

typedef struct Registered {
  Str uri;
  const WorkspacePlace *place;         ///< Of the function...
  const WorkspacePlace *registration;  ///< ...or of its registration; may be NULL.
  Str name;
  OpsetSet opsets;
} Registered;

static bool is_same_place(const WorkspacePlace *a, const WorkspacePlace *b)
{
  return a->line == b->line && a->start[POS_UTF8] == b->start[POS_UTF8];
}

static bool visit_registered(const WorkspaceSymbolic *symbolic, void *context)
{
  Registered *search = context;
  bool is_found = is_same_place(&symbolic->place, search->place) ||
                  (search->registration && is_same_place(&symbolic->registration, search->registration));
  if (is_found && str_equal(symbolic->uri, search->uri) &&
      (search->name.len == 0 || str_equal(search->name, symbolic->name))) {
    search->name = symbolic->name;
    search->opsets |= symbolic->opsets;
  }
  return true;
}

/// "aten::elu, opset 9" of a function of another file, or the name of that file.
static Str foreign_detail(const Hierarchy *hierarchy, Registered search)
{
  workspace_each(symbolic_places_workspace(hierarchy->context), visit_registered, &search);
  if (search.name.len == 0)
    return str_slice(search.uri, str_rfind_char(search.uri, '/') + 1, search.uri.len);
  Arena *arena = hierarchy->context->arena;
  return arena_printf(arena, "%.*s, %.*s", STR_ARG(search.name), STR_ARG(opset_set_phrase(search.opsets, arena)));
}

static CallItem foreign_item(const Hierarchy *hierarchy, End end)
{
  const WorkspacePlace *place = end.caller ? &end.caller->place : &end.foreign->place;
  const WorkspacePlace *registration = end.caller ? &end.caller->registration : NULL;
  Str uri = end.caller ? end.uri : end.foreign->uri;
  return (CallItem){
    .name = end.caller ? end.caller->title : end.foreign->function,
    .detail = foreign_detail(hierarchy, (Registered){ .uri = uri, .place = place, .registration = registration }),
    .kind = end.caller && end.caller->is_method ? KIND_METHOD : KIND_FUNCTION,
    .uri = uri,
    .place = place,
  };
}

static CallItem item_of(const Hierarchy *hierarchy, End end)
{
  const PyModel *model = hierarchy->model;
  Arena *arena = hierarchy->context->arena;
  if (end.foreign || end.caller)
    return foreign_item(hierarchy, end);
  if (end.function != PY_ABSENT)
    return (CallItem){
      .name = py_file_function_title(model, end.function, arena),
      .detail = python_function_detail(hierarchy->file, end.function, arena),
      .kind = model->functions.items[end.function].class_node ? KIND_METHOD : KIND_FUNCTION,
      .range = python_function_range(hierarchy->file, end.function),
      .selection = python_function_selection(hierarchy->file, end.function),
    };
  const PyOp *op = &model->ops.items[end.op];
  return (CallItem){
    .name = op->full_name,
    .detail = STR("operator"),
    .kind = KIND_OPERATOR,
    .range = py_node_range(&model->tree, model->calls.items[op->call].node),
    .selection = py_node_range(&model->tree, op->name_node),
  };
}

CallItemList python_call_items(const FeatureContext *context, size_t offset)
{
  Hierarchy hierarchy;
  End end;
  if (!begin(&hierarchy, context) || !find_end(&hierarchy, offset, &end))
    return (CallItemList){ 0 };
  CallItem *item = ARENA_NEW(context->arena, CallItem);
  *item = item_of(&hierarchy, end);
  return (CallItemList){ item, 1 };
}

// --- Edges ---

static EdgeBuilder *edge_to(Hierarchy *hierarchy, End end)
{
  for (size_t i = 0; i < hierarchy->edges.count; i++) {
    End other = hierarchy->edges.items[i].end;
    if (other.foreign == end.foreign && other.caller == end.caller && other.function == end.function &&
        other.op == end.op)
      return &hierarchy->edges.items[i];
  }
  if (hierarchy->edges.count == CALL_EDGE_LIMIT)
    return NULL;
  vec_push(&hierarchy->edges, (EdgeBuilder){ .end = end });
  return vec_last(&hierarchy->edges);
}

static void add_edge(Hierarchy *hierarchy, End end, PyRef place)
{
  EdgeBuilder *edge = edge_to(hierarchy, end);
  if (edge)
    vec_push(&edge->places, py_node_range(&hierarchy->model->tree, place));
}

static CallEdge edge_of(const Hierarchy *hierarchy, EdgeBuilder *builder)
{
  Arena *arena = hierarchy->context->arena;
  Range *places = vec_copy(&builder->places, arena);
  const WorkspacePlace **file_places = vec_copy(&builder->file_places, arena);
  return (CallEdge){
    .item = item_of(hierarchy, builder->end),
    .places = places,
    .place_count = builder->places.count,
    .file_places = file_places,
    .file_place_count = builder->file_places.count,
  };
}

static CallEdgeList finish(Hierarchy *hierarchy)
{
  CallEdge *items = ARENA_ARRAY(hierarchy->context->arena, CallEdge, hierarchy->edges.count);
  for (size_t i = 0; i < hierarchy->edges.count; i++) {
    EdgeBuilder *builder = &hierarchy->edges.items[i];
    items[i] = edge_of(hierarchy, builder);
    vec_free(&builder->places);
    vec_free(&builder->file_places);
  }
  CallEdgeList list = { items, hierarchy->edges.count };
  vec_free(&hierarchy->edges);
  return list;
}

// --- Incoming ---

static void add_op_callers(Hierarchy *hierarchy, uint32_t op)
{
  const PyModel *model = hierarchy->model;
  for (uint32_t i = 0; i < model->ops.count && !feature_is_cancelled(hierarchy->context); i++) {
    uint32_t caller = py_file_function_around(model, hierarchy->functions, model->ops.items[i].scope);
    if (caller != PY_ABSENT && is_named_op(model, i) && same_op(model, i, op))
      add_edge(hierarchy, function_end(caller), model->ops.items[i].name_node);
  }
}

static void add_callers(Hierarchy *hierarchy, uint32_t function)
{
  const PyModel *model = hierarchy->model;
  for (uint32_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    uint32_t caller = py_file_function_around(model, hierarchy->functions, call->scope);
    if (call->function == function && caller != PY_ABSENT)
      add_edge(hierarchy, function_end(caller), py_tree_last_name(&model->tree, call->function_node));
  }
}

static bool visit_call(const WorkspaceCall *call, void *context)
{
  Hierarchy *hierarchy = context;
  End end = { .caller = call->caller, .uri = call->uri, .function = PY_ABSENT, .op = PY_ABSENT };
  EdgeBuilder *edge = edge_to(hierarchy, end);
  if (edge)
    vec_push(&edge->file_places, &call->place);
  return edge && !feature_is_cancelled(hierarchy->context);
}

/// Only functions of a module itself can be called from another file by a name that is followed.
static void add_foreign_callers(Hierarchy *hierarchy, uint32_t function)
{
  const PyFunction *at = &hierarchy->model->functions.items[function];
  if (at->parent == PY_ABSENT && !at->class_node && at->name.len > 0)
    workspace_each_call(symbolic_places_workspace(hierarchy->context), snapshot_uri(hierarchy->context->snapshot),
                        at->name, visit_call, hierarchy);
}

CallEdgeList python_incoming_calls(const FeatureContext *context, size_t offset)
{
  Hierarchy hierarchy;
  End end;
  if (!begin(&hierarchy, context) || !find_end(&hierarchy, offset, &end) || end.foreign)
    return (CallEdgeList){ 0 };
  if (end.function == PY_ABSENT) {
    add_op_callers(&hierarchy, end.op);
  } else {
    add_callers(&hierarchy, end.function);
    add_foreign_callers(&hierarchy, end.function);
  }
  return finish(&hierarchy);
}

// --- Outgoing ---

CallEdgeList python_outgoing_calls(const FeatureContext *context, size_t offset)
{
  Hierarchy hierarchy;
  End end;
  if (!begin(&hierarchy, context) || !find_end(&hierarchy, offset, &end) || end.foreign || end.function == PY_ABSENT)
    return (CallEdgeList){ 0 };
  const PyModel *model = hierarchy.model;
  for (uint32_t i = 0; i < model->calls.count && !feature_is_cancelled(context); i++) {
    const PyCall *call = &model->calls.items[i];
    if (py_file_function_around(model, hierarchy.functions, call->scope) != end.function)
      continue;
    End callee;
    if (call->op != PY_ABSENT && is_named_op(model, call->op))
      add_edge(&hierarchy, op_end(first_of(model, call->op)), model->ops.items[call->op].name_node);
    else if (callee_of(&hierarchy, call, &callee))
      add_edge(&hierarchy, callee, py_tree_last_name(&model->tree, call->function_node));
  }
  return finish(&hierarchy);
}
