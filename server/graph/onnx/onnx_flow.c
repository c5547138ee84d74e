// The walk: types come in with inputs, initializers and what is written of values, and go on from node to node.

#include "graph/onnx/onnx_flow.h"

#include "base/limits.h"

void onnx_flow_begin(OnnxFlow *flow, OnnxCheck *check, Arena *arena)
{
  *flow = (OnnxFlow){ .check = check, .arena = arena };
  flow->known = xcalloc(check->symbols.texts.count + 1, sizeof(*flow->known));
}

void onnx_flow_done(OnnxFlow *flow)
{
  free(flow->known);
  vec_free(&flow->undo);
  vec_free(&flow->open);
}

void onnx_flow_set(OnnxFlow *flow, uint32_t symbol, OnnxKnown known)
{
  vec_push(&flow->undo, (OnnxUndo){ symbol, flow->known[symbol] });
  flow->known[symbol] = known;
}

static void report(OnnxFlow *flow, OnnxSpan at, RuleId rule, const char *format, ...) PRINTF_LIKE(4, 5);

static void report(OnnxFlow *flow, OnnxSpan at, RuleId rule, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Str message = arena_vprintf(flow->check->arena, format, args);
  va_end(args);
  onnx_report(flow->check, at, rule, flow->unsure > 0 ? SEVERITY_WARNING : SEVERITY_ERROR, "%.*s", STR_ARG(message));
}

// --- Types that meet ---

/// What is written of a value, against what follows.
typedef struct Meeting {
  OnnxFlow *flow;
  const OnnxName *name;
  OnnxSpan at;
} Meeting;

static bool dims_fit(const Meeting *meeting, const OnnxType *found, const OnnxType *written)
{
  if (found->rank != written->rank) {
    report(meeting->flow, meeting->at, RULE_SHAPE_MISMATCH,
           "`%.*s` is of rank %u here, and of rank %u by what makes it.", STR_ARG(meeting->name->text), written->rank,
           found->rank);
    return false;
  }
  for (uint32_t i = 0; i < found->rank; i++) {
    OnnxDim a = found->dims[i];
    OnnxDim b = written->dims[i];
    if (!onnx_is_size(a) || !onnx_is_size(b) || a.value == b.value)
      continue;
    report(meeting->flow, meeting->at, RULE_SHAPE_MISMATCH,
           "Dimension %u of `%.*s` is %lld here, and %lld by what makes it.", i, STR_ARG(meeting->name->text),
           (long long)b.value, (long long)a.value);
    return false;
  }
  return true;
}

static bool types_fit(const Meeting *meeting, const OnnxType *found, const OnnxType *written)
{
  for (; found && written; found = found->inner, written = written->inner) {
    if (found->kind == ONNX_TYPE_NONE || written->kind == ONNX_TYPE_NONE)
      return true;
    bool is_same = found->kind == written->kind &&
                   (found->element == written->element || found->element == 0 || written->element == 0);
    if (!is_same) {
      report(meeting->flow, meeting->at, RULE_TYPE_MISMATCH, "`%.*s` is %.*s here, and %.*s by what makes it.",
             STR_ARG(meeting->name->text), STR_ARG(onnx_type_word(written, meeting->flow->check->arena)),
             STR_ARG(onnx_type_word(found, meeting->flow->check->arena)));
      return false;
    }
    if (found->has_shape && written->has_shape && !dims_fit(meeting, found, written))
      return false;
  }
  return true;
}

static const OnnxType *merge_tensor(Arena *arena, const OnnxType *found, const OnnxType *written)
{
  OnnxType *type = ARENA_NEW(arena, OnnxType);
  *type = *written;
  type->element = written->element ? written->element : found->element;
  if (!written->has_shape) {
    type->has_shape = found->has_shape;
    type->rank = found->rank;
    type->dims = found->dims;
  } else if (found->has_shape) {
    OnnxDim *dims = ARENA_ARRAY(arena, OnnxDim, type->rank);
    for (uint32_t i = 0; i < type->rank; i++)
      dims[i] = onnx_is_size(written->dims[i])                                            ? written->dims[i]
                : onnx_is_size(found->dims[i]) || written->dims[i].kind != ONNX_DIM_PARAM ? found->dims[i]
                                                                                          : written->dims[i];
    type->dims = dims;
  }
  return type;
}

/// Both are known to fit. What is written counts where it says as much.
static const OnnxType *merge(Arena *arena, const OnnxType *found, const OnnxType *written)
{
  if (!found || found->kind == ONNX_TYPE_NONE || !written)
    return written ? written : found;
  bool is_tensor = found->kind == ONNX_TYPE_TENSOR || found->kind == ONNX_TYPE_SPARSE;
  return is_tensor ? merge_tensor(arena, found, written) : found;
}

// --- Graphs ---

static const OnnxNumbers *read_numbers(OnnxFlow *flow, const OnnxType *type, const OnnxData *data)
{
  int64_t items[ONNX_VALUES_LIMIT];
  size_t count;
  bool is_whole = type->element == ELEM_INT64 || type->element == ELEM_INT32;
  if (!is_whole || !onnx_data_numbers(flow->check->model, data, items, ONNX_VALUES_LIMIT, &count))
    return NULL;
  OnnxNumbers *numbers = ARENA_NEW(flow->arena, OnnxNumbers);
  int64_t *copy = ARENA_ARRAY(flow->arena, int64_t, count);
  memcpy(copy, items, count * sizeof(*copy));
  *numbers = (OnnxNumbers){ .items = copy, .count = (uint32_t)count, .rank = type->rank };
  return numbers;
}

static void enter_value(OnnxFlow *flow, const OnnxValue *value)
{
  if (value->type && value->name.symbol != ONNX_NO_SYMBOL)
    onnx_flow_set(flow, value->name.symbol, (OnnxKnown){ .type = value->type });
}

/// An input that is an initializer, too, has to be of its type.
static void enter_initializer(OnnxFlow *flow, const OnnxValue *value)
{
  if (!value->data || !value->type || value->name.symbol == ONNX_NO_SYMBOL)
    return;
  const OnnxType *written = flow->known[value->name.symbol].type;
  Meeting meeting = { flow, &value->name, value->name.at };
  bool is_known = written && written != value->type;
  if (is_known && !types_fit(&meeting, value->type, written))
    return;
  OnnxKnown known = { .type = is_known ? written : value->type };
  known.numbers = read_numbers(flow, value->type, value->data);
  onnx_flow_set(flow, value->name.symbol, known);
}

void onnx_flow_enter(OnnxFlow *flow, const OnnxGraph *graph)
{
  vec_push(&flow->open, (OnnxOpen){ .mark = flow->undo.count });
  for (const OnnxValue *value = graph->infos; value; value = value->next) {
    if (!value->data)
      enter_value(flow, value);
  }
  for (const OnnxValue *value = graph->inputs; value; value = value->next)
    enter_value(flow, value);
  for (const OnnxValue *value = graph->outputs; value; value = value->next)
    enter_value(flow, value);
  for (const OnnxValue *value = graph->inputs; value; value = value->next)
    enter_initializer(flow, value);
  for (const OnnxValue *value = graph->infos; value; value = value->next)
    enter_initializer(flow, value);
  if (graph->owner && graph->owner->domain.len == 0 && str_equal(graph->owner->op, STR("Loop")))
    onnx_flow_loop_inputs(flow, graph);
}

/// The types of a sub-graph's outputs stay with it for the node that it belongs to.
static void keep_outputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  for (OnnxValue *value = graph->outputs; value; value = value->next) {
    if (value->name.symbol != ONNX_NO_SYMBOL)
      value->found = flow->known[value->name.symbol].type;
  }
}

void onnx_flow_leave(OnnxFlow *flow, const OnnxGraph *graph)
{
  keep_outputs(flow, graph);
  OnnxOpen open = flow->open.items[--flow->open.count];
  flow->unsure -= open.is_unsure;
  while (flow->undo.count > open.mark) {
    OnnxUndo undo = flow->undo.items[--flow->undo.count];
    flow->known[undo.symbol] = undo.before;
  }
}

// --- Nodes ---

static const OnnxNumbers *constant_numbers(OnnxFlow *flow, const OnnxNode *node)
{
  const OnnxAttr *attr = node->attrs;
  if (!str_equal(node->op, STR("Constant")) || node->domain.len > 0 || !attr || attr->next || attr->is_reference)
    return NULL;
  if (attr->type == ONNX_TENSOR && attr->data && attr->value_type)
    return read_numbers(flow, attr->value_type, attr->data);
  bool is_list = attr->type == ONNX_INTS && attr->count <= ONNX_VALUES_LIMIT;
  if (!is_list && attr->type != ONNX_INT)
    return NULL;
  OnnxNumbers *numbers = ARENA_NEW(flow->arena, OnnxNumbers);
  *numbers = (OnnxNumbers){ .items = is_list ? attr->numbers : &attr->number,
                            .count = is_list ? (uint32_t)attr->count : 1,
                            .rank = is_list };
  return numbers;
}

static void take_output(OnnxFlow *flow, const OnnxName *name, const OnnxType *found, const OnnxNumbers *numbers)
{
  if (name->symbol == ONNX_NO_SYMBOL)
    return;
  const OnnxType *written = flow->known[name->symbol].type;
  Meeting meeting = { flow, name, name->at };
  if (found && written && !types_fit(&meeting, found, written))
    return;
  onnx_flow_set(flow, name->symbol, (OnnxKnown){ merge(flow->arena, found, written), numbers, flow->unsure > 0 });
}

void onnx_flow_node(OnnxFlow *flow, const OnnxNode *node)
{
  const OnnxSchema *schema = onnx_schema_of(flow->check, node, NULL);
  if (!schema || schema->deprecated) {
    OnnxOpen *open = vec_last(&flow->open);
    bool is_new = !open->is_unsure && !onnx_called_function(flow->check, node);
    open->is_unsure |= is_new;
    flow->unsure += is_new;
    return;
  }
  OnnxInfer infer = { .flow = flow, .arena = flow->arena, .node = node, .schema = schema };
  infer.out = ARENA_ARRAY(flow->arena, const OnnxType *, node->outputs.count);
  OnnxInferFunction *function = node->domain.len == 0 ? onnx_infer_find(node->op, schema->since) : NULL;
  onnx_flow_schema_types(&infer);
  if (function)
    function(&infer);
  onnx_flow_check_types(&infer);
  const OnnxNumbers *numbers = constant_numbers(flow, node);
  if (!numbers && flow->follows_values)
    numbers = onnx_flow_numbers(&infer);
  for (uint32_t i = 0; i < node->outputs.count; i++)
    take_output(flow, &node->outputs.items[i], infer.has_failed ? NULL : infer.out[i], i == 0 ? numbers : NULL);
  onnx_check_kernels(&infer);
}
