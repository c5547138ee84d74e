// Operators of signals and images whose sizes follow from numbers that the model gives.

#include "graph/onnx/onnx_flow.h"

static bool check_list(OnnxInfer *infer, uint32_t input)
{
  const OnnxType *type = onnx_shaped(infer, input);
  return !type || type->rank == 1 ||
         onnx_infer_fail(infer, onnx_infer_at(infer, input), "A list is wanted; this is of rank %u.", type->rank);
}

/// A number that is known; false if it is not, or after a report that it is none but a list.
static bool read_scalar(OnnxInfer *infer, uint32_t input, int64_t *ret_value)
{
  const OnnxNumbers *numbers = onnx_constant(infer, input);
  const OnnxType *type = onnx_is_constant(infer, input) ? onnx_shaped(infer, input) : NULL;
  uint32_t rank = numbers ? numbers->rank : type ? type->rank : 0;
  if (rank != 0 && !infer->has_failed)
    return onnx_infer_fail(infer, onnx_infer_at(infer, input), "One number is wanted; this is of rank %u.", rank);
  if (!numbers)
    return false;
  *ret_value = numbers->items[0];
  return numbers->count == 1;
}

void onnx_infer_mel(OnnxInfer *infer)
{
  int64_t element;
  int64_t bins = 0;
  int64_t length = 0;
  if (!onnx_attr_element(infer, "output_datatype", ELEM_FLOAT, &element))
    return;
  onnx_out(infer, 0, (uint32_t)element, NULL, ONNX_NO_RANK);
  if (!onnx_is_constant(infer, 0) || !onnx_is_constant(infer, 1) || !read_scalar(infer, 0, &bins) ||
      !read_scalar(infer, 1, &length) || bins <= 0 || length <= 0)
    return;
  OnnxDim dims[] = { onnx_size((length >> 1) + 1), onnx_size(bins) };
  onnx_out(infer, 0, (uint32_t)element, dims, 2);
}

/// How long a frame is, by the window or by the number; false if neither says it, or after a report.
static bool read_frame(OnnxInfer *infer, int64_t *ret_length)
{
  const OnnxType *window = onnx_shaped(infer, 2);
  bool has_length = onnx_has_input(infer, 3);
  int64_t length = 0;
  if (has_length && !onnx_is_constant(infer, 3) && !onnx_constant(infer, 3))
    return false;
  if ((!window && !has_length) || (has_length && !read_scalar(infer, 3, &length)) || !check_list(infer, 2))
    return false;
  bool has_window = window && onnx_is_size(window->dims[0]);
  if (has_length && has_window && window->dims[0].value != length)
    return onnx_infer_fail(infer, onnx_infer_at(infer, 2), "The window is %lld long, and a frame %lld.",
                           (long long)window->dims[0].value, (long long)length);
  *ret_length = has_length ? length : has_window ? window->dims[0].value : 0;
  return has_length || has_window;
}

void onnx_infer_stft(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t length;
  int64_t is_onesided;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (type && type->rank < 2) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A signal has at least 2 dimensions; this is of rank %u.",
                    type->rank);
    return;
  }
  const OnnxNumbers *step = type && onnx_is_size(type->dims[1]) ? onnx_constant(infer, 1) : NULL;
  bool is_known = step && step->count > 0 && read_frame(infer, &length) &&
                  onnx_attr_int(infer, "onesided", 0, &is_onesided);  // As onnx does, against the schema's default.
  if (!is_known || step->items[0] == 0)
    return;
  OnnxDim batch = onnx_is_size(type->dims[0]) ? type->dims[0] : (OnnxDim){ 0 };
  float frames = ((float)type->dims[1].value - (float)length) / (float)step->items[0];
  if (!(frames > (float)INT32_MIN && frames < (float)INT32_MAX))
    return;
  OnnxDim dims[] = { batch, onnx_size((int64_t)frames + 1), onnx_size(is_onesided ? (length >> 1) + 1 : length),
                     onnx_size(2) };
  onnx_out(infer, 0, type->element, dims, 4);
}

/// The sizes that a list says: those numbers, or as many unknown ones as it is long. False if it is not known how many.
static bool read_sizes(OnnxInfer *infer, uint32_t input, OnnxDim *ret_sizes, size_t limit, uint32_t *ret_count)
{
  const OnnxNumbers *numbers = onnx_constant(infer, input);
  const OnnxType *type = onnx_shaped(infer, input);
  bool has_length = type && type->rank == 1 && onnx_is_size(type->dims[0]);
  int64_t count = numbers ? numbers->count : has_length ? type->dims[0].value : -1;
  if (count < 0 || count > UINT32_MAX)
    return false;
  for (uint32_t i = 0; i < count && i < limit; i++)
    ret_sizes[i] = numbers ? onnx_size(numbers->items[i]) : (OnnxDim){ 0 };
  *ret_count = (uint32_t)count;
  return true;
}

void onnx_infer_affine_grid(OnnxInfer *infer)
{
  OnnxDim sizes[5];
  uint32_t count;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!onnx_shaped(infer, 0) || !check_list(infer, 1) || !read_sizes(infer, 1, sizes, COUNT(sizes), &count))
    return;
  if (count != 4 && count != 5) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The sizes are 4 or 5 numbers; here are %u.", count);
    return;
  }
  OnnxDim flat[] = { sizes[0], sizes[2], sizes[3], onnx_size(2) };
  OnnxDim deep[] = { sizes[0], sizes[2], sizes[3], sizes[4], onnx_size(3) };
  onnx_out(infer, 0, onnx_element(infer, 0), count == 4 ? flat : deep, count);
}

void onnx_infer_image_decoder(OnnxInfer *infer)
{
  static const OnnxDim dims[3];
  if (check_list(infer, 0))
    onnx_out(infer, 0, ELEM_UINT8, dims, 3);
}

// --- Col2Im ---

/// One more place that says how many dimensions the image has; false after a report that it says another number.
static bool add_count(OnnxInfer *infer, OnnxSpan at, int64_t count, int64_t *known)
{
  if (*known >= 0 && *known != count)
    return onnx_infer_fail(infer, at, "This is for %lld dimensions, and the image has %lld.", (long long)count,
                           (long long)*known);
  *known = count;
  return true;
}

static bool add_input(OnnxInfer *infer, uint32_t input, int64_t *known)
{
  const OnnxType *type = onnx_shaped(infer, input);
  const OnnxNumbers *numbers = onnx_constant(infer, input);
  if (!check_list(infer, input))
    return false;
  if (onnx_is_size(type->dims[0]) && !add_count(infer, onnx_infer_at(infer, input), type->dims[0].value, known))
    return false;
  return !numbers || add_count(infer, onnx_infer_at(infer, input), numbers->count, known);
}

static bool add_attr(OnnxInfer *infer, const char *name, uint32_t each, int64_t *known)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  if (!attr || attr->is_reference)
    return true;
  if (attr->count % each != 0)
    return onnx_infer_fail(infer, attr->value_at, "`%s` has to be of even length.", name);
  return add_count(infer, attr->value_at, (int64_t)(attr->count / each), known);
}

/// Of the channels each block has as many as it has places; unknown if the block is.
static OnnxDim channels_of(OnnxInfer *infer, const OnnxType *type)
{
  const OnnxNumbers *block = onnx_constant(infer, 2);
  int64_t places = block && block->count > 0 ? 1 : 0;
  for (uint32_t i = 0; places != 0 && i < block->count; i++) {
    if (__builtin_mul_overflow(places, block->items[i], &places) || places > INT32_MAX)
      places = 0;
  }
  if (places == 1)
    return type->dims[1];
  return places > 0 && onnx_is_size(type->dims[1]) ? onnx_size(type->dims[1].value / places) : (OnnxDim){ 0 };
}

void onnx_infer_col2im(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t count = -1;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || !onnx_shaped(infer, 1) || !onnx_shaped(infer, 2) || !add_input(infer, 1, &count) ||
      !add_attr(infer, "pads", 2, &count) || !add_attr(infer, "dilations", 1, &count) ||
      !add_attr(infer, "strides", 1, &count))
    return;
  if (type->rank != 3) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A tensor of rank 3 is wanted; this is of rank %u.", type->rank);
    return;
  }
  const OnnxNumbers *image = onnx_constant(infer, 1);
  if (!add_input(infer, 2, &count) || count < 0 || count > ONNX_VALUES_LIMIT)
    return;
  OnnxDim *dims = onnx_dims(infer, (uint32_t)count + 2);
  dims[0] = onnx_is_size(type->dims[0]) ? type->dims[0] : (OnnxDim){ 0 };
  dims[1] = channels_of(infer, type);
  for (uint32_t i = 0; i < count; i++)
    dims[i + 2] = image && i < image->count ? onnx_size(image->items[i]) : (OnnxDim){ 0 };
  onnx_out(infer, 0, type->element, dims, (uint32_t)count + 2);
}

void onnx_infer_reverse_sequence(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || !onnx_shaped(infer, 1))
    return;
  if (type->rank < 2)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "Sequences are of rank 2 or more; this is of rank %u.", type->rank);
  else if (check_list(infer, 1))
    onnx_out_like_first(infer, 0, type->element);
}

/// Its body has constants of float, and from version 13 on no axes by itself: onnx's inference fails at them.
/// As ReduceMean takes them, of which the function is made.
static void check_reduced_axes(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const int64_t *axes;
  uint32_t count;
  uint32_t axis;
  if (!type || !onnx_attr_ints(infer, "axes", &axes, &count))
    return;
  for (uint32_t i = 0; i < count && onnx_axis(infer, axes[i], type->rank, "axes", &axis); i++) {
  }
}

void onnx_infer_mean_variance(OnnxInfer *infer)
{
  uint32_t element = onnx_element(infer, 0);
  onnx_out_like_first(infer, 0, element);
  if (element != 0 && element != ELEM_FLOAT)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`%.*s` computes with float, and this is of %.*s.",
                    STR_ARG(infer->node->op), STR_ARG(onnx_element_word(element)));
  else if (infer->schema->since >= 13 && !onnx_attr(infer, "axes"))
    onnx_infer_fail(infer, infer->node->op_at, "onnx's strict inference refuses `%.*s` without `axes`.",
                    STR_ARG(infer->node->op));
  else if (infer->schema->since >= 13)
    check_reduced_axes(infer);
}
