// Sizes that a model computes, followed through the nodes that compute them: `Shape` of `[batch, 12, s, 64]`, and what
// is chosen from it and put together for `Reshape`. Each is a number, or has a name, or is unknown. What is found that
// way is as true as the rest, but onnx looks for it only when it is asked to.

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

typedef struct Sizes {
  OnnxDim items[ONNX_VALUES_LIMIT];
  uint32_t count;
  uint32_t rank;
} Sizes;

typedef bool SizeFunction(OnnxInfer *infer, Sizes *ret);

bool onnx_sizes(OnnxInfer *infer, uint32_t i, OnnxSizes *ret_sizes)
{
  const OnnxNumbers *numbers = onnx_constant(infer, i);
  const OnnxSizes *sizes = onnx_computed(infer, i);
  if (!numbers && sizes)
    *ret_sizes = *sizes;
  if (!numbers)
    return sizes != NULL;
  OnnxDim *items = onnx_dims(infer, numbers->count);
  for (uint32_t k = 0; k < numbers->count; k++)
    items[k] = onnx_size(numbers->items[k]);
  *ret_sizes = (OnnxSizes){ items, numbers->count, numbers->rank };
  return true;
}

static void take(Sizes *ret, const OnnxDim *items, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    ret->items[ret->count++] = items[i];
}

static bool are_sizes(const OnnxDim *dims, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    if (!onnx_is_size(dims[i]))
      return false;
  }
  return true;
}

/// The schema's function found how many, `start` and `end` looked at; where the first one stands they say. A session
/// folds it if it knows all of the input's shape, whatever part is asked for (onnxruntime 1.21 and 1.23, tried).
static bool shape_sizes(OnnxInfer *infer, Sizes *ret)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (type && infer->flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES && !are_sizes(type->dims, type->rank))
    return false;
  const OnnxType *list = infer->out[0];
  int64_t start;
  bool is_known = type && list && list->has_shape && list->rank == 1 && onnx_is_size(list->dims[0]) &&
                  onnx_attr_int(infer, "start", 0, &start);
  if (!is_known)
    return false;
  int64_t rank = type->rank;
  int64_t count = list->dims[0].value;
  start = start < 0 ? start + rank : start;
  start = start < 0 ? 0 : start;
  if (count < 0 || count > ONNX_VALUES_LIMIT || start + count > rank)
    return false;
  take(ret, type->dims + start, (uint32_t)count);
  ret->rank = 1;
  return true;
}

/// How many elements there are. A session does not fold it.
static bool count_sizes(OnnxInfer *infer, Sizes *ret)
{
  if (infer->flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES)
    return false;
  const OnnxType *type = onnx_shaped(infer, 0);
  OnnxDim size = type ? onnx_product(type, 0, type->rank) : (OnnxDim){ 0 };
  take(ret, &size, 1);
  return onnx_is_size(size);
}

static bool gather_sizes(OnnxInfer *infer, Sizes *ret)
{
  OnnxSizes data;
  const OnnxNumbers *indices = onnx_constant(infer, 1);
  if (!onnx_sizes(infer, 0, &data) || !indices || data.rank != 1 || indices->rank > 1 ||
      indices->count > ONNX_VALUES_LIMIT)
    return false;
  for (uint32_t i = 0; i < indices->count; i++) {
    int64_t at = indices->items[i] < 0 ? indices->items[i] + data.count : indices->items[i];
    if (at < 0 || at >= (int64_t)data.count)
      return false;
    take(ret, &data.items[at], 1);
  }
  ret->rank = indices->rank;
  return true;
}

/// A part of which nothing but the length is known takes nothing from the others.
static bool part_sizes(OnnxInfer *infer, uint32_t i, OnnxSizes *ret_part)
{
  if (onnx_sizes(infer, i, ret_part))
    return ret_part->rank == 1;
  const OnnxType *type = onnx_shaped(infer, i);
  bool has_length = type && type->rank == 1 && onnx_is_size(type->dims[0]) && type->dims[0].value >= 0 &&
                    type->dims[0].value <= ONNX_VALUES_LIMIT;
  if (!has_length)
    return false;
  uint32_t count = (uint32_t)type->dims[0].value;
  *ret_part = (OnnxSizes){ onnx_dims(infer, count), count, 1 };
  return true;
}

static bool concat_sizes(OnnxInfer *infer, Sizes *ret)
{
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    OnnxSizes part;
    if (!part_sizes(infer, i, &part) || ret->count + part.count > ONNX_VALUES_LIMIT)
      return false;
    take(ret, part.items, part.count);
  }
  ret->rank = 1;
  return true;
}

/// The same sizes in another rank: that of the output.
static bool same_sizes(OnnxInfer *infer, Sizes *ret)
{
  OnnxSizes data;
  const OnnxType *type = infer->out[0];
  bool is_known = onnx_sizes(infer, 0, &data) && type && type->has_shape && type->rank <= 1 &&
                  (type->element == ELEM_INT64 || type->element == ELEM_INT32) && data.count <= ONNX_VALUES_LIMIT;
  if (!is_known)
    return false;
  take(ret, data.items, data.count);
  ret->rank = type->rank;
  return true;
}

/// Each by itself, of a tensor of any rank.
static bool each_size(OnnxInfer *infer, Sizes *ret)
{
  OnnxSizes data;
  bool negates = str_equal(infer->node->op, STR("Neg"));
  bool is_same = str_equal(infer->node->op, STR("Identity"));
  if (!onnx_sizes(infer, 0, &data) || data.count > ONNX_VALUES_LIMIT)
    return false;
  take(ret, data.items, data.count);
  for (uint32_t i = 0; i < data.count && !is_same; i++) {
    if (!onnx_is_size(data.items[i]) || data.items[i].value == INT64_MIN)
      return false;
    if (negates || data.items[i].value < 0)
      ret->items[i].value = -data.items[i].value;
  }
  ret->rank = data.rank;
  return true;
}

static bool slice_sizes(OnnxInfer *infer, Sizes *ret)
{
  OnnxSizes data;
  const OnnxNumbers *start = onnx_constant(infer, 1);
  const OnnxNumbers *end = onnx_constant(infer, 2);
  const OnnxNumbers *step = onnx_constant(infer, 4);
  bool is_known = onnx_sizes(infer, 0, &data) && start && end && data.rank == 1 && start->count == 1 &&
                  end->count == 1 && infer->schema->since >= 10 &&
                  !(onnx_has_input(infer, 4) && !(step && step->count == 1 && step->items[0] == 1));
  if (!is_known)
    return false;
  int64_t count = data.count;
  int64_t from = start->items[0] < 0 ? start->items[0] + count : start->items[0];
  int64_t to = end->items[0] < 0 ? end->items[0] + count : end->items[0];
  from = from < 0 ? 0 : from;
  to = to > count ? count : to;
  if (from < to && count <= ONNX_VALUES_LIMIT)
    take(ret, data.items + from, (uint32_t)(to - from));
  ret->rank = 1;
  return true;
}

static bool is_number(OnnxDim dim, int64_t number)
{
  return onnx_is_size(dim) && dim.value == number;
}

static bool compute(Str op, int64_t a, int64_t b, int64_t *ret)
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

/// Of two numbers the result; else what stays as it is: nothing more, or once.
static OnnxDim combine(Str op, OnnxDim a, OnnxDim b)
{
  bool is_sum = str_equal(op, STR("Add"));
  bool is_product = str_equal(op, STR("Mul"));
  int64_t neutral = is_sum || str_equal(op, STR("Sub")) ? 0 : 1;
  int64_t number;
  if (onnx_is_size(a) && onnx_is_size(b))
    return compute(op, a.value, b.value, &number) ? onnx_size(number) : (OnnxDim){ 0 };
  if (is_number(b, neutral))
    return a;
  return (is_sum || is_product) && is_number(a, neutral) ? b : (OnnxDim){ 0 };
}

static bool arithmetic_sizes(OnnxInfer *infer, Sizes *ret)
{
  OnnxSizes a;
  OnnxSizes b;
  if (!onnx_sizes(infer, 0, &a) || !onnx_sizes(infer, 1, &b) || a.rank > 1 || b.rank > 1 ||
      (a.count != b.count && a.count != 1 && b.count != 1))
    return false;
  uint32_t count = a.count == 1 ? b.count : a.count;
  if (count > ONNX_VALUES_LIMIT)
    return false;
  for (uint32_t i = 0; i < count; i++)
    ret->items[i] = combine(infer->node->op, a.items[a.count == 1 ? 0 : i], b.items[b.count == 1 ? 0 : i]);
  ret->count = count;
  ret->rank = a.rank > b.rank ? a.rank : b.rank;
  return true;
}

static bool product_sizes(OnnxInfer *infer, Sizes *ret)
{
  OnnxSizes data;
  const OnnxType *type = infer->out[0];
  if (!onnx_sizes(infer, 0, &data) || data.rank != 1 || !type || !type->has_shape || type->rank > 1)
    return false;
  OnnxDim product = onnx_size(1);
  for (uint32_t i = 0; i < data.count; i++) {
    if (!onnx_is_size(data.items[i]) || __builtin_mul_overflow(product.value, data.items[i].value, &product.value))
      return false;
  }
  take(ret, &product, 1);
  ret->rank = type->rank;
  return true;
}

static SizeFunction *find_function(Str op)
{
  static const struct {
    Str op;
    SizeFunction *function;
  } rows[] = {
    { STR_INIT("Shape"), shape_sizes },    { STR_INIT("Size"), count_sizes },
    { STR_INIT("Gather"), gather_sizes },  { STR_INIT("Concat"), concat_sizes },
    { STR_INIT("Unsqueeze"), same_sizes }, { STR_INIT("Squeeze"), same_sizes },
    { STR_INIT("Cast"), same_sizes },      { STR_INIT("Identity"), each_size },
    { STR_INIT("Neg"), each_size },        { STR_INIT("Abs"), each_size },
    { STR_INIT("Reshape"), same_sizes },   { STR_INIT("Flatten"), same_sizes },
    { STR_INIT("Slice"), slice_sizes },    { STR_INIT("Add"), arithmetic_sizes },
    { STR_INIT("Sub"), arithmetic_sizes }, { STR_INIT("Mul"), arithmetic_sizes },
    { STR_INIT("Div"), arithmetic_sizes }, { STR_INIT("ReduceProd"), product_sizes },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    if (str_equal(op, rows[i].op))
      return rows[i].function;
  }
  return NULL;
}

/// Nobody computes with values in another file here, nor are they needed.
static bool has_external(const OnnxInfer *infer)
{
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    if (onnx_is_external(infer, i))
      return true;
  }
  return false;
}

void onnx_flow_sizes(OnnxInfer *infer, OnnxKnown *ret_known)
{
  SizeFunction *function = infer->node->domain.len == 0 ? find_function(infer->node->op) : NULL;
  Sizes found = { .count = 0 };
  if (!function || infer->has_failed || !onnx_has_output(infer, 0) || has_external(infer) || !function(infer, &found))
    return;
  if (are_sizes(found.items, found.count)) {
    OnnxNumbers *numbers = ARENA_NEW(infer->arena, OnnxNumbers);
    int64_t *items = ARENA_ARRAY(infer->arena, int64_t, found.count + 1);
    for (uint32_t i = 0; i < found.count; i++)
      items[i] = found.items[i].value;
    *numbers = (OnnxNumbers){ .items = items, .count = found.count, .rank = found.rank };
    ret_known->numbers = numbers;
    return;
  }
  if (infer->flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES)
    return;
  OnnxSizes *sizes = ARENA_NEW(infer->arena, OnnxSizes);
  OnnxDim *items = ARENA_ARRAY(infer->arena, OnnxDim, found.count);
  memcpy(items, found.items, found.count * sizeof(*items));
  *sizes = (OnnxSizes){ items, found.count, found.rank };
  ret_known->sizes = sizes;
}
