// Sequences, optionals and maps.

#include "graph/onnx/onnx_flow.h"

static const OnnxType *sequence_of(Arena *arena, const OnnxType *type)
{
  OnnxType *sequence = ARENA_NEW(arena, OnnxType);
  *sequence = (OnnxType){ .kind = ONNX_TYPE_SEQUENCE, .inner = type };
  return sequence;
}

static const OnnxType *unshaped(Arena *arena, const OnnxType *tensor)
{
  return onnx_make(arena, tensor->element, NULL, ONNX_NO_RANK);
}

/// Of an input that is left out, or that nothing gives a type. False after a report.
static bool has_type(OnnxInfer *infer, uint32_t i)
{
  uint32_t symbol = infer->node->inputs.items[i].symbol;
  const OnnxKnown *known = symbol == ONNX_NO_SYMBOL ? NULL : &infer->flow->known[symbol];
  if (known && (known->type || !known->is_missing))
    return true;
  return onnx_infer_fail(infer, onnx_infer_at(infer, i), "Nothing gives input %u of `%.*s` a type.", i,
                         STR_ARG(infer->node->op));
}

/// What all elements have in common.
void onnx_infer_sequence_construct(OnnxInfer *infer)
{
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    if (!has_type(infer, i))
      return;
  }
  const OnnxType *inner = onnx_tensor(infer, 0);
  for (uint32_t i = 1; inner && i < infer->node->inputs.count; i++)
    inner = onnx_type_common(infer->arena, inner, onnx_tensor(infer, i));
  if (inner && onnx_has_output(infer, 0))
    infer->out[0] = sequence_of(infer->arena, inner);
}

void onnx_infer_sequence_at(OnnxInfer *infer)
{
  const OnnxType *sequence = onnx_input(infer, 0);
  if (sequence && sequence->kind == ONNX_TYPE_SEQUENCE && onnx_has_output(infer, 0))
    infer->out[0] = sequence->inner;
}

void onnx_infer_scalar_int64(OnnxInfer *infer)
{
  onnx_out(infer, 0, ELEM_INT64, NULL, 0);
}

void onnx_infer_scalar_bool(OnnxInfer *infer)
{
  onnx_out(infer, 0, ELEM_BOOL, NULL, 0);
}

void onnx_infer_sequence_empty(OnnxInfer *infer)
{
  int64_t element;
  if (onnx_attr_element(infer, "dtype", ELEM_FLOAT, &element))
    infer->out[0] = sequence_of(infer->arena, onnx_make(infer->arena, (uint32_t)element, NULL, ONNX_NO_RANK));
}

/// SequenceInsert and SequenceErase: another length of the same, and what is put in may have another shape.
void onnx_infer_sequence_same(OnnxInfer *infer)
{
  const OnnxType *sequence = onnx_input(infer, 0);
  const OnnxType *inner = sequence && sequence->kind == ONNX_TYPE_SEQUENCE ? sequence->inner : NULL;
  const OnnxType *tensor = onnx_tensor(infer, 1);
  if (!inner || inner->kind != ONNX_TYPE_TENSOR)
    return;
  bool is_insert = str_equal(infer->node->op, STR("SequenceInsert"));
  if (is_insert && tensor && tensor->element != inner->element && tensor->element != 0 && inner->element != 0) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The sequence holds %.*s, and this is %.*s.",
                    STR_ARG(onnx_element_word(inner->element)), STR_ARG(onnx_element_word(tensor->element)));
    return;
  }
  const OnnxType *common = is_insert ? onnx_type_common(infer->arena, inner, tensor) : inner;
  infer->out[0] = sequence_of(infer->arena, common ? common : unshaped(infer->arena, inner));
}

/// The size that all parts have; unknown if they differ, or nobody knows. False after a report.
static bool part_size(OnnxInfer *infer, OnnxDim whole, OnnxDim *ret_part)
{
  const OnnxNumbers *split = onnx_constant(infer, 1);
  const OnnxType *type = onnx_shaped(infer, 1);
  int64_t sum = 0;
  *ret_part = infer->node->inputs.count == 1 ? onnx_size(1) : (OnnxDim){ 0 };
  if (!split || !type || (split->count > 0 && !onnx_is_size(whole)))
    return true;
  if (split->count == 0)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "There is no part.");
  bool are_equal = true;
  for (uint32_t i = 0; i < split->count; i++) {
    are_equal &= split->items[i] == split->items[0];
    if (__builtin_add_overflow(sum, split->items[i], &sum))
      return true;
  }
  bool is_list = type->rank > 0;
  if (is_list && sum != whole.value)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The parts have %lld elements together, and there are %lld.",
                           (long long)sum, (long long)whole.value);
  bool is_even = is_list || (split->items[0] != 0 && whole.value % split->items[0] == 0);
  if (are_equal && is_even)
    *ret_part = onnx_size(split->items[0]);
  return true;
}

void onnx_infer_split_to_sequence(OnnxInfer *infer)
{
  const OnnxType *tensor = onnx_tensor(infer, 0);
  int64_t axis;
  int64_t keeps = 1;
  uint32_t at;
  OnnxDim part;
  if (!tensor)
    return;
  infer->out[0] = sequence_of(infer->arena, unshaped(infer->arena, tensor));
  bool is_one = infer->node->inputs.count == 1;
  if (!tensor->has_shape || !onnx_attr_int(infer, "axis", 0, &axis) ||
      (is_one && !onnx_attr_int(infer, "keepdims", 1, &keeps)) || !onnx_axis(infer, axis, tensor->rank, "axis", &at) ||
      !part_size(infer, tensor->dims[at], &part))
    return;
  OnnxDim *dims = onnx_dims(infer, tensor->rank);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < tensor->rank; i++) {
    if (i != at || keeps)
      dims[rank++] = i == at ? part : tensor->dims[i];
  }
  infer->out[0] = sequence_of(infer->arena, onnx_make(infer->arena, tensor->element, dims, rank));
}

void onnx_infer_concat_from_sequence(OnnxInfer *infer)
{
  const OnnxType *sequence = onnx_input(infer, 0);
  const OnnxType *inner = sequence && sequence->kind == ONNX_TYPE_SEQUENCE ? sequence->inner : NULL;
  int64_t axis;
  int64_t is_new;
  uint32_t at;
  if (!inner || inner->kind != ONNX_TYPE_TENSOR)
    return;
  infer->out[0] = unshaped(infer->arena, inner);
  if (!inner->has_shape || !onnx_attr_int(infer, "axis", 0, &axis) || !onnx_attr_int(infer, "new_axis", 0, &is_new))
    return;
  uint32_t rank = inner->rank + (is_new == 1);
  if (is_new != 0 && is_new != 1) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "new_axis"), "`new_axis` is 0 or 1.");
    return;
  }
  if (!onnx_axis(infer, axis, rank, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims(infer, rank);
  for (uint32_t i = 0; i < rank; i++)
    dims[i] = i == at ? (OnnxDim){ 0 } : inner->dims[is_new == 1 && i > at ? i - 1 : i];
  onnx_out(infer, 0, inner->element, dims, rank);
}

void onnx_infer_optional(OnnxInfer *infer)
{
  const OnnxAttr *attr = onnx_attr(infer, "type");
  const OnnxType *inner = infer->node->inputs.count > 0 ? onnx_input(infer, 0) : attr ? attr->value_type : NULL;
  if (infer->node->inputs.count == 0 && !attr)
    onnx_infer_fail(infer, infer->node->op_at, "An `Optional` has an input, or the attribute `type`.");
  if (!inner) {
    if (infer->node->inputs.count > 0)
      has_type(infer, 0);
    return;
  }
  OnnxType *type = ARENA_NEW(infer->arena, OnnxType);
  *type = (OnnxType){ .kind = ONNX_TYPE_OPTIONAL, .inner = inner };
  infer->out[0] = type;
}

/// From opset 18 on, what is no optional stays as it is.
void onnx_infer_optional_get(OnnxInfer *infer)
{
  const OnnxType *type = onnx_input(infer, 0);
  if (type && type->kind == ONNX_TYPE_OPTIONAL)
    infer->out[0] = type->inner;
  else if (type && infer->schema->since >= 18)
    infer->out[0] = type;
}

// --- SequenceMap ---

static const OnnxGraph *body_of(const OnnxNode *node)
{
  const OnnxAttr *attr = onnx_node_attr(node, STR("body"));
  return attr && attr->type == ONNX_GRAPH ? attr->graph : NULL;
}

/// What one turn gets of an input: an element of a sequence, and anything else as it is.
static const OnnxType *turn_type(const OnnxType *type)
{
  return type && type->kind == ONNX_TYPE_SEQUENCE ? type->inner : type;
}

void onnx_flow_map_inputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  const OnnxNode *node = graph->owner;
  uint32_t i = 0;
  for (const OnnxValue *input = graph->inputs; input && i < node->inputs.count; input = input->next, i++) {
    uint32_t symbol = node->inputs.items[i].symbol;
    const OnnxType *type = symbol == ONNX_NO_SYMBOL ? NULL : turn_type(flow->known[symbol].type);
    if (type)
      onnx_flow_take_output(flow, &input->name, (OnnxKnown){ .type = type });
  }
}

static bool check_map_inputs(OnnxInfer *infer, const OnnxGraph *body)
{
  uint32_t inputs = 0;
  for (const OnnxValue *value = body ? body->inputs : NULL; value; value = value->next)
    inputs++;
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    if (!has_type(infer, i))
      return false;
  }
  if (body && inputs != infer->node->inputs.count)
    return onnx_infer_fail(infer, body->name.at, "The body of the `SequenceMap` takes %u inputs, and gets %u.", inputs,
                           infer->node->inputs.count);
  return !body || onnx_infer_body(infer, body);
}

void onnx_infer_sequence_map(OnnxInfer *infer)
{
  const OnnxType *first = onnx_input(infer, 0);
  const OnnxGraph *body = body_of(infer->node);
  uint32_t count = 0;
  if (first && first->kind != ONNX_TYPE_SEQUENCE) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A sequence is wanted.");
    return;
  }
  if (!check_map_inputs(infer, body))
    return;
  for (const OnnxValue *value = body ? body->outputs : NULL; value; value = value->next, count++) {
    if (value->found && count < infer->node->outputs.count)
      infer->out[count] = sequence_of(infer->arena, value->found);
  }
  if (body && count > 0 && count != infer->node->outputs.count)
    onnx_infer_fail(infer, infer->node->op_at, "The body gives %u values, and the `SequenceMap` has %u outputs.", count,
                    infer->node->outputs.count);
}
