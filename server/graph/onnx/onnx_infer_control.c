// Operators with graphs in their attributes.

#include "graph/onnx/onnx_flow.h"

static uint32_t count_values(const OnnxValue *value)
{
  uint32_t count = 0;
  for (; value; value = value->next)
    count++;
  return count;
}

/// NULL if the attribute is not given, and after a report if it is no graph.
static const OnnxGraph *graph_of(OnnxInfer *infer, const char *name)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  if (attr && !attr->graph)
    onnx_infer_fail(infer, attr->value_at, "`%s` is no graph.", name);
  return attr ? attr->graph : NULL;
}

bool onnx_infer_body(OnnxInfer *infer, const OnnxGraph *body)
{
  if (!onnx_has_defaults(infer->flow->check->model))
    return true;
  for (const OnnxValue *input = body->inputs; input; input = input->next) {
    const OnnxValue *info = body->infos;
    while (info && !(info->data && info->name.symbol == input->name.symbol))
      info = info->next;
    bool is_initializer = input->name.symbol != ONNX_NO_SYMBOL && (input->data || info);
    if (is_initializer)
      return onnx_infer_fail(infer, input->name.at,
                             "The input `%.*s` of the body of `%.*s` is an initializer, too; it can't be both.",
                             STR_ARG(input->name.text), STR_ARG(infer->node->op));
  }
  return true;
}

static OnnxSpan at_graph(const OnnxGraph *graph)
{
  return graph->name.at;
}

// --- If ---

/// What is the same in both branches.
const OnnxType *onnx_type_common(Arena *arena, const OnnxType *a, const OnnxType *b)
{
  if (!a || !b || a->kind != ONNX_TYPE_TENSOR || b->kind != ONNX_TYPE_TENSOR || a->element != b->element)
    return NULL;
  if (!a->has_shape || !b->has_shape || a->rank != b->rank)
    return onnx_make(arena, a->element, NULL, ONNX_NO_RANK);
  OnnxDim *dims = ARENA_ARRAY(arena, OnnxDim, a->rank + 1);
  for (uint32_t i = 0; i < a->rank; i++)
    dims[i] = onnx_same_dim(a->dims[i], b->dims[i]) ? a->dims[i] : (OnnxDim){ 0 };
  return onnx_make(arena, a->element, dims, a->rank);
}

static bool check_branch(OnnxInfer *infer, const OnnxGraph *graph)
{
  uint32_t inputs = count_values(graph->inputs);
  if (inputs > 0)
    return onnx_infer_fail(infer, graph->inputs->name.at,
                           "A branch of `If` takes no inputs; it sees the values around it.");
  return true;
}

static bool check_pair(OnnxInfer *infer, const OnnxValue *then, const OnnxValue *other)
{
  const OnnxValue *untyped = then->lacks_type ? then : other;
  const OnnxValue *typed = untyped == then ? other : then;
  if (untyped->lacks_type && typed->found && typed->found->kind != ONNX_TYPE_NONE)
    return onnx_infer_fail(infer, untyped->name.at,
                           "The other branch gives %.*s here, and nothing gives this a type: write one.",
                           STR_ARG(onnx_type_word(typed->found, infer->flow->check->arena)));
  if (!then->found || !other->found || then->found->kind == ONNX_TYPE_NONE || other->found->kind == ONNX_TYPE_NONE)
    return true;
  bool is_same = then->found->kind == other->found->kind &&
                 (then->found->kind != ONNX_TYPE_TENSOR || then->found->element == other->found->element ||
                  then->found->element == 0 || other->found->element == 0);
  if (is_same)
    return true;
  return onnx_infer_fail(infer, other->name.at, "The other branch gives %.*s here, and this one %.*s.",
                         STR_ARG(onnx_type_word(then->found, infer->flow->check->arena)),
                         STR_ARG(onnx_type_word(other->found, infer->flow->check->arena)));
}

static bool differ(OnnxDim a, OnnxDim b)
{
  return onnx_is_size(a) && onnx_is_size(b) && a.value != b.value;
}

/// Before version 11 sizes are those of both branches, and can't differ; NULL after a report.
static const OnnxType *merge_branches(OnnxInfer *infer, const OnnxValue *then, const OnnxValue *other)
{
  const OnnxType *a = then->found;
  const OnnxType *b = other->found;
  if (!a->has_shape || !b->has_shape || a->element != b->element)
    return a->has_shape ? a : b;
  OnnxDim *dims = onnx_dims_of(infer, a);
  bool fits = a->rank == b->rank;
  for (uint32_t i = 0; fits && i < a->rank; i++) {
    fits = !differ(a->dims[i], b->dims[i]);
    dims[i] = onnx_is_size(b->dims[i]) ? b->dims[i] : a->dims[i];
  }
  if (fits)
    return onnx_make(infer->arena, a->element, dims, a->rank);
  onnx_infer_fail(infer, other->name.at, "The other branch gives other sizes here, which `If` takes since version 11.");
  return NULL;
}

/// What one output is, of which both branches give a tensor.
static const OnnxType *join_branches(OnnxInfer *infer, const OnnxValue *then, const OnnxValue *other)
{
  bool are_tensors = other->found && other->found->kind == ONNX_TYPE_TENSOR;
  return are_tensors && infer->schema->since < 11 ? merge_branches(infer, then, other)
                                                  : onnx_type_common(infer->arena, then->found, other->found);
}

void onnx_infer_if(OnnxInfer *infer)
{
  const OnnxGraph *then = graph_of(infer, "then_branch");
  const OnnxGraph *other = graph_of(infer, "else_branch");
  if (!then || !other || !check_branch(infer, then) || !check_branch(infer, other))
    return;
  uint32_t outputs = infer->node->outputs.count;
  const OnnxGraph *graphs[] = { then, other };
  for (size_t k = 0; k < COUNT(graphs); k++) {
    uint32_t count = count_values(graphs[k]->outputs);
    if (count != outputs) {
      onnx_infer_fail(infer, at_graph(graphs[k]), "This branch gives %u values, and the `If` has %u outputs.", count,
                      outputs);
      return;
    }
  }
  const OnnxValue *b = other->outputs;
  uint32_t i = 0;
  for (const OnnxValue *a = then->outputs; a && b; a = a->next, b = b->next, i++) {
    if (!check_pair(infer, a, b))
      return;
    bool is_tensor = a->found && a->found->kind == ONNX_TYPE_TENSOR;
    infer->out[i] = is_tensor ? join_branches(infer, a, b) : b->found ? a->found : NULL;
  }
}

// --- Loop ---

/// What comes into the body as input `i`; NULL if that is unknown.
static const OnnxType *loop_input(const OnnxFlow *flow, const OnnxNode *node, uint32_t i)
{
  bool is_given = i < node->inputs.count && node->inputs.items[i].symbol != ONNX_NO_SYMBOL;
  const OnnxType *given = is_given ? flow->known[node->inputs.items[i].symbol].type : NULL;
  if (i == 0)
    return onnx_make(flow->arena, ELEM_INT64, NULL, 0);
  if (i == 1)
    return given || !is_given ? given : onnx_make(flow->arena, ELEM_BOOL, NULL, ONNX_NO_RANK);
  return given && given->kind == ONNX_TYPE_TENSOR ? onnx_make(flow->arena, given->element, NULL, ONNX_NO_RANK) : NULL;
}

/// Nothing comes in, and nothing is written.
static void refuse_without_type(OnnxFlow *flow, const OnnxValue *input)
{
  if (flow->check->runtime.limits && !flow->later)
    onnx_report(flow->check, input->name.at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s finds no type of `%.*s`: none is written, and the `Loop` has no condition.",
                STR_ARG(onnx_runtime_words(flow->check)), STR_ARG(input->name.text));
}

/// The inputs of a loop's body: the turn, whether to go on, and what is carried. Of whether to go on onnx takes the
/// shape, too, as it is in the first turn.
void onnx_flow_loop_inputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  uint32_t i = 0;
  for (const OnnxValue *input = graph->inputs; input; input = input->next, i++) {
    const OnnxKnown *known = input->name.symbol == ONNX_NO_SYMBOL ? NULL : &flow->known[input->name.symbol];
    if (!known)
      continue;
    bool has_element = known->type && (known->type->kind != ONNX_TYPE_TENSOR || known->type->element != 0);
    const OnnxType *type = i == 1 || !has_element ? loop_input(flow, graph->owner, i) : NULL;
    bool adds = type && (!has_element || (!known->type->has_shape && known->type->kind == type->kind &&
                                          known->type->element == type->element));
    if (adds)
      onnx_flow_set(flow, input->name.symbol, (OnnxKnown){ .type = type });
    if (i == 1 && !input->type && !type)
      refuse_without_type(flow, input);
    if (i == 1 && !known->type && !type)
      onnx_flow_set(flow, input->name.symbol, (OnnxKnown){ .is_missing = true, .missing_at = input->name.at });
  }
}

/// Whether both can be the same type; shapes may change from turn to turn.
static bool are_alike(const OnnxType *a, const OnnxType *b)
{
  for (; a && b; a = a->inner, b = b->inner) {
    if (a->kind == ONNX_TYPE_NONE || b->kind == ONNX_TYPE_NONE)
      return true;
    if (a->kind != b->kind || (a->element != b->element && a->element != 0 && b->element != 0))
      return false;
  }
  return true;
}

static bool check_body_input(OnnxInfer *infer, const OnnxValue *input, const OnnxType *given, const char *what)
{
  if (!input->type || !given || are_alike(input->type, given))
    return true;
  return onnx_infer_fail(infer, input->name.at, "%s comes in as %.*s, and is written as %.*s.", what,
                         STR_ARG(onnx_type_word(given, infer->flow->check->arena)),
                         STR_ARG(onnx_type_word(input->type, infer->flow->check->arena)));
}

static bool check_body_inputs(OnnxInfer *infer, const OnnxGraph *body)
{
  uint32_t i = 0;
  for (const OnnxValue *input = body->inputs; input; input = input->next, i++) {
    const OnnxType *given = i == 0 ? onnx_make(infer->arena, ELEM_INT64, NULL, ONNX_NO_RANK) : onnx_input(infer, i);
    if (i == 1 && input->type && given && !onnx_flow_meet(infer, &input->name, given, input->type))
      return false;
    if (!check_body_input(infer, input, given, i == 0 ? "The number of the turn" : "This"))
      return false;
  }
  return true;
}

/// Each carried value needs a type.
static bool check_carried(OnnxInfer *infer)
{
  for (uint32_t i = 2; i < infer->node->inputs.count; i++) {
    if (infer->node->inputs.items[i].text.len == 0)
      return onnx_infer_fail(infer, infer->node->op_at, "The carried value %u of the `Loop` is left out.", i - 2);
  }
  return true;
}

/// A value of each turn, put together.
static const OnnxType *scanned(Arena *arena, const OnnxType *type)
{
  if (!type || type->kind != ONNX_TYPE_TENSOR)
    return NULL;
  if (!type->has_shape)
    return onnx_make(arena, type->element, NULL, ONNX_NO_RANK);
  OnnxDim *dims = ARENA_ARRAY(arena, OnnxDim, type->rank + 1);
  if (type->rank > 0)
    memcpy(dims + 1, type->dims, type->rank * sizeof(*dims));
  return onnx_make(arena, type->element, dims, type->rank + 1);
}

/// Without any shape, as that may change from turn to turn.
static const OnnxType *bare(Arena *arena, const OnnxType *type)
{
  if (!type || type->kind == ONNX_TYPE_TENSOR)
    return type ? onnx_make(arena, type->element, NULL, ONNX_NO_RANK) : NULL;
  if (!type->inner || type->inner->kind != ONNX_TYPE_TENSOR)  // Deeper ones are rare; nothing is said of them.
    return type->inner ? NULL : type;
  OnnxType *copy = ARENA_NEW(arena, OnnxType);
  *copy = *type;
  copy->inner = onnx_make(arena, type->inner->element, NULL, ONNX_NO_RANK);
  return copy;
}

void onnx_infer_loop(OnnxInfer *infer)
{
  const OnnxGraph *body = graph_of(infer, "body");
  if (!body)
    return;
  uint32_t inputs = count_values(body->inputs);
  uint32_t given = infer->node->inputs.count;
  if (inputs != given && given >= 2) {
    onnx_infer_fail(infer, at_graph(body), "The body of the `Loop` takes %u inputs, and gets %u.", inputs, given);
    return;
  }
  if (!check_body_inputs(infer, body) || !check_carried(infer) || !onnx_infer_body(infer, body))
    return;
  uint32_t carried = given >= 2 ? given - 2 : 0;
  uint32_t outputs = count_values(body->outputs);
  if (carried > infer->node->outputs.count) {
    onnx_infer_fail(infer, infer->node->op_at, "The `Loop` carries %u values, and has %u output%s.", carried,
                    infer->node->outputs.count, infer->node->outputs.count == 1 ? "" : "s");
    return;
  }
  if (outputs != infer->node->outputs.count + 1) {
    onnx_infer_fail(infer, at_graph(body),
                    "The body gives %u values, and the `Loop` has %u outputs, which with the condition makes %u.",
                    outputs, infer->node->outputs.count, infer->node->outputs.count + 1);
    return;
  }
  uint32_t i = 0;
  for (const OnnxValue *value = body->outputs ? body->outputs->next : NULL; value; value = value->next, i++) {
    if (i >= carried && value->found && value->found->kind != ONNX_TYPE_TENSOR &&
        value->found->kind != ONNX_TYPE_NONE) {
      onnx_infer_fail(infer, value->name.at, "What a `Loop` gathers has to be tensors, and this is %.*s.",
                      STR_ARG(onnx_type_word(value->found, infer->arena)));
      return;
    }
    infer->out[i] = i >= carried ? scanned(infer->arena, value->found) : bare(infer->arena, value->found);
  }
}

// --- Scan ---

/// The axis along which input or output `i` of those that are scanned goes; false if it is unknown.
static bool scan_axis(const OnnxNode *node, const char *name, uint32_t i, uint32_t rank, uint32_t *ret_axis)
{
  const OnnxAttr *attr = onnx_node_attr(node, str_from(name));
  bool is_list = attr && attr->type == ONNX_INTS && !attr->is_reference && i < attr->count;
  int64_t axis = is_list ? attr->numbers[i] : 0;
  *ret_axis = (uint32_t)(axis < 0 ? axis + rank : axis);
  return (is_list || !attr) && axis >= -(int64_t)rank && axis < (int64_t)rank;
}

/// How many inputs of a Scan are handed from turn to turn; false if it is unknown. Where less than none are to be
/// scanned, or more than there are, onnx hands on all.
static bool count_states(const OnnxNode *node, uint32_t *ret_count)
{
  const OnnxAttr *attr = onnx_node_attr(node, STR("num_scan_inputs"));
  bool is_known = attr && attr->type == ONNX_INT && !attr->is_reference;
  bool is_scanned = is_known && attr->number > 0 && attr->number <= (int64_t)node->inputs.count;
  *ret_count = is_scanned ? node->inputs.count - (uint32_t)attr->number : node->inputs.count;
  return is_known;
}

/// What comes into the body of what is scanned: all but its axis.
static const OnnxType *without_axis(Arena *arena, const OnnxType *type, uint32_t axis)
{
  OnnxDim *dims = ARENA_ARRAY(arena, OnnxDim, type->rank);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (i != axis)
      dims[rank++] = type->dims[i];
  }
  return onnx_make(arena, type->element, dims, rank);
}

static const OnnxValue *find_typed(const OnnxValue *value, uint32_t symbol)
{
  while (value && (value->name.symbol != symbol || !value->type))
    value = value->next;
  return value;
}

/// What comes into an input of a Scan's body has to fit what is written there. Of one that is an output, too, the type
/// of the output is known.
static void take_scan_input(OnnxFlow *flow, const OnnxGraph *graph, const OnnxValue *input, const OnnxType *type)
{
  const OnnxValue *output = find_typed(graph->outputs, input->name.symbol);
  OnnxKnown before = output ? flow->known[input->name.symbol] : (OnnxKnown){ 0 };
  if (output)
    onnx_flow_set(flow, input->name.symbol, (OnnxKnown){ .type = input->type });
  onnx_flow_take_output(flow, &input->name, (OnnxKnown){ .type = type });
  if (output)
    onnx_flow_set(flow, input->name.symbol, before);
}

/// Before version 9 the first input says lengths, and everything else is a batch.
enum { SCAN_WITHOUT_BATCH = 9 };

/// All but the first dimensions; unknown if there are not as many.
static const OnnxType *without_first(Arena *arena, const OnnxType *type, uint32_t count)
{
  bool has_them = type->has_shape && type->rank >= count;
  return onnx_make(arena, type->element, has_them ? type->dims + count : NULL,
                   has_them ? type->rank - count : ONNX_NO_RANK);
}

static void batch_inputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  const OnnxNode *node = graph->owner;
  uint32_t states;
  uint32_t i = 1;
  if (!count_states(node, &states) || states == 0)
    return;
  for (const OnnxValue *input = graph->inputs; input && i < node->inputs.count; input = input->next, i++) {
    uint32_t symbol = node->inputs.items[i].symbol;
    const OnnxType *type = symbol == ONNX_NO_SYMBOL ? NULL : flow->known[symbol].type;
    if (type && type->kind == ONNX_TYPE_TENSOR)
      take_scan_input(flow, graph, input, without_first(flow->arena, type, i < states ? 1 : 2));
  }
}

void onnx_flow_scan_inputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  const OnnxNode *node = graph->owner;
  const OnnxSchema *schema = onnx_schema_of(flow->check, node, NULL);
  uint32_t states;
  uint32_t i = 0;
  if (schema && schema->since < SCAN_WITHOUT_BATCH) {
    batch_inputs(flow, graph);
    return;
  }
  if (!schema || !onnx_infer_find(node->domain, node->op, schema->since) || !count_states(node, &states))
    return;
  for (const OnnxValue *input = graph->inputs; input && i < node->inputs.count; input = input->next, i++) {
    uint32_t symbol = node->inputs.items[i].symbol;
    const OnnxType *type = symbol == ONNX_NO_SYMBOL ? NULL : flow->known[symbol].type;
    uint32_t axis;
    if (!type || type->kind != ONNX_TYPE_TENSOR)
      continue;
    if (i >= states)
      type = type->has_shape && scan_axis(node, "scan_input_axes", i - states, type->rank, &axis)
                 ? without_axis(flow->arena, type, axis)
                 : onnx_make(flow->arena, type->element, NULL, ONNX_NO_RANK);
    take_scan_input(flow, graph, input, type);
  }
}

static bool check_scan_inputs(OnnxInfer *infer)
{
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    const OnnxType *type = onnx_input(infer, i);
    bool is_absent = infer->node->inputs.items[i].text.len == 0;
    if (is_absent || (type && type->kind != ONNX_TYPE_TENSOR && type->kind != ONNX_TYPE_NONE))
      return onnx_infer_fail(infer, onnx_infer_at(infer, i), "Input %u of the `Scan` has to be a tensor.", i);
  }
  return true;
}

/// The length of what is scanned, unknown if nothing says it; false after a report.
static bool scan_length(OnnxInfer *infer, uint32_t states, OnnxDim *ret_length)
{
  *ret_length = (OnnxDim){ 0 };
  for (uint32_t i = states; i < infer->node->inputs.count; i++) {
    const OnnxType *type = onnx_shaped(infer, i);
    uint32_t axis;
    if (!type || !scan_axis(infer->node, "scan_input_axes", i - states, type->rank, &axis))
      continue;
    OnnxDim length = type->dims[axis];
    if (onnx_is_size(length) && onnx_is_size(*ret_length) && length.value != ret_length->value)
      return onnx_infer_fail(infer, onnx_infer_at(infer, i),
                             "This is of length %lld, and what is scanned before of %lld.", (long long)length.value,
                             (long long)ret_length->value);
    if (!onnx_is_size(*ret_length))
      *ret_length = length;
  }
  return true;
}

/// The outputs of all turns of the body, along a new axis.
static const OnnxType *gathered(const OnnxInfer *infer, const OnnxType *type, OnnxDim length, uint32_t i)
{
  uint32_t axis;
  if (!type || type->kind != ONNX_TYPE_TENSOR)
    return NULL;
  if (!type->has_shape || !scan_axis(infer->node, "scan_output_axes", i, type->rank + 1, &axis))
    return onnx_make(infer->arena, type->element, NULL, ONNX_NO_RANK);
  OnnxDim *dims = onnx_dims(infer, type->rank + 1);
  for (uint32_t k = 0; k <= type->rank; k++)
    dims[k] = k == axis ? length : type->dims[k < axis ? k : k - 1];
  return onnx_make(infer->arena, type->element, dims, type->rank + 1);
}

/// One axis for each, if any are given.
static bool check_axis_count(OnnxInfer *infer, const char *name, uint32_t count)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  return !attr || attr->is_reference || attr->type != ONNX_INTS || attr->count == count ||
         onnx_infer_fail(infer, attr->value_at, "`%s` has %llu numbers, for %u values.", name,
                         (unsigned long long)attr->count, count);
}

static bool check_scan_axes(OnnxInfer *infer, uint32_t states)
{
  uint32_t outputs = infer->node->outputs.count;
  if (!check_axis_count(infer, "scan_input_axes", infer->node->inputs.count - states) ||
      (outputs >= states && !check_axis_count(infer, "scan_output_axes", outputs - states)))
    return false;
  for (uint32_t i = states; i < infer->node->inputs.count; i++) {
    const OnnxType *type = onnx_shaped(infer, i);
    const OnnxAttr *attr = onnx_attr(infer, "scan_input_axes");
    uint32_t axis;
    bool is_known = type && (!attr || (attr->type == ONNX_INTS && !attr->is_reference));
    if (is_known && !scan_axis(infer->node, "scan_input_axes", i - states, type->rank, &axis))
      return onnx_infer_fail(infer, onnx_infer_at(infer, i), "The axis to scan is none of a tensor of rank %u.",
                             type->rank);
  }
  return true;
}

/// Of an output that is put together.
static bool check_scan_output(OnnxInfer *infer, const OnnxValue *value, uint32_t i)
{
  const OnnxAttr *attr = onnx_attr(infer, "scan_output_axes");
  const OnnxType *type = value->found;
  uint32_t axis;
  bool is_known = attr && attr->type == ONNX_INTS && !attr->is_reference && i < attr->count && type &&
                  type->kind == ONNX_TYPE_TENSOR && type->has_shape;
  return !is_known || scan_axis(infer->node, "scan_output_axes", i, type->rank + 1, &axis) ||
         onnx_infer_fail(infer, attr->value_at, "The axis %lld of output %u is none of a tensor of rank %u.",
                         (long long)attr->numbers[i], i, type->rank + 1);
}

static bool check_scan(OnnxInfer *infer, const OnnxGraph *body)
{
  uint32_t inputs = count_values(body->inputs);
  uint32_t outputs = count_values(body->outputs);
  if (!check_scan_inputs(infer))
    return false;
  if (inputs != infer->node->inputs.count)
    return onnx_infer_fail(infer, at_graph(body), "The body of the `Scan` takes %u inputs, and gets %u.", inputs,
                           infer->node->inputs.count);
  if (!onnx_infer_body(infer, body))
    return false;
  if (outputs != infer->node->outputs.count && outputs > 0)
    return onnx_infer_fail(infer, at_graph(body), "The body gives %u values, and the `Scan` has %u outputs.", outputs,
                           infer->node->outputs.count);
  return true;
}

/// What the turns of the body give, with the batch and the length that scanned inputs have.
static const OnnxType *gathered_batch(const OnnxInfer *infer, const OnnxType *type, const OnnxType *scanned_input)
{
  if (!type || type->kind != ONNX_TYPE_TENSOR || !type->has_shape)
    return type ? onnx_make(infer->arena, type->element, NULL, ONNX_NO_RANK) : NULL;
  OnnxDim *dims = onnx_dims(infer, type->rank + 2);
  for (uint32_t i = 0; i < 2; i++)
    dims[i] = scanned_input && scanned_input->rank > 2 ? scanned_input->dims[i] : (OnnxDim){ 0 };
  for (uint32_t i = 0; i < type->rank; i++)
    dims[i + 2] = type->dims[i];
  return onnx_make(infer->arena, type->element, dims, type->rank + 2);
}

static void infer_batch(OnnxInfer *infer, const OnnxGraph *body)
{
  uint32_t states;
  uint32_t inputs = count_values(body->inputs);
  uint32_t given = infer->node->inputs.count;
  if (given > 0 && inputs != given - 1) {
    onnx_infer_fail(infer, at_graph(body), "The body of the `Scan` takes %u inputs, and gets %u.", inputs, given - 1);
    return;
  }
  if (!count_states(infer->node, &states) || states == 0 || states >= given)
    return;
  uint32_t outputs = count_values(body->outputs);
  if (outputs != infer->node->outputs.count && outputs > 0) {
    onnx_infer_fail(infer, at_graph(body), "The body gives %u values, and the `Scan` has %u outputs.", outputs,
                    infer->node->outputs.count);
    return;
  }
  uint32_t i = 0;
  for (const OnnxValue *value = body->outputs; value; value = value->next, i++)
    infer->out[i] =
        i + 1 < states ? onnx_tensor(infer, i + 1) : gathered_batch(infer, value->found, onnx_shaped(infer, states));
}

void onnx_infer_scan(OnnxInfer *infer)
{
  const OnnxGraph *body = graph_of(infer, "body");
  uint32_t states;
  if (body && infer->schema->since < SCAN_WITHOUT_BATCH) {
    infer_batch(infer, body);
    return;
  }
  if (!body || !count_states(infer->node, &states) || !check_scan_axes(infer, states) || !check_scan(infer, body))
    return;
  OnnxDim length;
  if (!scan_length(infer, states, &length))
    return;
  uint32_t i = 0;
  for (const OnnxValue *value = body->outputs; value && !infer->has_failed; value = value->next, i++) {
    if (i >= states && !check_scan_output(infer, value, i - states))
      return;
    bool is_input = find_typed(body->inputs, value->name.symbol) != NULL;
    if (i >= states)
      infer->out[i] = gathered(infer, value->found, length, i - states);
    else
      infer->out[i] =
          is_input ? onnx_tensor(infer, i) : onnx_flow_meet(infer, &value->name, value->found, onnx_tensor(infer, i));
  }
}
