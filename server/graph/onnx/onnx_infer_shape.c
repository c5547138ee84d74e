// Operators that change shapes or choose elements.

#include "base/sort.h"
#include "graph/onnx/onnx_flow.h"

static void out_unshaped(OnnxInfer *infer)
{
  if (!infer->has_failed)
    onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
}

// --- Shapes that constants say ---

static bool has_negative(const int64_t *items, uint32_t count)
{
  uint32_t i = 0;
  while (i < count && items[i] >= 0)
    i++;
  return i < count;
}

void onnx_infer_constant_of_shape(OnnxInfer *infer)
{
  const OnnxAttr *value = onnx_attr(infer, "value");
  uint32_t element = value && value->value_type ? value->value_type->element : value ? 0 : ELEM_FLOAT;
  const OnnxNumbers *shape = onnx_constant(infer, 0);
  const OnnxType *type = onnx_shaped(infer, 0);
  if (value && value->value_type && value->value_type->has_shape && value->value_type->rank != 1) {
    onnx_infer_fail(infer, value->value_at, "`value` has to be a list of one; this is of rank %u.",
                    value->value_type->rank);
  } else if (!onnx_is_constant(infer, 0) && type && type->rank != 1) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A shape is a list; this is of rank %u.", type->rank);
  } else if (shape) {
    OnnxDim *dims = onnx_dims(infer, shape->count);
    for (uint32_t i = 0; i < shape->count; i++)
      dims[i] = onnx_size(shape->items[i]);
    if (has_negative(shape->items, shape->count))
      onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A size can't be negative.");
    onnx_out(infer, 0, element, dims, shape->count);
  } else if (type && type->rank == 1 && onnx_is_size(type->dims[0]) && type->dims[0].value >= 0 &&
             type->dims[0].value <= 64) {
    uint32_t rank = (uint32_t)type->dims[0].value;
    const OnnxSizes *sizes = onnx_computed(infer, 0);
    onnx_out(infer, 0, element, sizes && sizes->count == rank ? sizes->items : onnx_dims(infer, rank), rank);
  } else {
    onnx_out(infer, 0, element, NULL, ONNX_NO_RANK);
  }
}

void onnx_infer_shape(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t start;
  int64_t end;
  OnnxDim dim = { 0 };
  if (type && onnx_attr_int(infer, "start", 0, &start) && onnx_attr_int(infer, "end", type->rank, &end)) {
    int64_t rank = type->rank;
    start = start < 0 ? start + rank : start;
    end = end < 0 ? end + rank : end;
    start = start < 0 ? 0 : start > rank ? rank : start;
    end = end < 0 ? 0 : end > rank ? rank : end;
    dim = onnx_size(end > start ? end - start : 0);
  }
  onnx_out(infer, 0, ELEM_INT64, &dim, 1);
}

void onnx_infer_size(OnnxInfer *infer)
{
  onnx_out(infer, 0, ELEM_INT64, NULL, 0);
}

// --- Other shapes of the same elements ---

/// The sizes of a shape multiplied, but for dimension `open` and those that a 0 keeps in both shapes; false if one of
/// them is unknown.
static bool multiply_sizes(const OnnxDim *dims, uint32_t rank, uint32_t open, const bool *kept, int64_t *ret_product)
{
  *ret_product = 1;
  for (uint32_t i = 0; i < rank; i++) {
    if (i == open || (!onnx_is_size(dims[i]) && kept[i]))
      continue;
    if (!onnx_is_size(dims[i]) || __builtin_mul_overflow(*ret_product, dims[i].value, ret_product))
      return false;
  }
  return true;
}

/// Fills in the dimension that is -1; false after a report. `kept` are those that a 0 takes from the input, of which
/// nothing may be known.
static bool fill_open(OnnxInfer *infer, const OnnxType *type, OnnxDim *dims, uint32_t rank, uint32_t open,
                      const bool *kept)
{
  int64_t all;
  int64_t product;
  if (!multiply_sizes(dims, rank, open, kept, &product) || product < 0)
    return true;
  if (product == 0)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "With a dimension of 0 nothing says what -1 is.");
  if (!type || !multiply_sizes(type->dims, type->rank, UINT32_MAX, kept, &all))
    return true;
  if (all % product != 0)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "%lld elements can't be divided by %lld.", (long long)all,
                           (long long)product);
  dims[open] = onnx_size(all / product);
  return true;
}

static void reshape_to(OnnxInfer *infer, const OnnxNumbers *shape, const OnnxType *type)
{
  const uint32_t none = UINT32_MAX;
  int64_t allows_zero;
  uint32_t open = none;
  OnnxDim *dims = onnx_dims(infer, shape->count);
  bool *kept = arena_alloc(infer->arena, shape->count + (type ? type->rank : 0) + 1);
  if (!onnx_attr_int(infer, "allowzero", 0, &allows_zero))
    return;
  for (uint32_t i = 0; i < shape->count; i++) {
    int64_t size = shape->items[i];
    if (size < -1 || (size == -1 && open != none)) {
      onnx_infer_fail(infer, onnx_infer_at(infer, 1), size < -1 ? "%lld is no dimension." : "%lld stands there twice.",
                      (long long)size);
      return;
    }
    open = size == -1 ? i : open;
    dims[i] = size == -1 ? (OnnxDim){ 0 } : onnx_size(size);
    if (size != 0 || allows_zero != 0)
      continue;
    if (type && i >= type->rank) {
      onnx_infer_fail(infer, onnx_infer_at(infer, 1), "A 0 keeps dimension %u, and the input is of rank %u.", i,
                      type->rank);
      return;
    }
    dims[i] = type ? type->dims[i] : (OnnxDim){ 0 };
    kept[i] = true;
  }
  if (open == none || fill_open(infer, type, dims, shape->count, open, kept))
    onnx_out(infer, 0, onnx_element(infer, 0), dims, shape->count);
}

/// Of a target that the model computes; a size that is not known may be 0 or -1, too.
static void reshape_to_sizes(OnnxInfer *infer, const OnnxSizes *target, const OnnxType *type)
{
  int64_t allows_zero;
  OnnxDim *dims = onnx_dims(infer, target->count);
  if (!onnx_attr_int(infer, "allowzero", 0, &allows_zero))
    return;
  for (uint32_t i = 0; i < target->count; i++) {
    OnnxDim size = target->items[i];
    bool keeps = onnx_is_size(size) && size.value == 0 && allows_zero == 0;
    if (keeps)
      dims[i] = type && i < type->rank ? type->dims[i] : (OnnxDim){ 0 };
    else if (!onnx_is_size(size) || size.value >= 0)
      dims[i] = size;
  }
  onnx_out(infer, 0, onnx_element(infer, 0), dims, target->count);
}

/// Of a target that is no constant, the length says the rank.
static void reshape_to_rank(OnnxInfer *infer)
{
  const OnnxType *shape = onnx_shaped(infer, 1);
  if (shape && shape->rank != 1 && infer->schema->since >= 14 && !onnx_is_constant(infer, 1)) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "A shape is a list; this is of rank %u.", shape->rank);
    return;
  }
  bool is_known =
      shape && shape->rank == 1 && onnx_is_size(shape->dims[0]) && shape->dims[0].value <= ONNX_VALUES_LIMIT;
  // onnx counts a length of -1 as no dimensions.
  uint32_t rank = is_known && shape->dims[0].value > 0 ? (uint32_t)shape->dims[0].value : 0;
  onnx_out(infer, 0, onnx_element(infer, 0), onnx_dims(infer, rank), is_known ? rank : ONNX_NO_RANK);
}

void onnx_infer_reshape(OnnxInfer *infer)
{
  const OnnxNumbers *shape = onnx_constant(infer, 1);
  if (infer->schema->since < 5)
    return;
  if (shape)
    reshape_to(infer, shape, onnx_shaped(infer, 0));
  else if (onnx_computed(infer, 1))
    reshape_to_sizes(infer, onnx_computed(infer, 1), onnx_shaped(infer, 0));
  else if (infer->schema->since >= 14 ||
           infer->flow->follows == ONNX_FOLLOWS_SIZES)  // Older inference looks at constants alone.
    reshape_to_rank(infer);
  else
    onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
}

void onnx_infer_flatten(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t axis;
  if (!type || !onnx_attr_int(infer, "axis", 1, &axis)) {
    out_unshaped(infer);
    return;
  }
  int64_t rank = type->rank;
  if (axis > rank || axis < (infer->schema->since >= 11 ? -rank : 0)) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "axis"), "`axis` is %lld, and the input is of rank %u.",
                    (long long)axis, type->rank);
    return;
  }
  uint32_t at = (uint32_t)(axis < 0 ? axis + rank : axis);
  OnnxDim dims[] = { onnx_product(type, 0, at), onnx_product(type, at, type->rank) };
  onnx_out(infer, 0, type->element, dims, 2);
}

static bool check_perm(OnnxInfer *infer, const int64_t *perm, uint32_t count, uint32_t rank)
{
  bool *seen = arena_alloc(infer->arena, rank + 1);
  for (uint32_t i = 0; i < count; i++) {
    if (perm[i] < 0 || perm[i] >= (int64_t)rank || seen[perm[i]])
      return onnx_infer_fail(infer, onnx_infer_at_attr(infer, "perm"),
                             "%lld is no dimension of the input, or stands there twice.", (long long)perm[i]);
    seen[perm[i]] = true;
  }
  return true;
}

void onnx_infer_transpose(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const int64_t *perm;
  uint32_t count;
  bool has_perm = onnx_attr(infer, "perm") != NULL;
  // An empty list makes a scalar, and before opset 13 nothing that is known.
  if (!type || !onnx_attr_ints(infer, "perm", &perm, &count) || (has_perm && count == 0 && infer->schema->since < 13)) {
    out_unshaped(infer);
    return;
  }
  OnnxDim *dims = onnx_dims(infer, type->rank);
  if (has_perm && !check_perm(infer, perm, count, type->rank))
    return;
  if (has_perm && count != type->rank)
    onnx_report(infer->flow->check, onnx_infer_at_attr(infer, "perm"), RULE_SHAPE_MISMATCH, SEVERITY_WARNING,
                "`perm` lists %u, and the input is of rank %u; onnx passes it, and a runtime fails.", count,
                type->rank);
  uint32_t rank = has_perm && count < type->rank ? count : type->rank;
  for (uint32_t i = 0; i < rank; i++)
    dims[i] = type->dims[has_perm ? perm[i] : (int64_t)type->rank - 1 - i];
  onnx_out(infer, 0, type->element, dims, rank);
}

/// The axes of Squeeze and Unsqueeze: an attribute before opset 13, an input from then on.
static bool take_axes(OnnxInfer *infer, const int64_t **ret_items, uint32_t *ret_count, bool *ret_has_any)
{
  if (infer->schema->since < 13) {
    *ret_has_any = onnx_attr(infer, "axes") != NULL;
    return onnx_attr_ints(infer, "axes", ret_items, ret_count);
  }
  const OnnxNumbers *axes = onnx_constant(infer, 1);
  *ret_has_any = onnx_has_input(infer, 1);
  *ret_items = axes ? axes->items : NULL;
  *ret_count = axes ? axes->count : 0;
  return axes || !*ret_has_any;
}

/// Marks the axes that are given; false after a report. The first version only sees those that come in order, and up to
/// opset 12 what is no axis is passed.
static bool mark_squeezed(OnnxInfer *infer, const int64_t *items, uint32_t count, uint32_t rank, bool *gone)
{
  uint32_t next = 0;
  for (uint32_t i = 0; i < rank && infer->schema->since < 11; i++) {
    gone[i] = next < count && items[next] == i;
    next += gone[i];
  }
  for (uint32_t i = 0; i < count && infer->schema->since >= 11; i++) {
    uint32_t axis;
    bool is_none = items[i] < -(int64_t)rank || items[i] >= (int64_t)rank;
    if (is_none && infer->schema->since < 13)
      continue;
    if (!onnx_axis(infer, items[i], rank, "axes", &axis))
      return false;
    gone[axis] = true;
  }
  return true;
}

void onnx_infer_squeeze(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const int64_t *items;
  uint32_t count;
  bool has_axes;
  uint32_t rank = 0;
  out_unshaped(infer);
  if (!type || !take_axes(infer, &items, &count, &has_axes))
    return;
  OnnxDim *dims = onnx_dims(infer, type->rank);
  bool *gone = arena_alloc(infer->arena, type->rank + 1);
  if (!mark_squeezed(infer, items, count, type->rank, gone))
    return;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (!has_axes && !onnx_is_size(type->dims[i]))
      return;
    bool is_gone = has_axes ? gone[i] : type->dims[i].value == 1;
    if (is_gone && onnx_is_size(type->dims[i]) && type->dims[i].value != 1) {
      onnx_infer_fail(infer, onnx_infer_at(infer, 0), "Dimension %u is %lld, so it can't be squeezed.", i,
                      (long long)type->dims[i].value);
      return;
    }
    if (!is_gone)
      dims[rank++] = type->dims[i];
  }
  onnx_out(infer, 0, type->element, dims, rank);
}

static int compare_axes(const void *left, const void *right)
{
  const int64_t *a = left;
  const int64_t *b = right;
  return (*a > *b) - (*a < *b);
}

/// Takes axes in order, each where it has come to, and drops what it never comes
/// to: the first version passes any.
static void unsqueeze_plain(OnnxInfer *infer, const OnnxType *type, const int64_t *items, uint32_t count)
{
  OnnxDim *dims = onnx_dims(infer, type->rank + count);
  int64_t *axes = ARENA_ARRAY(infer->arena, int64_t, count + 1);
  uint32_t rank = 0;
  uint32_t at = 0;
  memcpy(axes, items, count * sizeof(*axes));
  sort_stable(axes, count, sizeof(*axes), compare_axes);
  for (uint32_t i = 0; i <= type->rank; i++) {
    for (; at < count && axes[at] == (int64_t)rank; at++)
      dims[rank++] = onnx_size(1);
    if (i < type->rank)
      dims[rank++] = type->dims[i];
  }
  onnx_out(infer, 0, type->element, dims, rank);
}

void onnx_infer_unsqueeze(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const int64_t *items;
  uint32_t count;
  bool has_axes;
  out_unshaped(infer);
  if (!type || !take_axes(infer, &items, &count, &has_axes) || !has_axes)
    return;
  uint32_t rank = type->rank + count;
  if (infer->schema->since < 11) {
    unsqueeze_plain(infer, type, items, count);
    return;
  }
  // Version 11 compares axes as they are written, of which some count from the end.
  uint32_t from_end = infer->schema->since < 13 ? rank : 0;
  bool *added = arena_alloc(infer->arena, 2 * (size_t)rank + 1);
  int64_t *axes = ARENA_ARRAY(infer->arena, int64_t, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t axis;
    if (!onnx_axis(infer, items[i], rank, "axes", &axis))
      return;
    bool *is_added = &added[items[i] < 0 ? axis + from_end : axis];
    if (*is_added) {
      onnx_infer_fail(infer, onnx_infer_at(infer, 1), "Axis %u stands there twice.", axis);
      return;
    }
    *is_added = true;
    axes[i] = axis;
  }
  unsqueeze_plain(infer, type, axes, count);
}

// --- Parts put together, and taken apart ---

/// Adds up the dimension along which it is joined.
static OnnxDim add_dims(OnnxDim sum, OnnxDim dim)
{
  int64_t total;
  if (!onnx_is_size(sum) || !onnx_is_size(dim) || __builtin_add_overflow(sum.value, dim.value, &total))
    return (OnnxDim){ 0 };
  return onnx_size(total);
}

/// Joins one more input; false after a report.
static bool join(OnnxInfer *infer, OnnxDim *dims, uint32_t rank, uint32_t axis, uint32_t input)
{
  const OnnxType *type = onnx_shaped(infer, input);
  if (type->rank != rank)
    return onnx_infer_fail(infer, onnx_infer_at(infer, input),
                           "`Concat` joins tensors of one rank: this has rank %u, the first %u.", type->rank, rank);
  for (uint32_t i = 0; i < rank; i++) {
    if (i == axis) {
      dims[i] = input == 0 ? type->dims[i] : add_dims(dims[i], type->dims[i]);
    } else if (onnx_is_size(dims[i]) && onnx_is_size(type->dims[i]) && dims[i].value != type->dims[i].value) {
      return onnx_infer_fail(infer, onnx_infer_at(infer, input),
                             "`Concat` joins along axis %u, and dimension %u is %lld here and %lld before.", axis, i,
                             (long long)type->dims[i].value, (long long)dims[i].value);
    } else if (!onnx_is_size(dims[i]) &&
               (input == 0 || onnx_is_size(type->dims[i]) || dims[i].kind == ONNX_DIM_UNKNOWN)) {
      dims[i] = type->dims[i];
    }
  }
  return true;
}

void onnx_infer_concat(OnnxInfer *infer)
{
  int64_t axis;
  uint32_t at;
  uint32_t count = infer->node->inputs.count;
  out_unshaped(infer);
  if (infer->schema->since < 4)
    return;
  // As the checker does where it looks: not in the bodies of a model without functions.
  if (!onnx_attr(infer, "axis") && !infer->node->lacks_attrs)
    onnx_infer_fail(infer, infer->node->op_at, "`Concat` is not told its `axis`.");
  if (!onnx_attr(infer, "axis") || !onnx_attr_int(infer, "axis", 0, &axis))
    return;
  for (uint32_t i = 0; i < count; i++) {
    if (!onnx_shaped(infer, i))
      return;
  }
  uint32_t rank = onnx_shaped(infer, 0)->rank;
  if (axis < 0 && infer->schema->since < 11)  // Before it could be negative, nobody looks further.
    return;
  if (!onnx_axis(infer, axis, rank, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims(infer, rank);
  for (uint32_t i = 0; i < count; i++) {
    if (!join(infer, dims, rank, at, i))
      return;
  }
  onnx_out(infer, 0, onnx_element(infer, 0), dims, rank);
}

#define UNKNOWN_SIZE INT64_MIN

/// Into how many parts: as many as there are outputs, unless an attribute says otherwise; 0 if that is unknown.
static int64_t count_parts(const OnnxInfer *infer, uint32_t count)
{
  int64_t parts;
  if (infer->schema->since < 18)
    return count;
  return onnx_attr_int(infer, "num_outputs", count, &parts) && parts > 0 ? parts : 0;
}

/// The sizes of parts that are alike but for the last. Of outputs beyond them nothing is known.
static bool equal_sizes(OnnxInfer *infer, int64_t whole, uint32_t count, const int64_t **ret_sizes)
{
  int64_t parts = count_parts(infer, count);
  if (parts == 0)
    return false;
  if (infer->schema->since < 18 && whole % parts != 0)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 0), "%lld can't be split into %u equal parts.", (long long)whole,
                           count);
  int64_t *sizes = ARENA_ARRAY(infer->arena, int64_t, count);
  int64_t part = whole / parts + (whole % parts != 0);
  for (uint32_t i = 0; i < count; i++)
    sizes[i] = i + 1 < parts ? part : i + 1 == parts ? whole - part * (parts - 1) : UNKNOWN_SIZE;
  *ret_sizes = sizes;
  return true;
}

/// Sizes of the parts; false if they are unknown or wrong. `count` is the number of outputs.
static bool part_sizes(OnnxInfer *infer, OnnxDim whole, uint32_t count, const int64_t **ret_sizes)
{
  const int64_t *items = NULL;
  uint32_t given = 0;
  uint32_t since = infer->schema->since;
  const OnnxNumbers *numbers = onnx_constant(infer, 1);
  if (since >= 13 && onnx_has_input(infer, 1) && !numbers)
    return false;
  if (since < 13 && !onnx_attr_ints(infer, "split", &items, &given))
    return false;
  items = numbers && since >= 13 ? numbers->items : items;
  given = numbers && since >= 13 ? numbers->count : given;
  if (given > 0) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < given; i++) {
      if (__builtin_add_overflow(sum, items[i], &sum))
        return false;
    }
    if (!onnx_is_size(whole))
      return false;
    if (given != count)
      return onnx_infer_fail(infer, onnx_infer_at(infer, 1), "`split` has %u sizes for %u outputs.", given, count);
    if (sum != whole.value)
      return onnx_infer_fail(infer, onnx_infer_at(infer, 1),
                             "The parts have %lld elements together, and there are %lld.", (long long)sum,
                             (long long)whole.value);
    *ret_sizes = items;
    return true;
  }
  return onnx_is_size(whole) && count > 0 && equal_sizes(infer, whole.value, count, ret_sizes);
}

/// From opset 18 on, either the sizes or the number of parts is given.
static bool check_parts(OnnxInfer *infer)
{
  bool has_sizes = onnx_has_input(infer, 1);
  const OnnxAttr *parts = onnx_attr(infer, "num_outputs");
  if (infer->schema->since < 18)
    return true;
  if (has_sizes == (parts != NULL))
    return onnx_infer_fail(infer, infer->node->op_at, "`Split` takes either the input `split` or `num_outputs`; %s.",
                           has_sizes ? "this has both" : "neither is given");
  if (parts && !parts->is_reference && parts->number < 1)
    return onnx_infer_fail(infer, parts->value_at, "There can't be %lld parts.", (long long)parts->number);
  return true;
}

/// Where onnx doesn't look, as the size is unknown, a session refuses both at once, too.
static void check_unknown_parts(OnnxInfer *infer)
{
  const OnnxAttr *parts = onnx_attr(infer, "num_outputs");
  if (!infer->flow->later && infer->schema->since >= 18 && parts && onnx_has_input(infer, 1))
    onnx_report(infer->flow->check, infer->node->op_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(infer->flow->check),
                "`Split` takes either the input `split` or `num_outputs`; onnx passes both where the size is unknown, "
                "and ONNX Runtime refuses it.");
}

void onnx_infer_split(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  uint32_t count = infer->node->outputs.count;
  int64_t axis;
  uint32_t at;
  for (uint32_t i = 0; i < count; i++)
    onnx_out(infer, i, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || infer->schema->since < 2 || !onnx_attr_int(infer, "axis", 0, &axis) ||
      !onnx_axis(infer, axis, type->rank, "axis", &at) || (onnx_is_size(type->dims[at]) && !check_parts(infer)))
    return;
  const int64_t *sizes = NULL;
  bool is_whole_known = onnx_is_size(type->dims[at]);
  if (is_whole_known)
    part_sizes(infer, type->dims[at], count, &sizes);
  else
    check_unknown_parts(infer);
  for (uint32_t i = 0; i < count && (sizes || !is_whole_known); i++) {
    OnnxDim *dims = onnx_dims_of(infer, type);
    dims[at] = !sizes || sizes[i] == UNKNOWN_SIZE ? (OnnxDim){ 0 } : onnx_size(sizes[i]);
    onnx_out(infer, i, type->element, dims, type->rank);
  }
}
