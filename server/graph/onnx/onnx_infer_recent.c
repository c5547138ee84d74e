// Operators of transformers and signals that came late, and others that choose places or draw numbers.

#include "graph/onnx/onnx_flow.h"

static bool check_rank(OnnxInfer *infer, uint32_t input, uint32_t least, uint32_t most)
{
  const OnnxType *type = onnx_shaped(infer, input);
  if (!type || (type->rank >= least && type->rank <= most))
    return true;
  if (least == most)
    return onnx_infer_fail(infer, onnx_infer_at(infer, input), "A tensor of rank %u is wanted; this is of rank %u.",
                           least, type->rank);
  return onnx_infer_fail(infer, onnx_infer_at(infer, input), "A tensor of rank %u to %u is wanted; this is of rank %u.",
                         least, most, type->rank);
}

// --- Attention ---

/// Whether `q_num_heads` and `kv_num_heads` are there, as three dimensions don't say them.
static bool check_heads(OnnxInfer *infer, uint32_t rank)
{
  static const char *const names[] = { "q_num_heads", "kv_num_heads" };
  for (size_t i = 0; i < COUNT(names) && rank == 3; i++) {
    if (!onnx_attr(infer, names[i]))
      return onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A query of three dimensions needs the attribute `%s`.",
                             names[i]);
  }
  return check_rank(infer, 1, 3, 4) && check_rank(infer, 2, 3, 4);
}

/// The output, and with `products` the products of queries and keys.
static void out_attention(OnnxInfer *infer, const OnnxType *query, const OnnxType *value, OnnxDim length)
{
  int64_t heads;
  int64_t value_heads;
  OnnxDim dims[] = { query->dims[0], query->dims[1], query->dims[2], value->dims[value->rank - 1] };
  OnnxDim products[] = { query->dims[0], query->dims[1], query->dims[2], length };
  if (query->rank == 3) {
    bool is_known = onnx_attr_int(infer, "q_num_heads", 0, &heads) &&
                    onnx_attr_int(infer, "kv_num_heads", 0, &value_heads) && value_heads > 0;
    bool has_size = is_known && onnx_is_size(value->dims[2]);
    dims[2] = has_size ? onnx_size(value->dims[2].value / value_heads * heads) : (OnnxDim){ 0 };
    products[1] = is_known ? onnx_size(heads) : (OnnxDim){ 0 };
    products[2] = query->dims[1];
  }
  onnx_out(infer, 0, onnx_element(infer, 0), dims, query->rank);
  onnx_out(infer, 3, onnx_element(infer, 0), products, 4);
}

/// Keys or values of before with those of now.
static void out_present(OnnxInfer *infer, uint32_t past, uint32_t output, OnnxDim total)
{
  const OnnxType *type = onnx_shaped(infer, past);
  if (!type || !onnx_is_size(total) || !onnx_has_output(infer, output)) {
    onnx_out(infer, output, onnx_element(infer, past), NULL, ONNX_NO_RANK);
    return;
  }
  OnnxDim dims[] = { type->dims[0], type->dims[1], total, type->dims[3] };
  onnx_out(infer, output, type->element, dims, 4);
}

void onnx_infer_attention(OnnxInfer *infer)
{
  const OnnxType *query = onnx_shaped(infer, 0);
  const OnnxType *value = onnx_shaped(infer, 2);
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  onnx_out(infer, 3, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!query || !check_rank(infer, 0, 3, 4) || !check_heads(infer, query->rank) || !value)
    return;
  bool has_past = onnx_has_input(infer, 4) && onnx_has_input(infer, 5);
  const OnnxType *past = has_past ? onnx_shaped(infer, 4) : NULL;
  OnnxDim length = value->rank == query->rank ? value->dims[value->rank - 2] : (OnnxDim){ 0 };
  OnnxDim total = { 0 };
  bool has_present = has_past && onnx_has_output(infer, 2);
  if (has_present && (!check_rank(infer, 4, 4, 4) || !check_rank(infer, 5, 4, 4)))
    return;
  if (past && past->rank == 4 && onnx_is_size(past->dims[2]) && onnx_is_size(length) && length.value > 0)
    total = onnx_size(past->dims[2].value + length.value);
  if (value->rank == query->rank)
    out_attention(infer, query, value, has_past ? total : length);
  if (has_present) {
    out_present(infer, 4, 1, total);
    out_present(infer, 5, 2, total);
  }
}

void onnx_infer_rms_norm(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t axis;
  onnx_out_like_first(infer, 0, onnx_element(infer, 0));
  if (type && onnx_attr_int(infer, "axis", -1, &axis) && axis < -(int64_t)type->rank)
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "axis"), "`axis` is %lld, and the input is of rank %u.",
                    (long long)axis, type->rank);
}

void onnx_infer_rotary(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  onnx_out_like_first(infer, 0, onnx_element(infer, 0));
  if (check_rank(infer, 0, 3, 4) && type && type->rank == 3 && !onnx_attr(infer, "num_heads"))
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "An input of three dimensions needs the attribute `num_heads`.");
}

/// False after a report: a dimension of an input is not that of the cache.
static bool check_cached(OnnxInfer *infer, uint32_t input, uint32_t i)
{
  const OnnxType *cache = onnx_shaped(infer, 0);
  const OnnxType *type = onnx_shaped(infer, input);
  if (!cache || !type || i >= cache->rank || i >= type->rank || !onnx_is_size(cache->dims[i]) ||
      !onnx_is_size(type->dims[i]) || cache->dims[i].value == type->dims[i].value)
    return true;
  return onnx_infer_fail(infer, onnx_infer_at(infer, input), "Dimension %u is %lld here, and %lld in the cache.", i,
                         (long long)type->dims[i].value, (long long)cache->dims[i].value);
}

/// The same of the whole update, but along the axis.
static bool check_update(OnnxInfer *infer, const OnnxType *cache)
{
  int64_t axis;
  if (!check_rank(infer, 1, cache->rank, cache->rank) || !onnx_attr_int(infer, "axis", -2, &axis))
    return false;
  axis += axis < 0 ? (int64_t)cache->rank : 0;
  if (axis <= 0 || axis >= (int64_t)cache->rank)
    return onnx_infer_fail(infer, onnx_infer_at_attr(infer, "axis"),
                           "`axis` has to be after the first of %u dimensions.", cache->rank);
  uint32_t i = 0;
  while (i < cache->rank && (i == (uint32_t)axis || check_cached(infer, 1, i)))
    i++;
  return i == cache->rank;
}

void onnx_infer_tensor_scatter(OnnxInfer *infer)
{
  const OnnxType *cache = onnx_shaped(infer, 0);
  onnx_out_like_first(infer, 0, onnx_element(infer, 0));
  if (cache && onnx_shaped(infer, 1) && !check_update(infer, cache))
    return;
  if (check_rank(infer, 2, 1, 1))
    (void)check_cached(infer, 2, 0);
}

// --- Signals ---

static bool is_constant_list(const OnnxInfer *infer, uint32_t input)
{
  const OnnxType *type = onnx_is_constant(infer, input) ? onnx_shaped(infer, input) : NULL;
  return type && type->rank > 0;
}

/// The axis of a DFT, counted from the front: an attribute before opset 20, an input from then on. False if it is
/// unknown.
static bool dft_axis(OnnxInfer *infer, uint32_t rank, uint32_t *ret_axis)
{
  int64_t axis = -2;
  if (infer->schema->since < 20 && !onnx_attr_int(infer, "axis", 1, &axis))
    return false;
  if (infer->schema->since >= 20 && is_constant_list(infer, 2))
    return onnx_infer_fail(infer, onnx_infer_at(infer, 2), "The axis has to be one number.");
  if (infer->schema->since >= 20 && onnx_has_input(infer, 2)) {
    const OnnxNumbers *given = onnx_constant(infer, 2);
    if (!given || given->rank != 0 || given->count != 1)
      return false;
    axis = given->items[0];
  }
  if (axis < -(int64_t)rank || axis == -1 || axis >= (int64_t)rank - 1)
    return onnx_infer_fail(infer, onnx_infer_at_attr(infer, "axis"),
                           "`axis` is %lld, and the signal is of rank %u with real and imaginary parts in the last.",
                           (long long)axis, rank);
  *ret_axis = (uint32_t)(axis < 0 ? axis + rank : axis);
  return true;
}

void onnx_infer_dft(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t is_half;
  int64_t is_inverse;
  uint32_t axis = 0;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!onnx_attr_int(infer, "onesided", 0, &is_half) || !onnx_attr_int(infer, "inverse", 0, &is_inverse))
    return;
  if (is_half && is_inverse) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "onesided"), "An inverse transformation has no single side.");
    return;
  }
  if (!type || !check_rank(infer, 0, 2, UINT32_MAX))
    return;
  bool has_axis = dft_axis(infer, type->rank, &axis);
  const OnnxNumbers *length = onnx_constant(infer, 1);
  bool has_length = onnx_has_input(infer, 1);
  if (has_axis && is_constant_list(infer, 1))
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The length has to be one number.");
  if (infer->has_failed || (has_axis && has_length && (!length || length->count != 1)))
    return;
  bool are_known = has_axis || (!has_length && !is_half);
  OnnxDim *dims = are_known ? onnx_dims_of(infer, type) : onnx_dims(infer, type->rank);
  if (has_axis && has_length)
    dims[axis] = onnx_size(length->items[0]);
  if (has_axis && is_half)
    dims[axis] = onnx_is_size(dims[axis]) ? onnx_size((dims[axis].value >> 1) + 1) : (OnnxDim){ 0 };
  dims[type->rank - 1] = onnx_size(2);
  onnx_out(infer, 0, type->element, dims, type->rank);
}

// --- Places that are chosen ---

void onnx_infer_center_crop_pad(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxNumbers *shape = onnx_constant(infer, 1);
  const int64_t *axes;
  uint32_t count;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || !shape || !onnx_attr_ints(infer, "axes", &axes, &count))
    return;
  bool has_axes = onnx_attr(infer, "axes") != NULL;
  count = has_axes ? count : type->rank;
  if (shape->count != count) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "This has %u sizes for %u axes.", shape->count, count);
    return;
  }
  OnnxDim *dims = onnx_dims_of(infer, type);
  bool *is_set = ARENA_ARRAY(&infer->flow->scratch, bool, type->rank + 1);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at = i;
    if (has_axes && !onnx_axis(infer, axes[i], type->rank, "axes", &at))
      return;
    if (is_set[at]) {
      onnx_infer_fail(infer, onnx_attr(infer, "axes")->value_at, "Axis %u stands there twice.", at);
      return;
    }
    is_set[at] = true;
    dims[at] = onnx_size(shape->items[i]);
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
}

/// What two inputs say of one size.
static bool unify(OnnxInfer *infer, uint32_t input, const OnnxType *type, uint32_t axis, OnnxDim *dim)
{
  if (!type || !onnx_is_size(type->dims[axis]))
    return true;
  if (onnx_is_size(*dim) && dim->value != type->dims[axis].value)
    return onnx_infer_fail(infer, onnx_infer_at(infer, input), "Dimension %u is %lld here, and %lld before.", axis,
                           (long long)type->dims[axis].value, (long long)dim->value);
  *dim = type->dims[axis];
  return true;
}

void onnx_infer_roi_align(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t height;
  int64_t width;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!check_rank(infer, 0, 4, 4) || !check_rank(infer, 1, 2, 2) || !check_rank(infer, 2, 1, 1) ||
      !onnx_attr_int(infer, "output_height", 1, &height) || !onnx_attr_int(infer, "output_width", 1, &width))
    return;
  OnnxDim dims[] = { { 0 }, type ? type->dims[1] : (OnnxDim){ 0 }, onnx_size(height), onnx_size(width) };
  if (unify(infer, 1, onnx_shaped(infer, 1), 0, &dims[0]) && unify(infer, 2, onnx_shaped(infer, 2), 0, &dims[0]))
    onnx_out(infer, 0, onnx_element(infer, 0), dims, 4);
}

void onnx_infer_roi_pool(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *rois = onnx_shaped(infer, 1);
  const int64_t *sizes;
  uint32_t count;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || !rois || !check_rank(infer, 0, 2, UINT32_MAX) || !check_rank(infer, 1, 2, 2) ||
      !onnx_attr_ints(infer, "pooled_shape", &sizes, &count))
    return;
  if (count != type->rank - 2) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "pooled_shape"), "`pooled_shape` lists %u, and %u are wanted.",
                    count, type->rank - 2);
    return;
  }
  if (count != 2)
    return;
  OnnxDim dims[] = { rois->dims[0], type->dims[1], onnx_size(sizes[0]), onnx_size(sizes[1]) };
  onnx_out(infer, 0, type->element, dims, 4);
}

// --- Numbers that are drawn ---

void onnx_infer_random(OnnxInfer *infer)
{
  const int64_t *sizes;
  uint32_t count;
  int64_t element;
  if (!onnx_attr_element(infer, "dtype", ELEM_FLOAT, &element) || !onnx_attr_ints(infer, "shape", &sizes, &count))
    return;
  OnnxDim *dims = onnx_dims(infer, count);
  for (uint32_t i = 0; i < count; i++) {
    dims[i] = onnx_size(sizes[i]);
    if (sizes[i] < 0) {
      onnx_infer_fail(infer, onnx_infer_at_attr(infer, "shape"), "A size can't be negative.");
      return;
    }
  }
  onnx_out(infer, 0, (uint32_t)element, dims, count);
}

void onnx_infer_multinomial(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t element;
  int64_t samples;
  if (!onnx_attr_int(infer, "dtype", ELEM_INT32, &element) || !onnx_attr_int(infer, "sample_size", 1, &samples))
    return;
  if (element != ELEM_INT32 && element != ELEM_INT64) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "dtype"), "`dtype` has to be int32 or int64.");
    return;
  }
  if (!check_rank(infer, 0, 2, 2))
    return;
  OnnxDim dims[] = { type ? type->dims[0] : (OnnxDim){ 0 }, onnx_size(samples) };
  onnx_out(infer, 0, (uint32_t)element, dims, 2);
}

// --- Texts ---

void onnx_infer_string_split(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (!type)
    return;
  OnnxDim *dims = onnx_dims_of(infer, type);
  dims[type->rank] = (OnnxDim){ 0 };
  onnx_out(infer, 0, ELEM_STRING, dims, type->rank + 1);
  onnx_out(infer, 1, ELEM_INT64, type->dims, type->rank);
}
