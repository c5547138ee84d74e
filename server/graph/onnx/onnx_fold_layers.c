// Layers of constants that a session computes when it loads a model.

#include "base/ascii.h"
#include "graph/onnx/onnx_flow.h"

/// Reports an input that is given and is not of one element, and in no more than one dimension.
static bool check_scalar(OnnxInfer *infer, uint32_t input, const char *name)
{
  const OnnxType *type = onnx_sized(infer, input);
  if (!type || (type->rank <= 1 && onnx_count_of(type) == 1))
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, input), "`%s` of `%.*s` is one number.", name,
                     STR_ARG(infer->node->op));
  return false;
}

/// Reports an input that is given and is no list of that many.
static bool check_list(OnnxInfer *infer, uint32_t input, int64_t count)
{
  const OnnxType *type = onnx_sized(infer, input);
  if (!type || (type->rank == 1 && onnx_size_at(type, 0) == count))
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, input), "`%.*s` wants a list of %lld here.", STR_ARG(infer->node->op),
                     (long long)count);
  return false;
}

static bool check_rank(OnnxInfer *infer, uint32_t input, uint32_t least, uint32_t most)
{
  const OnnxType *type = onnx_sized(infer, input);
  if (!type || (type->rank >= least && type->rank <= most))
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, input), "`%.*s` wants %s%u dimensions here, and there are %u.",
                     STR_ARG(infer->node->op), type->rank < least && most > least ? "at least " : "",
                     type->rank < least ? least : most, type->rank);
  return false;
}

void onnx_fold_clip(OnnxInfer *infer)
{
  if (infer->schema->since >= 11 && check_scalar(infer, 1, "min"))
    check_scalar(infer, 2, "max");
}

void onnx_fold_trilu(OnnxInfer *infer)
{
  check_scalar(infer, 1, "k");
}

void onnx_fold_cumsum(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxNumbers *axis = onnx_given(infer, 1);
  if (!type || !check_rank(infer, 0, 1, UINT32_MAX) || !check_rank(infer, 1, 0, 1) || !axis || axis->count == 0)
    return;  // Of several the first one counts.
  if (axis->items[0] < -(int64_t)type->rank || axis->items[0] >= (int64_t)type->rank)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`axis` is %lld, and `CumSum` has a tensor of rank %u.",
                       (long long)axis->items[0], type->rank);
}

void onnx_fold_global_pool(OnnxInfer *infer)
{
  check_rank(infer, 0, 3, UINT32_MAX);
}

void onnx_fold_instance_norm(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  if (type && check_rank(infer, 0, 3, UINT32_MAX) && check_list(infer, 1, onnx_size_at(type, 1)))
    check_list(infer, 2, onnx_size_at(type, 1));
}

void onnx_fold_batch_norm(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  bool fits = type && type->rank > 1 && infer->schema->since >= 7;
  for (uint32_t i = 1; i < 5 && fits; i++)
    fits = check_list(infer, i, onnx_size_at(type, 1));
}

/// Once for each sample, each step, or both, in front of the last dimensions: then the bias is of the same shape.
static bool is_broadcast(const OnnxType *type, const OnnxType *scale, const OnnxType *bias, uint32_t axis)
{
  if (axis != 2 || type->rank < 3 || scale->rank != type->rank || (bias && bias->rank != scale->rank))
    return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    bool fits = onnx_size_at(scale, i) == onnx_size_at(type, i) || (i < 2 && onnx_size_at(scale, i) == 1);
    if (!fits || (bias && onnx_size_at(bias, i) != onnx_size_at(scale, i)))
      return false;
  }
  return true;
}

void onnx_fold_layer_norm(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxType *scale = onnx_sized(infer, 1);
  const OnnxType *bias = onnx_sized(infer, 2);
  int64_t axis;
  uint32_t at;
  if (!type || !scale || !onnx_attr_int(infer, "axis", -1, &axis) ||
      !onnx_fold_axis(infer, "axis", axis, type->rank, &at))
    return;
  OnnxDim room = onnx_product(type, at, type->rank);
  if (!onnx_is_size(room))  // More than can be counted.
    return;
  bool fits = onnx_count_of(scale) == room.value && (!bias || onnx_count_of(bias) == room.value);
  if (room.value <= 1)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "`%.*s` wants more than one number to normalize.",
                       STR_ARG(infer->node->op));
  else if (!fits && !is_broadcast(type, scale, bias, at))
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`%.*s` normalizes %lld numbers, and has not as many to scale.",
                       STR_ARG(infer->node->op), (long long)room.value);
}

void onnx_fold_prelu(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxType *slope = onnx_sized(infer, 1);
  for (uint32_t i = 1; type && slope && i <= type->rank && i <= slope->rank; i++) {
    int64_t a = onnx_size_at(type, type->rank - i);
    int64_t b = onnx_size_at(slope, slope->rank - i);
    if (a != b && a != 1 && b != 1)
      onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`PRelu` can't broadcast %lld to %lld.", (long long)b,
                         (long long)a);
  }
}

/// From version 8 on they broadcast.
void onnx_fold_alike(OnnxInfer *infer)
{
  const OnnxType *first = onnx_sized(infer, 0);
  for (uint32_t i = 1; infer->schema->since == 6 && first && i < infer->node->inputs.count; i++) {
    const OnnxType *type = onnx_sized(infer, i);
    bool fits = !type || type->rank == first->rank;
    for (uint32_t k = 0; type && fits && k < type->rank; k++)
      fits = onnx_size_at(type, k) == onnx_size_at(first, k);
    if (!fits)
      onnx_refuse_folded(infer, onnx_infer_at(infer, i), "`%.*s` of this version takes tensors of one shape.",
                         STR_ARG(infer->node->op));
  }
}

void onnx_fold_topk(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxNumbers *given = onnx_given(infer, 1);
  int64_t axis;
  int64_t k = given && given->count == 1 ? given->items[0] : 0;
  uint32_t at;
  if (!type || !onnx_attr_int(infer, "axis", -1, &axis) || !onnx_fold_axis(infer, "axis", axis, type->rank, &at) ||
      (infer->schema->since < 10 && !onnx_attr_int(infer, "k", 0, &k)))
    return;
  if (k < 0 || k > onnx_size_at(type, at))
    onnx_refuse_folded(infer, infer->schema->since < 10 ? onnx_infer_at_attr(infer, "k") : onnx_infer_at(infer, 1),
                       "`TopK` can't choose %lld of %lld.", (long long)k, (long long)onnx_size_at(type, at));
}

void onnx_fold_transpose(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const int64_t *perm;
  uint32_t count;
  if (!type || !onnx_attr_ints(infer, "perm", &perm, &count) || count == 0)
    return;
  bool *seen = arena_alloc(&infer->flow->scratch, type->rank + 1);
  memset(seen, 0, type->rank + 1);
  bool fits = count == type->rank;
  for (uint32_t i = 0; i < count && fits; i++) {
    fits = perm[i] >= 0 && perm[i] < type->rank && !seen[perm[i]];
    if (fits)
      seen[perm[i]] = true;
  }
  if (!fits)
    onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "perm"), "`perm` is no order of %u dimensions.", type->rank);
}

/// The input, and axes of an attribute: onnx looks at those of an input itself. NULL if one of both is unknown.
static const OnnxType *take_axes(const OnnxInfer *infer, const int64_t **ret_axes, uint32_t *ret_count)
{
  const OnnxType *type = onnx_sized(infer, 0);
  return type && onnx_attr_ints(infer, "axes", ret_axes, ret_count) ? type : NULL;
}

void onnx_fold_squeeze(OnnxInfer *infer)
{
  const int64_t *axes;
  uint32_t count;
  uint32_t at;
  const OnnxType *type = take_axes(infer, &axes, &count);
  for (uint32_t i = 0; type && i < count; i++) {
    if (!onnx_fold_axis(infer, "axes", axes[i], type->rank, &at))
      return;
    if (onnx_size_at(type, at) != 1)
      onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "axes"), "Dimension %u is %lld, and `Squeeze` takes it out.",
                         at, (long long)onnx_size_at(type, at));
  }
}

void onnx_fold_unsqueeze(OnnxInfer *infer)
{
  const int64_t *axes;
  uint32_t count;
  uint32_t at;
  const OnnxType *type = take_axes(infer, &axes, &count);
  if (!type)
    return;
  bool *seen = arena_alloc(&infer->flow->scratch, type->rank + count + 1);
  memset(seen, 0, type->rank + count + 1);
  for (uint32_t i = 0; i < count && onnx_fold_axis(infer, "axes", axes[i], type->rank + count, &at); i++) {
    if (seen[at])
      onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "axes"), "Axis %u stands there twice.", at);
    seen[at] = true;
  }
}

void onnx_fold_boxes(OnnxInfer *infer)
{
  const OnnxType *boxes = onnx_sized(infer, 0);
  const OnnxType *scores = onnx_sized(infer, 1);
  if (!boxes || !scores || !check_rank(infer, 0, 3, 3) || !check_rank(infer, 1, 3, 3))
    return;
  if (onnx_size_at(boxes, 0) != onnx_size_at(scores, 0) || onnx_size_at(boxes, 1) != onnx_size_at(scores, 2) ||
      onnx_size_at(boxes, 2) != 4)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0),
                       "`NonMaxSuppression` wants four numbers a box, and scores of as many.");
}

void onnx_fold_lrn(OnnxInfer *infer)
{
  check_rank(infer, 0, 4, 4);
}

/// The batch lies where the time does not.
void onnx_fold_sequence_lengths(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxNumbers *lengths = onnx_given(infer, 1);
  int64_t axis;
  if (!type || type->rank < 2 || !onnx_attr_int(infer, "time_axis", 0, &axis) ||
      !check_list(infer, 1, onnx_size_at(type, axis == 0)))
    return;
  int64_t most = onnx_size_at(type, axis != 0);
  for (uint32_t i = 0; lengths && i < lengths->count; i++) {
    if (lengths->items[i] < 0 || lengths->items[i] > most)
      onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "A sequence is %lld long, and there is room for %lld.",
                         (long long)lengths->items[i], (long long)most);
  }
}

/// One of the axes has to be one of the input's.
void onnx_fold_mean_variance(OnnxInfer *infer)
{
  static const int64_t usual[] = { 0, 2, 3 };
  const OnnxType *type = onnx_sized(infer, 0);
  const int64_t *axes = usual;
  uint32_t count = COUNT(usual);
  if (!type || (onnx_attr(infer, "axes") && !onnx_attr_ints(infer, "axes", &axes, &count)))
    return;
  for (uint32_t i = 0; i < count; i++) {
    if (axes[i] >= -(int64_t)type->rank && axes[i] < (int64_t)type->rank)
      return;
  }
  onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "axes"), "A tensor of rank %u has no axis to normalize along.",
                     type->rank);
}

/// The tables are for each place if places are given, else for each sample, too.
void onnx_fold_rotary(OnnxInfer *infer)
{
  uint32_t rank = onnx_has_input(infer, 3) ? 2 : 3;
  if (check_rank(infer, 1, rank, rank))
    check_rank(infer, 2, rank, rank);
}

void onnx_fold_optional(OnnxInfer *infer)
{
  onnx_refuse_folded(infer, infer->node->op_at, "An `Optional` of a constant can't be made.");
}

void onnx_fold_mod(OnnxInfer *infer)
{
  uint32_t element = onnx_element(infer, 0);
  int64_t fmod;
  bool has_point = element == ELEM_FLOAT || element == ELEM_DOUBLE || element == ELEM_FLOAT16;
  if (has_point && onnx_attr_int(infer, "fmod", 0, &fmod) && fmod == 0)
    onnx_refuse_folded(infer, infer->node->op_at, "`Mod` of floats wants `fmod = 1`.");
}

/// Whether the rows of one are as long as the columns of the other; true if that is not known.
static bool can_multiply(OnnxInfer *infer)
{
  const OnnxType *left = onnx_sized(infer, 0);
  const OnnxType *right = onnx_sized(infer, 1);
  int64_t turns_left;
  int64_t turns_right;
  if (!left || !right || left->rank != 2 || right->rank != 2 || !onnx_attr_int(infer, "transA", 0, &turns_left) ||
      !onnx_attr_int(infer, "transB", 0, &turns_right))
    return true;
  return onnx_size_at(left, turns_left ? 0 : 1) == onnx_size_at(right, turns_right ? 1 : 0);
}

void onnx_fold_gemm(OnnxInfer *infer)
{
  if (!can_multiply(infer))
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "`Gemm` can't multiply these sizes.");
  const OnnxType *result = infer->out[0];
  const OnnxType *added = onnx_sized(infer, 2);
  if (!result || !result->has_shape || result->rank != 2 || !added)
    return;
  bool fits = added->rank <= 2;
  for (uint32_t i = 1; fits && i <= added->rank; i++) {
    int64_t size = onnx_size_at(added, added->rank - i);
    fits = !onnx_is_size(result->dims[2 - i]) || size == 1 || size == result->dims[2 - i].value;
  }
  if (!fits)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 2), "`Gemm` can't add this to the product.");
}

void onnx_fold_conv_transpose(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  const OnnxType *weight = onnx_sized(infer, 1);
  int64_t group;
  if (!type || !weight || !onnx_attr_int(infer, "group", 1, &group) || !check_rank(infer, 0, 2, UINT32_MAX) ||
      !check_rank(infer, 1, type->rank, type->rank))
    return;
  int64_t channels = onnx_size_at(type, 1);
  if (onnx_size_at(weight, 0) != channels)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "Here are %lld filters for %lld channels.",
                       (long long)onnx_size_at(weight, 0), (long long)channels);
  else if (group <= 0 || channels % group != 0)
    onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "group"), "%lld channels make no %lld groups.",
                       (long long)channels, (long long)group);
}

void onnx_fold_depth(OnnxInfer *infer)
{
  const OnnxType *type = onnx_sized(infer, 0);
  int64_t block;
  if (!type || type->rank != 4 || !onnx_attr_int(infer, "blocksize", 0, &block) || block <= 0 || block > INT16_MAX)
    return;
  bool is_deep = str_equal(infer->node->op, STR("DepthToSpace"));
  bool fits = is_deep ? onnx_size_at(type, 1) % (block * block) == 0
                      : onnx_size_at(type, 2) % block == 0 && onnx_size_at(type, 3) % block == 0;
  if (!fits)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "These sizes can't be divided into blocks of %lld.",
                       (long long)block);
}

void onnx_fold_gelu(OnnxInfer *infer)
{
  Str word;
  if (onnx_attr_text(infer, "approximate", "none", &word) && !str_equal(word, STR("none")) &&
      !str_equal(word, STR("tanh")))
    onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "approximate"), "`approximate` of `Gelu` is none or tanh.");
}

/// The result lists letters of the operands, each once.
void onnx_fold_einsum(OnnxInfer *infer)
{
  Str equation;
  size_t arrow = onnx_attr_text(infer, "equation", "", &equation) ? str_find(equation, STR("->"), 0) : STR_NOT_FOUND;
  if (arrow == STR_NOT_FOUND)
    return;
  Str operands = str_slice(equation, 0, arrow);
  for (size_t i = arrow + 2; i < equation.len; i++) {
    char letter = equation.data[i];
    if (letter == ' ' || letter == '.')
      continue;
    if (ascii_is_letter(letter) && str_find_char(operands, letter, 0) != STR_NOT_FOUND &&
        str_find_char(equation, letter, i + 1) == STR_NOT_FOUND)
      continue;
    onnx_refuse_folded(infer, onnx_infer_at_attr(infer, "equation"),
                       "The result of `Einsum` can't have `%c` here: it takes letters of the operands, each once.",
                       letter);
    return;
  }
}

static bool steps_by_zero(OnnxInfer *infer)
{
  float step;
  size_t count;
  const OnnxNumbers *given = onnx_given(infer, 2);
  if (given)
    return given->count == 1 && given->items[0] == 0;
  return onnx_constant_floats(infer, 2, &step, 1, &count) && count == 1 && step == 0;
}

/// A session follows shapes once more when it has computed the inputs; it does not look at those of int16 then, and its
/// kernel takes any single number.
void onnx_fold_range(OnnxInfer *infer)
{
  for (uint32_t i = 0; i < 3; i++) {
    const OnnxType *type = onnx_sized(infer, i);
    if (!type || type->rank == 0 || (type->element == ELEM_INT16 && onnx_product(type, 0, type->rank).value == 1))
      continue;
    onnx_refuse_folded(infer, onnx_infer_at(infer, i), "`Range` takes scalars; this is of rank %u.", type->rank);
    return;
  }
  if (steps_by_zero(infer))
    onnx_refuse_folded(infer, onnx_infer_at(infer, 2), "`Range` takes no step of 0.");
}
