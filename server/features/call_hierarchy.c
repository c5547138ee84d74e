// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls in Python: which symbolic function
// of the file calls which, and which operators of ONNX they make. An operator calls nothing.

#include "base/vec.h"
#include "features/dump_at.h"
#include "features/python_features.h"

enum { EDGE_LIMIT = 2000 };

/// LSP SymbolKind.
enum { KIND_METHOD = 6, KIND_FUNCTION = 12, KIND_OPERATOR = 25 };

/// One end of a call: a function, or (if that is PY_ABSENT) an operator by its name.
typedef struct End {
  uint32_t function;
  uint32_t op;  ///< The first place where the operator is made.
} End;

typedef struct EdgeBuilder {
  End end;
  Vec(Range) places;
} EdgeBuilder;

typedef struct Hierarchy {
  const FeatureContext *context;
  const PyFile *file;
  const PyModel *model;
  Vec(EdgeBuilder) edges;
} Hierarchy;

static bool begin(Hierarchy *hierarchy, const FeatureContext *context)
{
  const PyFile *file = snapshot_python(context->snapshot);
  *hierarchy = (Hierarchy){ .context = context, .file = file, .model = file ? file->model : NULL };
  return file != NULL;
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

/// The function that is defined, or the operator that is made, at the cursor; a call of a symbolic function counts,
/// too.
static bool find_end(const Hierarchy *hierarchy, size_t offset, End *ret_end)
{
  const PyModel *model = hierarchy->model;
  const PyTree *tree = &model->tree;
  PyRef node = py_node_at(tree, offset);
  for (uint32_t i = 0; i < model->ops.count; i++) {
    if (node != 0 && model->ops.items[i].name_node == node && is_named_op(model, i)) {
      *ret_end = (End){ PY_ABSENT, first_of(model, i) };
      return true;
    }
  }
  PyRef parent = tree->nodes[node].parent;
  uint32_t function = PY_ABSENT;
  if (py_kind(tree, node) == PYK_LAMBDA)
    function = py_function_at(model, node);
  else if (tree->nodes[node].field == PY_F_NAME && py_kind(tree, parent) == PYK_FUNCTION_DEFINITION)
    function = py_function_at(model, parent);
  else if (tree->nodes[node].field == PY_F_FUNCTION && py_call_at(model, parent) != PY_ABSENT)
    function = model->calls.items[py_call_at(model, parent)].function;
  *ret_end = (End){ function, PY_ABSENT };
  return function != PY_ABSENT && py_is_symbolic(&model->functions.items[function]);
}

static CallItem item_of(const Hierarchy *hierarchy, End end)
{
  const PyModel *model = hierarchy->model;
  Arena *arena = hierarchy->context->arena;
  if (end.function != PY_ABSENT)
    return (CallItem){
      .name = py_function_title(hierarchy->file, end.function, arena),
      .detail = py_function_detail(hierarchy->file, end.function, arena),
      .kind = model->functions.items[end.function].class_node ? KIND_METHOD : KIND_FUNCTION,
      .range = py_function_range(hierarchy->file, end.function),
      .selection = py_function_selection(hierarchy->file, end.function),
    };
  const PyOp *op = &model->ops.items[end.op];
  return (CallItem){
    .name = op->full_name,
    .detail = STR("operator"),
    .kind = KIND_OPERATOR,
    .range = py_range(&model->tree, model->calls.items[op->call].node),
    .selection = py_range(&model->tree, op->name_node),
  };
}

CallItemList feature_call_items(const FeatureContext *context, size_t offset)
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

static void add_edge(Hierarchy *hierarchy, End end, PyRef place)
{
  size_t i = 0;
  for (; i < hierarchy->edges.count; i++) {
    End other = hierarchy->edges.items[i].end;
    if (other.function == end.function && other.op == end.op)
      break;
  }
  if (i == EDGE_LIMIT)
    return;
  if (i == hierarchy->edges.count)
    vec_push(&hierarchy->edges, (EdgeBuilder){ .end = end });
  vec_push(&hierarchy->edges.items[i].places, py_range(&hierarchy->model->tree, place));
}

/// Lambdas and functions inside a symbolic function that are none themselves are a part of it.
static uint32_t symbolic_around(const PyModel *model, uint32_t scope)
{
  while (scope != PY_ABSENT && !py_is_symbolic(&model->functions.items[scope]))
    scope = model->functions.items[scope].parent;
  return scope;
}

static CallEdgeList finish(Hierarchy *hierarchy)
{
  Arena *arena = hierarchy->context->arena;
  CallEdge *items = ARENA_ARRAY(arena, CallEdge, hierarchy->edges.count);
  for (size_t i = 0; i < hierarchy->edges.count; i++) {
    EdgeBuilder *builder = &hierarchy->edges.items[i];
    Range *places = ARENA_ARRAY(arena, Range, builder->places.count);
    memcpy(places, builder->places.items, builder->places.count * sizeof(*places));
    items[i] = (CallEdge){ item_of(hierarchy, builder->end), places, builder->places.count };
    vec_free(&builder->places);
  }
  CallEdgeList list = { items, hierarchy->edges.count };
  vec_free(&hierarchy->edges);
  return list;
}

static void add_op_callers(Hierarchy *hierarchy, uint32_t op)
{
  const PyModel *model = hierarchy->model;
  for (uint32_t i = 0; i < model->ops.count && !feature_is_cancelled(hierarchy->context); i++) {
    uint32_t caller = symbolic_around(model, model->ops.items[i].scope);
    if (caller != PY_ABSENT && is_named_op(model, i) && same_op(model, i, op))
      add_edge(hierarchy, (End){ caller, PY_ABSENT }, model->ops.items[i].name_node);
  }
}

CallEdgeList feature_incoming_calls(const FeatureContext *context, size_t offset)
{
  Hierarchy hierarchy;
  End end;
  if (!begin(&hierarchy, context) || !find_end(&hierarchy, offset, &end))
    return (CallEdgeList){ 0 };
  if (end.function == PY_ABSENT) {
    add_op_callers(&hierarchy, end.op);
    return finish(&hierarchy);
  }
  const PyModel *model = hierarchy.model;
  for (uint32_t i = 0; i < model->calls.count; i++) {
    uint32_t caller = symbolic_around(model, model->calls.items[i].scope);
    if (model->calls.items[i].function == end.function && caller != PY_ABSENT)
      add_edge(&hierarchy, (End){ caller, PY_ABSENT }, model->calls.items[i].function_node);
  }
  return finish(&hierarchy);
}

CallEdgeList feature_outgoing_calls(const FeatureContext *context, size_t offset)
{
  Hierarchy hierarchy;
  End end;
  if (!begin(&hierarchy, context) || !find_end(&hierarchy, offset, &end) || end.function == PY_ABSENT)
    return (CallEdgeList){ 0 };
  const PyModel *model = hierarchy.model;
  for (uint32_t i = 0; i < model->calls.count && !feature_is_cancelled(context); i++) {
    const PyCall *call = &model->calls.items[i];
    if (symbolic_around(model, call->scope) != end.function)
      continue;
    uint32_t op = py_op_of_call(model, i);
    if (op != PY_ABSENT && is_named_op(model, op))
      add_edge(&hierarchy, (End){ PY_ABSENT, first_of(model, op) }, model->ops.items[op].name_node);
    else if (call->function != PY_ABSENT && py_is_symbolic(&model->functions.items[call->function]))
      add_edge(&hierarchy, (End){ call->function, PY_ABSENT }, call->function_node);
  }
  return finish(&hierarchy);
}
