// Layers of networks without windows: normalization, recurrence, images that are resized, quantization.

#include <math.h>

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

// --- Normalization ---

/// Before version 14 onnx doesn't ask, and a run fails.
static void check_length(OnnxInfer *infer, uint32_t input, OnnxDim channels)
{
  const OnnxType *type = onnx_shaped(infer, input);
  if (!type || type->rank != 1 || !onnx_is_size(type->dims[0]) || !onnx_is_size(channels) ||
      type->dims[0].value == channels.value)
    return;
  if (infer->schema->since < 14) {
    onnx_report(infer->flow->check, onnx_infer_at(infer, input), RULE_SHAPE_MISMATCH, SEVERITY_WARNING,
                "This has length %lld for %lld channels; the checker passes it, and a run fails.",
                (long long)type->dims[0].value, (long long)channels.value);
    return;
  }
  onnx_infer_fail(infer, onnx_infer_at(infer, input), "This has length %lld for %lld channels.",
                  (long long)type->dims[0].value, (long long)channels.value);
}

/// Scale, bias, mean and variance.
static bool check_lists(OnnxInfer *infer)
{
  for (uint32_t i = 1; i < 5 && infer->schema->since >= 14; i++) {
    const OnnxType *type = onnx_shaped(infer, i);
    if (type && type->rank != 1)
      return onnx_infer_fail(infer, onnx_infer_at(infer, i), "A list is wanted, and this is of rank %u.", type->rank);
  }
  return true;
}

static void infer_normalized(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  onnx_out_like_first(infer, 0, onnx_element(infer, 0));
  if (!check_lists(infer) || !type || type->rank < 1 || infer->schema->since < 9)
    return;
  OnnxDim channels = type->rank > 1 ? type->dims[1] : onnx_size(1);
  for (uint32_t i = 1; i < 5 && !infer->has_failed; i++)
    check_length(infer, i, channels);
  for (uint32_t i = 1; i < infer->node->outputs.count && infer->schema->since >= 14; i++)
    onnx_out(infer, i, onnx_element(infer, 3), &channels, 1);
}

/// A normalization that is trained gives what it has learned, and no other does.
static bool check_training(OnnxInfer *infer)
{
  int64_t trains;
  uint32_t count = infer->node->outputs.count;
  if (infer->schema->since < 14 || !onnx_attr_int(infer, "training_mode", 0, &trains))
    return true;
  if ((int32_t)trains != 0)
    return count == 3 || onnx_infer_fail(infer, onnx_infer_at_attr(infer, "training_mode"),
                                         "With `training_mode` there are 3 outputs, and this node has %u.", count);
  return count == 1 || onnx_infer_fail(infer, infer->node->op_at,
                                       "Without `training_mode` there is 1 output, and this node has %u.", count);
}

void onnx_infer_batch_norm(OnnxInfer *infer)
{
  infer_normalized(infer);
  if (!infer->has_failed)
    (void)check_training(infer);
}

void onnx_infer_layer_norm(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t stash;
  int64_t axis;
  uint32_t at;
  onnx_out_like_first(infer, 0, onnx_element(infer, 0));
  if (infer->node->outputs.count > 1 && !onnx_attr_element(infer, "stash_type", ELEM_FLOAT, &stash))
    return;
  for (uint32_t i = 1; i < infer->node->outputs.count; i++)
    onnx_out(infer, i, (uint32_t)stash, NULL, ONNX_NO_RANK);
  if (!type || !onnx_attr_int(infer, "axis", -1, &axis))
    return;
  at = type->rank;  // An axis after the last one passes.
  if (axis < (int64_t)type->rank && !onnx_axis(infer, axis, type->rank, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims(infer, type->rank);
  for (uint32_t i = 0; i < type->rank; i++)
    dims[i] = i < at ? type->dims[i] : onnx_size(1);
  for (uint32_t i = 1; i < infer->node->outputs.count; i++)
    onnx_out(infer, i, (uint32_t)stash, dims, type->rank);
}

// --- Recurrent networks ---

void onnx_infer_recurrent(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t hidden;
  int64_t layout;
  Str direction;
  for (uint32_t i = 0; i < infer->node->outputs.count; i++)
    onnx_out(infer, i, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  int64_t whole_too;
  bool is_first = infer->schema->since < 7;  // There the shape is known only if the whole output is asked for.
  if (!onnx_attr_int(infer, "output_sequence", 0, &whole_too) || (is_first && whole_too == 0) ||
      !onnx_attr_int(infer, "hidden_size", -1, &hidden) || !onnx_attr_int(infer, "layout", 0, &layout) ||
      !onnx_attr_text(infer, "direction", "forward", &direction))
    return;
  bool is_one = str_equal(direction, STR("forward")) || str_equal(direction, STR("reverse"));
  bool are_two = str_equal(direction, STR("bidirectional"));
  OnnxDim directions = is_one || are_two ? onnx_size(are_two ? 2 : 1) : (OnnxDim){ 0 };
  OnnxDim size = hidden > 0 ? onnx_size(hidden) : (OnnxDim){ 0 };
  if (is_first && type && type->rank < 2)
    return;
  if (!is_first && type && type->rank != 3) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0),
                    "`%.*s` wants a sequence of batches of vectors; this is of rank %u.", STR_ARG(infer->node->op),
                    type->rank);
    return;
  }
  OnnxDim length = type ? type->dims[layout ? 1 : 0] : (OnnxDim){ 0 };
  OnnxDim batch = type ? type->dims[layout ? 0 : 1] : (OnnxDim){ 0 };
  OnnxDim whole[] = { length, directions, batch, size };
  OnnxDim whole_batch[] = { batch, length, directions, size };
  OnnxDim last[] = { directions, batch, size };
  OnnxDim last_batch[] = { batch, directions, size };
  onnx_out(infer, 0, onnx_element(infer, 0), layout ? whole_batch : whole, 4);
  onnx_out(infer, 1, onnx_element(infer, 0), layout ? last_batch : last, 3);
  onnx_out(infer, 2, onnx_element(infer, 0), layout ? last_batch : last, 3);
}

// --- Images ---

/// An empty list counts as none; of scales, only of a constant.
static bool is_given(const OnnxInfer *infer, uint32_t input)
{
  enum { SCALES = 2 };
  const OnnxType *type = onnx_shaped(infer, input);
  bool is_empty = type && type->rank == 1 && onnx_is_size(type->dims[0]) && type->dims[0].value <= 0 &&
                  (input != SCALES || onnx_is_constant(infer, input));
  return onnx_has_input(infer, input) && !is_empty;
}

/// How many numbers a list has, from its values or from its shape; -1 if neither says.
static int64_t list_length(const OnnxNumbers *numbers, const OnnxType *list)
{
  bool has_length = list && list->rank == 1 && onnx_is_size(list->dims[0]) && list->dims[0].value >= 0;
  return numbers ? numbers->count : has_length ? list->dims[0].value : -1;
}

/// Of scales onnx counts only those of a constant.
static bool check_sizes(OnnxInfer *infer, const OnnxType *type, const OnnxNumbers *sizes)
{
  if (infer->schema->since >= 13 && is_given(infer, 2) == is_given(infer, 3))
    return onnx_infer_fail(infer, infer->node->op_at, "`Resize` takes either scales or sizes; %s.",
                           is_given(infer, 2) ? "this has both" : "neither is given");
  const OnnxAttr *axes = onnx_attr(infer, "axes");
  int64_t wanted = axes ? (int64_t)axes->count : type->rank;
  int64_t given = list_length(sizes, onnx_shaped(infer, 3));
  if (given > 0 && given != wanted && !(axes && axes->is_reference))
    return onnx_infer_fail(infer, onnx_infer_at(infer, 3), "Here are %lld sizes for %lld dimensions.", (long long)given,
                           (long long)wanted);
  return true;
}

/// Words that other than stretch the image; scales leave nothing to choose.
static bool check_scales(OnnxInfer *infer)
{
  const OnnxAttr *policy = onnx_attr(infer, "keep_aspect_ratio_policy");
  if (!is_given(infer, 2) || !policy || policy->type != ONNX_STRING || policy->is_reference ||
      str_equal(policy->text, STR("stretch")))
    return true;
  return onnx_infer_fail(infer, policy->value_at, "With scales, `keep_aspect_ratio_policy` of `Resize` is stretch.");
}

/// Where the input has no shape, onnx looks no further.
static bool check_policy(OnnxInfer *infer, bool has_shape)
{
  static const char *const policies[] = { "stretch", "not_larger", "not_smaller" };
  const OnnxAttr *policy = onnx_attr(infer, "keep_aspect_ratio_policy");
  if (!policy || policy->type != ONNX_STRING || policy->is_reference ||
      str_is_one_of(policy->text, policies, COUNT(policies)))
    return true;
  static const char words[] = "`keep_aspect_ratio_policy` of `Resize` is stretch, not_larger or not_smaller.";
  if (has_shape)
    return onnx_infer_fail(infer, policy->value_at, words);
  onnx_report(infer->flow->check, policy->value_at, RULE_ATTRIBUTE_VALUE, SEVERITY_WARNING, words);
  return true;
}

/// Sets the sizes of chosen axes; those of the others stay.
static bool resize_axes(OnnxInfer *infer, const OnnxType *type, const OnnxNumbers *sizes, OnnxDim *dims)
{
  const int64_t *axes;
  uint32_t count;
  if (!onnx_attr_ints(infer, "axes", &axes, &count))
    return true;
  bool fits = sizes && sizes->count == count && count > 0;
  if (fits)
    memcpy(dims, type->dims, type->rank * sizeof(*dims));
  bool *is_set = ARENA_ARRAY(&infer->flow->scratch, bool, type->rank + 1);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t at;
    if (!onnx_axis(infer, axes[i], type->rank, "axes", &at))
      return false;
    if (is_set[at])
      return onnx_infer_fail(infer, onnx_infer_at_attr(infer, "axes"), "Axis %u stands there twice.", at);
    is_set[at] = true;
    if (fits)
      dims[at] = onnx_size(sizes->items[i]);
  }
  return true;
}

/// As onnx computes it, in floats of 32 bits; unknown where that is no size.
static OnnxDim scaled_by(OnnxDim dim, float scale)
{
  float size = floorf((float)dim.value * scale);
  return onnx_is_size(dim) && size >= 0 && size < 0x1p62F ? onnx_size((int64_t)size) : (OnnxDim){ 0 };
}

/// Sets all sizes by scales, or those of chosen axes, which were looked at.
static bool resize_by_scales(OnnxInfer *infer, const OnnxType *type, OnnxDim *dims)
{
  float scales[ONNX_VALUES_LIMIT];
  size_t count;
  const int64_t *axes = NULL;
  uint32_t axis_count = 0;
  uint32_t input = infer->schema->since >= 11 ? 2 : 1;
  bool has_axes = onnx_attr(infer, "axes") != NULL;
  uint64_t raw;
  if (!has_axes && onnx_raw_floats(infer, input, &raw))
    return raw == 0 || raw == type->rank ||
           onnx_infer_fail(infer, onnx_infer_at(infer, input), "Here are %llu scales for %u dimensions.",
                           (unsigned long long)raw, type->rank);
  if (!onnx_floats_fit(infer, input))
    return false;
  if (!onnx_constant_floats(infer, input, scales, COUNT(scales), &count) || count == 0 ||
      (has_axes && !onnx_attr_ints(infer, "axes", &axes, &axis_count)))
    return true;
  uint32_t wanted = has_axes ? axis_count : type->rank;
  if (count != wanted)
    return onnx_infer_fail(infer, onnx_infer_at(infer, input), "Here are %zu scales for %u dimensions.", count, wanted);
  for (uint32_t i = 0; i < type->rank; i++)
    dims[i] = scaled_by(type->dims[i], has_axes ? 1 : scales[i]);
  for (uint32_t i = 0; i < axis_count; i++) {
    int64_t at = axes[i] < 0 ? axes[i] + type->rank : axes[i];
    dims[at] = scaled_by(type->dims[at], scales[i]);
  }
  return true;
}

void onnx_infer_resize(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxNumbers *sizes = infer->schema->since >= 11 ? onnx_constant(infer, 3) : NULL;
  const OnnxType *list = onnx_shaped(infer, 3);
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (type && list && list->rank != 1 && infer->schema->since >= 11 && !onnx_is_constant(infer, 3)) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 3), "The sizes have to be a list; this is of rank %u.", list->rank);
    return;
  }
  if ((type && !check_sizes(infer, type, sizes)) || !check_policy(infer, type != NULL) || !type || !check_scales(infer))
    return;
  float read[1];
  size_t read_count;
  if (infer->schema->since >= 11 && onnx_is_external(infer, 2) &&
      !onnx_constant_floats(infer, 2, read, COUNT(read), &read_count))
    return;
  bool has_axes = onnx_attr(infer, "axes") != NULL;
  Str policy;
  bool is_plain = sizes && onnx_attr_text(infer, "keep_aspect_ratio_policy", "stretch", &policy) &&
                  str_equal(policy, STR("stretch"));
  OnnxDim *dims = onnx_dims(infer, type->rank);
  for (uint32_t i = 0; i < type->rank && is_plain && !has_axes && sizes->count == type->rank; i++)
    dims[i] = onnx_size(sizes->items[i]);
  bool is_good = !has_axes || resize_axes(infer, type, is_plain ? sizes : NULL, dims);
  if (is_good && (sizes || is_given(infer, 3) || resize_by_scales(infer, type, dims)))
    onnx_out(infer, 0, type->element, dims, type->rank);
}

/// False after a report.
static bool check_upsample(OnnxInfer *infer, const OnnxType *type)
{
  const OnnxAttr *scales = onnx_attr(infer, "scales");
  if (!type || !scales || scales->type != ONNX_FLOATS || scales->is_reference || scales->count == type->rank)
    return true;
  return onnx_infer_fail(infer, scales->value_at, "Here are %llu scales for a tensor of rank %u.",
                         (unsigned long long)scales->count, type->rank);
}

void onnx_infer_upsample(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  bool takes_scales = infer->schema->since >= 9;
  if ((!type && !takes_scales) || !check_upsample(infer, type))
    return;
  OnnxDim *dims = type ? onnx_dims(infer, type->rank) : NULL;
  if (type && takes_scales && !resize_by_scales(infer, type, dims))
    return;
  onnx_out(infer, 0, onnx_element(infer, 0), dims, type ? type->rank : ONNX_NO_RANK);
}

static bool read_block(OnnxInfer *infer, const OnnxType *type, int64_t *ret_block)
{
  if (infer->node->lacks_attrs || !onnx_attr_int(infer, "blocksize", 0, ret_block))
    return false;
  if (*ret_block <= 0)
    return onnx_infer_fail(infer, onnx_infer_at_attr(infer, "blocksize"), "`blocksize` has to be positive.");
  if (!type)
    return false;
  if (type->rank != 4)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`%.*s` wants 4 dimensions; this has %u.",
                           STR_ARG(infer->node->op), type->rank);
  return *ret_block < INT16_MAX;
}

/// What does not come out even is cut, as onnx does.
static OnnxDim scaled(OnnxDim dim, int64_t times, int64_t parts)
{
  int64_t size;
  if (!onnx_is_size(dim) || __builtin_mul_overflow(dim.value, times, &size))
    return (OnnxDim){ 0 };
  return onnx_size(size / parts);
}

void onnx_infer_depth_to_space(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t block;
  if (!read_block(infer, type, &block))
    return;
  OnnxDim dims[] = { type->dims[0], scaled(type->dims[1], 1, block * block), scaled(type->dims[2], block, 1),
                     scaled(type->dims[3], block, 1) };
  onnx_out(infer, 0, type->element, dims, 4);
}

void onnx_infer_space_to_depth(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t block;
  if (!read_block(infer, type, &block))
    return;
  OnnxDim dims[] = { type->dims[0], scaled(type->dims[1], block * block, 1), scaled(type->dims[2], 1, block),
                     scaled(type->dims[3], 1, block) };
  onnx_out(infer, 0, type->element, dims, 4);
}

// --- Quantization ---

void onnx_infer_quantize(OnnxInfer *infer)
{
  int64_t output;
  if (!onnx_attr_int(infer, "output_dtype", 0, &output))
    return;
  uint32_t zero = onnx_element(infer, 2);
  if (zero != 0 && output != 0 && output != zero && infer->schema->since >= 21) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "output_dtype"), "The zero point is of %.*s.",
                    STR_ARG(onnx_element_word(zero)));
    return;
  }
  uint32_t element = onnx_has_input(infer, 2)            ? onnx_element(infer, 2)
                     : output > 0 && output < ELEM_COUNT ? (uint32_t)output
                                                         : ELEM_UINT8;
  onnx_out_like_first(infer, 0, element);
}

void onnx_infer_dequantize(OnnxInfer *infer)
{
  int64_t output;
  if (!onnx_attr_int(infer, "output_dtype", 0, &output))
    return;
  uint32_t element = infer->schema->since < 19 ? ELEM_FLOAT : onnx_element(infer, 1);
  onnx_out_like_first(infer, 0, output > 0 && output < ELEM_COUNT ? (uint32_t)output : element);
}
