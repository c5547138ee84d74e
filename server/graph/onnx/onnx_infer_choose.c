// Operators that choose elements, repeat them or put others around them.

#include "graph/onnx/onnx_flow.h"

static void out_unshaped(OnnxInfer *infer)
{
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
}

static void out_ranked(OnnxInfer *infer, uint32_t rank)
{
  onnx_out(infer, 0, onnx_element(infer, 0), onnx_dims(infer, rank), rank);
}

// --- Slice ---

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
  return value < low ? low : value > high ? high : value;
}

/// How many elements from `start` to before `end`, as numpy counts them.
static int64_t slice_length(int64_t size, int64_t start, int64_t end, int64_t step)
{
  start = start < 0 ? start + size : start;
  end = end < 0 ? end + size : end;
  if (step < 0) {
    start = clamp(start, 0, size - 1);
    end = clamp(end, -1, size);
    return start > end ? (start - end - step - 1) / -step : 0;
  }
  start = clamp(start, 0, size);
  end = clamp(end, 0, size);
  return end > start ? (end - start + step - 1) / step : 0;
}

typedef struct SliceArguments {
  OnnxNumbers starts, ends, axes, steps;
} SliceArguments;

/// Axes and steps whose shape is unknown, though their values may be, count as not given to onnx.
static bool has_slice_input(const OnnxInfer *infer, uint32_t i)
{
  enum { AXES = 3 };
  return onnx_has_input(infer, i) && (i < AXES || onnx_shaped(infer, i));
}

static bool slice_inputs(OnnxInfer *infer, SliceArguments *ret_arguments)
{
  OnnxNumbers *parts[] = { &ret_arguments->starts, &ret_arguments->ends, &ret_arguments->axes, &ret_arguments->steps };
  for (uint32_t i = 0; i < COUNT(parts); i++) {  // None is read before all are there.
    if (has_slice_input(infer, i + 1) && !onnx_is_counted(infer, i + 1))
      return false;
  }
  for (uint32_t i = 0; i < COUNT(parts); i++) {
    const OnnxNumbers *numbers = has_slice_input(infer, i + 1) ? onnx_constant(infer, i + 1) : NULL;
    if (numbers)
      *parts[i] = *numbers;
    else if (has_slice_input(infer, i + 1))
      return false;
  }
  return true;
}

static bool slice_attributes(const OnnxInfer *infer, SliceArguments *ret)
{
  return onnx_attr_ints(infer, "starts", &ret->starts.items, &ret->starts.count) &&
         onnx_attr_ints(infer, "ends", &ret->ends.items, &ret->ends.count) &&
         onnx_attr_ints(infer, "axes", &ret->axes.items, &ret->axes.count);
}

/// What is left of a dimension of an old one; unknown where onnx is not sure.
static OnnxDim old_slice(OnnxDim dim, int64_t start, int64_t end)
{
  if (!onnx_is_size(dim) || dim.value < 0)
    return (OnnxDim){ 0 };
  start += start < 0 ? dim.value : 0;
  end += end < 0 ? dim.value : 0;
  int64_t length = (end < dim.value ? end : dim.value) - start;
  return start >= 0 && end >= 0 && length >= 0 ? onnx_size(length) : (OnnxDim){ 0 };
}

/// An old one takes axes in order, and passes by those that the input doesn't have.
static void infer_old_slice(OnnxInfer *infer, const OnnxType *type, const SliceArguments *arguments)
{
  const OnnxNumbers *axes = arguments->axes.count > 0 ? &arguments->axes : NULL;
  for (uint32_t i = 0; axes && i < axes->count; i++) {
    bool is_negative = axes->items[i] < 0;
    if (is_negative)
      out_ranked(infer, type->rank);
    if (is_negative || (i > 0 && axes->items[i] < axes->items[i - 1]))
      return;
  }
  OnnxDim *dims = onnx_dims_of(infer, type);
  for (uint32_t i = 0, next = 0; i < type->rank && next < arguments->starts.count; i++) {
    if ((axes ? axes->items[next] : next) != (int64_t)i)
      continue;
    dims[i] = old_slice(dims[i], arguments->starts.items[next], arguments->ends.items[next]);
    next++;
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
}

void onnx_infer_slice(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  SliceArguments arguments = { 0 };
  out_unshaped(infer);
  if (!type)
    return;
  if (!(infer->schema->since < 10 ? slice_attributes(infer, &arguments) : slice_inputs(infer, &arguments))) {
    if (type->rank > 0)  // Of a scalar onnx then says no shape.
      out_ranked(infer, type->rank);
    return;
  }
  uint32_t count = arguments.starts.count;
  if (arguments.ends.count != count || (arguments.axes.count > 0 && arguments.axes.count != count)) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 2), "`Slice` has %u starts, %u ends and %u axes.", count,
                    arguments.ends.count, arguments.axes.count);
    return;
  }
  if (infer->schema->since < 10) {
    infer_old_slice(infer, type, &arguments);
    return;
  }
  OnnxDim *dims = onnx_dims_of(infer, type);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t axis;
    int64_t step = i < arguments.steps.count ? arguments.steps.items[i] : 1;
    if (!onnx_axis(infer, arguments.axes.count > 0 ? arguments.axes.items[i] : i, type->rank, "axes", &axis))
      return;
    if (step == 0) {
      onnx_infer_fail(infer, onnx_infer_at(infer, 4), "A step of `Slice` is 0.");
      return;
    }
    bool is_known = onnx_is_size(dims[axis]) && dims[axis].value >= 0 && step > -INT32_MAX && step < INT32_MAX;
    dims[axis] =
        is_known ? onnx_size(slice_length(dims[axis].value, arguments.starts.items[i], arguments.ends.items[i], step))
                 : (OnnxDim){ 0 };
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
}

// --- Gather ---

void onnx_infer_gather(OnnxInfer *infer)
{
  const OnnxType *data = onnx_shaped(infer, 0);
  const OnnxType *indices = onnx_shaped(infer, 1);
  int64_t axis;
  uint32_t at;
  out_unshaped(infer);
  if (!data || !indices || !onnx_attr_int(infer, "axis", 0, &axis))
    return;
  if (data->rank == 0) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`Gather` can't choose from a scalar.");
    return;
  }
  if (!onnx_axis(infer, axis, data->rank, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims(infer, data->rank + indices->rank);
  uint32_t rank = 0;
  for (uint32_t i = 0; i < at; i++)
    dims[rank++] = data->dims[i];
  for (uint32_t i = 0; i < indices->rank; i++)
    dims[rank++] = indices->dims[i];
  for (uint32_t i = at + 1; i < data->rank; i++)
    dims[rank++] = data->dims[i];
  onnx_out(infer, 0, data->element, dims, rank);
}

void onnx_infer_gather_elements(OnnxInfer *infer)
{
  const OnnxType *indices = onnx_shaped(infer, 1);
  onnx_out(infer, 0, onnx_element(infer, 0), indices ? indices->dims : NULL, indices ? indices->rank : ONNX_NO_RANK);
}

void onnx_infer_gather_nd(OnnxInfer *infer)
{
  const OnnxType *data = onnx_shaped(infer, 0);
  const OnnxType *indices = onnx_shaped(infer, 1);
  int64_t batch;
  out_unshaped(infer);
  if (!data || !indices || !onnx_attr_int(infer, "batch_dims", 0, &batch))
    return;
  if (data->rank < 1 || indices->rank < 1) {
    onnx_infer_fail(infer, onnx_infer_at(infer, data->rank < 1 ? 0 : 1), "`GatherND` wants no scalars.");
    return;
  }
  OnnxDim last = indices->dims[indices->rank - 1];
  int64_t first_kept;
  if (!onnx_is_size(last) || __builtin_add_overflow(last.value, batch, &first_kept))
    return;
  if (first_kept > (int64_t)data->rank) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The last dimension of the indices is %lld, and the data has %u.",
                    (long long)last.value, data->rank);
    return;
  }
  if (first_kept < 0)
    return;
  OnnxDim *dims = onnx_dims(infer, data->rank + indices->rank);
  uint32_t rank = 0;
  for (uint32_t i = 0; i + 1 < indices->rank; i++)
    dims[rank++] = indices->dims[i];
  for (uint32_t i = (uint32_t)first_kept; i < data->rank; i++)
    dims[rank++] = data->dims[i];
  // Of a single element the official inference says no shape.
  onnx_out(infer, 0, data->element, dims, rank > 0 ? rank : ONNX_NO_RANK);
}

// --- Repeat ---

/// The wanted sizes, or as many unknown ones as there are; NULL if it is not known how many.
static const OnnxType *wanted_shape(OnnxInfer *infer)
{
  const OnnxNumbers *shape = onnx_constant(infer, 1);
  const OnnxType *list = onnx_shaped(infer, 1);
  if (!onnx_is_constant(infer, 1) && list && list->rank != 1 && onnx_shaped(infer, 0)) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "A shape is a list; this is of rank %u.", list->rank);
    return NULL;
  }
  bool has_length = list && list->rank == 1 && onnx_is_size(list->dims[0]) && list->dims[0].value >= 0;
  int64_t count = shape ? shape->count : has_length ? list->dims[0].value : -1;
  if (count < 0 || count > ONNX_VALUES_LIMIT)
    return NULL;
  OnnxDim *wanted = onnx_dims(infer, (uint32_t)count);
  OnnxSizes sizes;
  if (onnx_sizes(infer, 1, &sizes) && sizes.count == count)
    memcpy(wanted, sizes.items, sizes.count * sizeof(*wanted));
  return onnx_make(&infer->flow->scratch, ELEM_INT64, wanted, (uint32_t)count);
}

void onnx_infer_expand(OnnxInfer *infer)
{
  const OnnxType *types[] = { onnx_shaped(infer, 0), wanted_shape(infer) };
  OnnxDim *dims;
  uint32_t rank;
  out_unshaped(infer);
  if (types[0] && types[1] && onnx_broadcast(infer, types, 2, &dims, &rank))
    onnx_out(infer, 0, types[0]->element, dims, rank);
}

void onnx_infer_tile(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxNumbers *repeats = onnx_constant(infer, 1);
  out_unshaped(infer);
  if (!type || infer->schema->since < 6)
    return;
  if (!repeats) {
    out_ranked(infer, type->rank);
    return;
  }
  if (repeats->count != type->rank) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "`repeats` lists %u, and the input is of rank %u.", repeats->count,
                    type->rank);
    return;
  }
  OnnxDim *dims = onnx_dims_of(infer, type);
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t size;
    bool is_known = onnx_is_size(dims[i]) && !__builtin_mul_overflow(dims[i].value, repeats->items[i], &size);
    dims[i] = is_known ? onnx_size(size) : (OnnxDim){ 0 };
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
}

// --- Pad ---

static bool pads_of(OnnxInfer *infer, OnnxNumbers *ret_pads)
{
  if (infer->schema->since < 11)
    return onnx_attr_ints(infer, infer->schema->since < 2 ? "paddings" : "pads", &ret_pads->items, &ret_pads->count);
  if (onnx_has_input(infer, 3) && !onnx_constant(infer, 3))
    return false;
  const OnnxNumbers *pads = onnx_constant(infer, 1);  // Which nobody reads before.
  if (!pads)
    return false;
  *ret_pads = *pads;
  return true;
}

/// The axes that are padded: all, or those that are given. These are int64, whatever the schema allows, and each is one
/// of the input's, once; false after a report.
static bool pad_axes_of(OnnxInfer *infer, uint32_t rank, uint32_t *ret_axes, uint32_t *ret_count)
{
  const OnnxNumbers *axes = infer->schema->since >= 18 ? onnx_constant(infer, 3) : NULL;
  bool *seen = arena_alloc(&infer->flow->scratch, rank + 1);
  *ret_count = axes ? 0 : rank;
  for (uint32_t i = 0; i < *ret_count; i++)
    ret_axes[i] = i;
  if (axes && onnx_element(infer, 3) == ELEM_INT32)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 3), "onnx's inference reads no axes of int32 here.");
  for (uint32_t i = 0; axes && i < axes->count; i++) {
    uint32_t axis;
    if (!onnx_axis(infer, axes->items[i], rank, "axes", &axis))
      return false;
    if (seen[axis])
      return onnx_infer_fail(infer, onnx_infer_at(infer, 3), "Axis %u stands there twice.", axis);
    seen[axis] = true;
    ret_axes[(*ret_count)++] = axis;
  }
  return true;
}

/// `before` and `after` it.
static OnnxDim padded(OnnxDim dim, int64_t before, int64_t after)
{
  int64_t size;
  bool is_known = onnx_is_size(dim) && !__builtin_add_overflow(dim.value, before, &size) &&
                  !__builtin_add_overflow(size, after, &size);
  bool is_kept = before == 0 && after == 0;
  return is_known ? onnx_size(size) : is_kept ? dim : (OnnxDim){ 0 };
}

void onnx_infer_pad(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  OnnxNumbers pads;
  uint32_t count;
  out_unshaped(infer);
  uint32_t *axes = type ? arena_alloc(&infer->flow->scratch, (type->rank + 1) * sizeof(*axes)) : NULL;
  if (!type || !pad_axes_of(infer, type->rank, axes, &count))
    return;
  bool is_read = count > 0 || infer->schema->since < 18;  // Where nothing is padded, newer ones ask for nothing.
  if (!is_read || !pads_of(infer, &pads)) {
    out_ranked(infer, type->rank);
    return;
  }
  if (pads.count != 2 * count) {
    onnx_infer_fail(infer, infer->schema->since < 11 ? onnx_infer_at_attr(infer, "pads") : onnx_infer_at(infer, 1),
                    "`pads` lists %u; %u axes are padded, so there have to be %u.", pads.count, count, 2 * count);
    return;
  }
  OnnxDim *dims = onnx_dims_of(infer, type);
  for (uint32_t i = 0; i < count; i++)
    dims[axes[i]] = padded(dims[axes[i]], pads.items[i], pads.items[i + count]);
  onnx_out(infer, 0, type->element, dims, type->rank);
}

// --- Others ---

void onnx_infer_nonzero(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  OnnxDim dims[] = { type ? onnx_size(type->rank) : (OnnxDim){ 0 }, { 0 } };
  onnx_out(infer, 0, ELEM_INT64, dims, 2);
}

void onnx_infer_range(OnnxInfer *infer)
{
  OnnxDim dim = { 0 };
  bool are_constant = onnx_is_constant(infer, 0) && onnx_is_constant(infer, 1) && onnx_is_constant(infer, 2);
  bool are_read = are_constant || (onnx_is_counted(infer, 0) && onnx_is_counted(infer, 1) && onnx_is_counted(infer, 2));
  const OnnxNumbers *start = are_read ? onnx_constant(infer, 0) : NULL;
  const OnnxNumbers *limit = are_read ? onnx_constant(infer, 1) : NULL;
  const OnnxNumbers *delta = are_read ? onnx_constant(infer, 2) : NULL;
  for (uint32_t i = 0; i < 3 && are_constant; i++) {  // Others are not looked at.
    const OnnxType *type = onnx_shaped(infer, i);
    if (type && type->rank != 0 && type->element != ELEM_FLOAT16 && type->element != ELEM_INT16) {
      onnx_infer_fail(infer, onnx_infer_at(infer, i), "`Range` takes scalars; this is of rank %u.", type->rank);
      return;
    }
  }
  bool is_step = delta && delta->count == 1;
  bool is_known = start && limit && is_step && start->count == 1 && limit->count == 1;
  int64_t span;
  if (is_known && delta->items[0] != 0 && !__builtin_sub_overflow(limit->items[0], start->items[0], &span) &&
      !(span == INT64_MIN && delta->items[0] == -1)) {
    int64_t step = delta->items[0];
    int64_t count = span / step + (span % step != 0 && (span < 0) == (step < 0));
    dim = onnx_size(count > 0 ? count : 0);
  } else if (is_known && delta->items[0] == 0) {
    dim = onnx_size(0);  // As onnx has it, which divides by it.
  }
  onnx_out(infer, 0, onnx_element(infer, 0), &dim, 1);
}

/// How many, of the axis `dim`, are chosen, by the attribute before opset 10; -1 if that is not known. False after a
/// mistake.
static bool count_chosen(OnnxInfer *infer, OnnxDim dim, int64_t *ret_count)
{
  *ret_count = -1;
  if (infer->schema->since < 10) {
    if (!onnx_attr_int(infer, "k", -1, ret_count))
      return false;
    if (*ret_count <= 0)
      onnx_infer_fail(infer, onnx_infer_at_attr(infer, "k"), "`k` has to be above 0.");
    return *ret_count > 0;
  }
  bool is_looked_at = onnx_is_size(dim);
  const OnnxType *list = is_looked_at && onnx_is_constant(infer, 1) ? onnx_shaped(infer, 1) : NULL;
  bool is_one = !list || (list->rank == 1 && (!onnx_is_size(list->dims[0]) || list->dims[0].value == 1));
  const OnnxNumbers *k = is_one && (is_looked_at || !onnx_is_external(infer, 1)) ? onnx_constant(infer, 1) : NULL;
  bool counts = is_looked_at || infer->flow->follows == ONNX_FOLLOWS_SIZES;  // Of an unknown size onnx takes no part.
  if (k && k->count == 1 && counts)
    *ret_count = k->items[0];
  if (!is_one || (is_looked_at && k && (k->rank != 1 || k->count != 1))) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "`K` is a list of one number.");
    return false;
  }
  bool is_too_many = is_looked_at && dim.value < *ret_count;
  if (is_too_many)
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "`TopK` can't choose %lld of %lld.", (long long)*ret_count,
                    (long long)dim.value);
  return !is_too_many;
}

void onnx_infer_topk(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t axis, count;
  uint32_t at;
  out_unshaped(infer);
  onnx_out(infer, 1, ELEM_INT64, NULL, ONNX_NO_RANK);
  if (!type || !onnx_attr_int(infer, "axis", -1, &axis) || !onnx_axis(infer, axis, type->rank, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims_of(infer, type);
  if (!count_chosen(infer, dims[at], &count))
    return;
  if (count < 0) {
    for (uint32_t i = 0; i < type->rank; i++)
      dims[i] = (OnnxDim){ 0 };
  } else {
    dims[at] = onnx_size(count);
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
  onnx_out(infer, 1, ELEM_INT64, dims, type->rank);
}

/// One number, and two to choose from.
static bool check_one_hot(OnnxInfer *infer)
{
  const OnnxType *indices = onnx_shaped(infer, 0);
  const OnnxType *depth = onnx_shaped(infer, 1);
  const OnnxType *values = onnx_shaped(infer, 2);
  bool has_depth =
      !depth || depth->rank == 0 || (depth->rank == 1 && (!onnx_is_size(depth->dims[0]) || depth->dims[0].value == 1));
  bool has_values = !values || (values->rank == 1 && (!onnx_is_size(values->dims[0]) || values->dims[0].value == 2));
  if (!has_depth)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The depth has to be one number.");
  if (indices && indices->rank == 0)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 0), "The indices of `OneHot` can't be a scalar.");
  return has_values || onnx_infer_fail(infer, onnx_infer_at(infer, 2), "The values have to be a list of two.");
}

void onnx_infer_one_hot(OnnxInfer *infer)
{
  const OnnxType *indices = onnx_shaped(infer, 0);
  const OnnxNumbers *depth = onnx_constant(infer, 1);
  int64_t axis;
  uint32_t at;
  onnx_out(infer, 0, onnx_element(infer, 2), NULL, ONNX_NO_RANK);
  if (!check_one_hot(infer) || !indices || !onnx_attr_int(infer, "axis", -1, &axis) ||
      !onnx_axis(infer, axis, indices->rank + 1, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims(infer, indices->rank + 1);
  for (uint32_t i = 0, from = 0; i <= indices->rank; i++)
    dims[i] = i != at                      ? indices->dims[from++]
              : depth && depth->count == 1 ? onnx_size(depth->items[0])
                                           : (OnnxDim){ 0 };
  onnx_out(infer, 0, onnx_element(infer, 2), dims, indices->rank + 1);
}
