// Numbers that say shapes, followed through the nodes that compute them: `Shape`, `Gather`, `Concat`, `Mul`. What is
// found that way is as true as the rest, but onnx looks for it only when it is asked to.

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

typedef struct Numbers {
  int64_t items[ONNX_VALUES_LIMIT];
  uint32_t count;
  uint32_t rank;
} Numbers;

typedef bool NumberFunction(OnnxInfer *infer, Numbers *ret);

static bool shape_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (!type || type->rank > ONNX_VALUES_LIMIT || onnx_attr(infer, "start") || onnx_attr(infer, "end"))
    return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (!onnx_is_size(type->dims[i]))
      return false;
    ret->items[i] = type->dims[i].value;
  }
  ret->count = type->rank;
  ret->rank = 1;
  return true;
}

static bool size_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  OnnxDim size = type ? onnx_product(type, 0, type->rank) : (OnnxDim){ 0 };
  ret->items[0] = size.value;
  ret->count = 1;
  return onnx_is_size(size);
}

static bool gather_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxNumbers *data = onnx_constant(infer, 0);
  const OnnxNumbers *indices = onnx_constant(infer, 1);
  if (!data || !indices || data->rank != 1 || indices->rank > 1 || indices->count > ONNX_VALUES_LIMIT)
    return false;
  for (uint32_t i = 0; i < indices->count; i++) {
    int64_t at = indices->items[i] < 0 ? indices->items[i] + data->count : indices->items[i];
    if (at < 0 || at >= (int64_t)data->count)
      return false;
    ret->items[i] = data->items[at];
  }
  ret->count = indices->count;
  ret->rank = indices->rank;
  return true;
}

static bool concat_numbers(OnnxInfer *infer, Numbers *ret)
{
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    const OnnxNumbers *part = onnx_constant(infer, i);
    if (!part || part->rank != 1 || ret->count + part->count > ONNX_VALUES_LIMIT)
      return false;
    for (uint32_t k = 0; k < part->count; k++)
      ret->items[ret->count++] = part->items[k];
  }
  ret->rank = 1;
  return true;
}

/// The same numbers in another rank: that of the output.
static bool same_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxNumbers *data = onnx_constant(infer, 0);
  const OnnxType *type = infer->out[0];
  if (!data || !type || !type->has_shape || type->rank > 1 || data->count > ONNX_VALUES_LIMIT ||
      (type->element != ELEM_INT64 && type->element != ELEM_INT32))
    return false;
  memcpy(ret->items, data->items, data->count * sizeof(*ret->items));
  ret->count = data->count;
  ret->rank = type->rank;
  return true;
}

static bool slice_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxNumbers *data = onnx_constant(infer, 0);
  const OnnxNumbers *start = onnx_constant(infer, 1);
  const OnnxNumbers *end = onnx_constant(infer, 2);
  const OnnxNumbers *step = onnx_constant(infer, 4);
  bool is_known = data && start && end && data->rank == 1 && start->count == 1 && end->count == 1 &&
                  infer->schema->since >= 10 && !(onnx_has_input(infer, 4) && !(step && step->items[0] == 1));
  if (!is_known)
    return false;
  int64_t count = data->count;
  int64_t from = start->items[0] < 0 ? start->items[0] + count : start->items[0];
  int64_t to = end->items[0] < 0 ? end->items[0] + count : end->items[0];
  from = from < 0 ? 0 : from;
  to = to > count ? count : to;
  for (int64_t i = from; i < to && ret->count < ONNX_VALUES_LIMIT; i++)
    ret->items[ret->count++] = data->items[i];
  ret->rank = 1;
  return true;
}

bool onnx_compute(Str op, int64_t a, int64_t b, int64_t *ret)
{
  if (str_equal(op, STR("Add")))
    return !__builtin_add_overflow(a, b, ret);
  if (str_equal(op, STR("Sub")))
    return !__builtin_sub_overflow(a, b, ret);
  if (str_equal(op, STR("Mul")))
    return !__builtin_mul_overflow(a, b, ret);
  if (a < 0 || b <= 0)  // Division rounds otherwise in ONNX, numpy and C below zero.
    return false;
  *ret = a / b;
  return true;
}

static bool arithmetic_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxNumbers *a = onnx_constant(infer, 0);
  const OnnxNumbers *b = onnx_constant(infer, 1);
  if (!a || !b || a->rank > 1 || b->rank > 1 || (a->count != b->count && a->count != 1 && b->count != 1))
    return false;
  uint32_t count = a->count == 1 ? b->count : a->count;
  if (count > ONNX_VALUES_LIMIT)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    if (!onnx_compute(infer->node->op, a->items[a->count == 1 ? 0 : i], b->items[b->count == 1 ? 0 : i],
                      &ret->items[i]))
      return false;
  }
  ret->count = count;
  ret->rank = a->rank > b->rank ? a->rank : b->rank;
  return true;
}

static bool product_numbers(OnnxInfer *infer, Numbers *ret)
{
  const OnnxNumbers *data = onnx_constant(infer, 0);
  const OnnxType *type = infer->out[0];
  if (!data || data->rank != 1 || !type || !type->has_shape || type->rank > 1)
    return false;
  ret->items[0] = 1;
  ret->count = 1;
  ret->rank = type->rank;
  for (uint32_t i = 0; i < data->count; i++) {
    if (__builtin_mul_overflow(ret->items[0], data->items[i], &ret->items[0]))
      return false;
  }
  return true;
}

static NumberFunction *find_function(Str op)
{
  static const struct {
    Str op;
    NumberFunction *function;
  } rows[] = {
    { STR_INIT("Shape"), shape_numbers },    { STR_INIT("Size"), size_numbers },
    { STR_INIT("Gather"), gather_numbers },  { STR_INIT("Concat"), concat_numbers },
    { STR_INIT("Unsqueeze"), same_numbers }, { STR_INIT("Squeeze"), same_numbers },
    { STR_INIT("Cast"), same_numbers },      { STR_INIT("Identity"), same_numbers },
    { STR_INIT("Reshape"), same_numbers },   { STR_INIT("Flatten"), same_numbers },
    { STR_INIT("Slice"), slice_numbers },    { STR_INIT("Add"), arithmetic_numbers },
    { STR_INIT("Sub"), arithmetic_numbers }, { STR_INIT("Mul"), arithmetic_numbers },
    { STR_INIT("Div"), arithmetic_numbers }, { STR_INIT("ReduceProd"), product_numbers },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    if (str_equal(op, rows[i].op))
      return rows[i].function;
  }
  return NULL;
}

const OnnxNumbers *onnx_flow_numbers(OnnxInfer *infer)
{
  NumberFunction *function = infer->node->domain.len == 0 ? find_function(infer->node->op) : NULL;
  Numbers found = { .count = 0 };
  if (!function || infer->has_failed || !onnx_has_output(infer, 0) || !function(infer, &found))
    return NULL;
  OnnxNumbers *numbers = ARENA_NEW(infer->arena, OnnxNumbers);
  int64_t *items = ARENA_ARRAY(infer->arena, int64_t, found.count + 1);
  memcpy(items, found.items, found.count * sizeof(*items));
  *numbers = (OnnxNumbers){ .items = items, .count = found.count, .rank = found.rank };
  return numbers;
}
