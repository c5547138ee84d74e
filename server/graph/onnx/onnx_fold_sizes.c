// Constants that a session reshapes and quantizes when it loads a model.

#include "graph/onnx/onnx_flow.h"

static bool is_one_number(const OnnxType *type)
{
  return type->rank <= 1 && onnx_count_of(type) == 1;
}

// --- Shapes ---

/// How many elements a target has room for; -1 if it has a number for any.
static bool read_room(const OnnxType *type, const OnnxNumbers *target, bool allows_zero, int64_t *ret_room)
{
  int64_t room = 1;
  bool is_open = false;
  for (uint32_t i = 0; i < target->count; i++) {
    int64_t size = target->items[i];
    if (size == 0 && !allows_zero && i < type->rank)
      size = onnx_size_at(type, i);
    is_open |= size == -1;
    if (size != -1 && __builtin_mul_overflow(room, size, &room))
      return false;
  }
  *ret_room = is_open ? -1 : room;
  return true;
}

void onnx_fold_reshape(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxType *list = onnx_sized(infer, 1);
  const OnnxNumbers *target = onnx_given(infer, 1);
  int64_t allows_zero;
  int64_t room;
  if (list && list->rank != 1) {
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "A shape is a list; this is of rank %u.", list->rank);
    return;
  }
  if (!type || !target || !onnx_attr_int(infer, "allowzero", 0, &allows_zero) ||
      !read_room(type, target, allows_zero == 1, &room))
    return;  // onnx looks at those that leave a size open itself.
  if (room != -1 && room != onnx_count_of(type))
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`Reshape` has %lld elements, and room for %lld.",
                       (long long)onnx_count_of(type), (long long)room);
}

/// A size below zero counts where the input has one to be repeated.
void onnx_fold_expand(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxNumbers *target = onnx_given(infer, 1);
  for (uint32_t i = 1; type && target && i <= target->count; i++) {
    int64_t size = target->items[target->count - i];
    if (size < 0 && (i > type->rank || onnx_size_at(type, type->rank - i) == 1))
      onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`Expand` makes no size of %lld.", (long long)size);
  }
}

/// A shape is a list, which onnx passes where it computes none.
void onnx_fold_constant_of_shape(OnnxInfer *infer)
{
  const OnnxType *shape = onnx_shaped(infer, 0);
  if (shape && shape->rank == 0)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "`ConstantOfShape` wants a list, and this is a single number.");
}

void onnx_fold_tile(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxNumbers *repeats = onnx_given(infer, 1);
  for (uint32_t i = 0; type && repeats && i < repeats->count && i < type->rank; i++) {
    if (repeats->items[i] < 0 && onnx_size_at(type, i) > 0)
      onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`Tile` can't repeat %lld times.",
                         (long long)repeats->items[i]);
  }
}

void onnx_fold_affine_grid(OnnxInfer *infer)
{
  const OnnxType *theta = onnx_sized(infer, 0);
  if (theta && theta->rank != 3)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "`AffineGrid` wants matrices in a list; this is of rank %u.",
                       theta->rank);
}

void onnx_fold_conv(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxType *weights = onnx_sized(infer, 1);
  int64_t group;
  if (!type || !weights || !onnx_attr_int(infer, "group", 1, &group) || type->rank < 2)
    return;
  int64_t wanted;
  if (type->rank != weights->rank)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`%.*s` wants weights of rank %u; these are of rank %u.",
                       STR_ARG(infer->node->op), type->rank, weights->rank);
  else if (infer->flow->check->runtime.limits &&  // Else it is told of all, constant or not.
           (__builtin_mul_overflow(onnx_size_at(weights, 1), group, &wanted) || wanted != onnx_size_at(type, 1)))
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "These weights are not for %lld channels.",
                       (long long)onnx_size_at(type, 1));
}

// --- Quantization ---

static void refuse_points(OnnxInfer *infer, uint32_t input)
{
  onnx_refuse_folded(infer, onnx_infer_at(infer, input),
                     "`%.*s` wants one number here, or one for each place of an axis.", STR_ARG(infer->node->op));
}

/// Scale and zero point are numbers, or lists along the axis; from version 21 on they may be of blocks.
void onnx_fold_quantize(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxType *scale = onnx_sized(infer, 1);
  const OnnxType *zero = onnx_sized(infer, 2);
  int64_t axis;
  int64_t block;
  uint32_t at;
  if (!type || !scale || (!zero && onnx_has_input(infer, 2)) || !onnx_attr_int(infer, "axis", 1, &axis) ||
      !onnx_attr_int(infer, "block_size", 0, &block) || block != 0)
    return;
  if (is_one_number(scale)) {
    if (zero && !is_one_number(zero))
      refuse_points(infer, 2);
    return;
  }
  if (!onnx_fold_axis(infer, "axis", axis, type->rank, &at))
    return;
  if (scale->rank != 1 || onnx_size_at(scale, 0) != onnx_size_at(type, at))
    refuse_points(infer, 1);
  else if (zero && (zero->rank != 1 || onnx_size_at(zero, 0) != onnx_size_at(scale, 0)))
    refuse_points(infer, 2);
}

/// One for all, one for each column, or as many as the matrices have columns.
static bool is_of_columns(const OnnxType *points, const OnnxType *type)
{
  if (is_one_number(points))
    return true;
  if (type->rank == 0 || (points->rank == 1 && type->rank >= 1))
    return type->rank > 0 && onnx_size_at(points, 0) == onnx_size_at(type, type->rank - 1);
  if (points->rank != type->rank)
    return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (onnx_size_at(points, i) != (i + 2 == type->rank ? 1 : onnx_size_at(type, i)))
      return false;
  }
  return true;
}

static bool check_number(OnnxInfer *infer, uint32_t input)
{
  const OnnxType *type = onnx_sized(infer, input);
  if (!type || is_one_number(type))
    return true;
  refuse_points(infer, input);
  return false;
}

void onnx_fold_matmul_integer(OnnxInfer *infer)
{
  const OnnxType *b = onnx_sized(infer, 1);
  const OnnxType *points = onnx_sized(infer, 3);
  if (check_number(infer, 2) && b && points && !is_of_columns(points, b))
    refuse_points(infer, 3);
}

void onnx_fold_conv_integer(OnnxInfer *infer)
{
  if (check_number(infer, 2))
    onnx_fold_conv(infer);
}

void onnx_fold_qlinear_matmul(OnnxInfer *infer)
{
  static const uint32_t numbers[] = { 1, 2, 6, 7 };
  for (size_t i = 0; i < COUNT(numbers); i++) {
    if (!check_number(infer, numbers[i]))
      return;
  }
  const OnnxType *b = onnx_sized(infer, 3);
  for (uint32_t i = 4; i <= 5 && b; i++) {
    const OnnxType *points = onnx_sized(infer, i);
    if (points && !is_of_columns(points, b))
      refuse_points(infer, i);
  }
}
