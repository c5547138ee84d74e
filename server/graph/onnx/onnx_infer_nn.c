// Convolutions and pooling: windows that move over the spatial dimensions.

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

// --- Windows that move over the spatial dimensions ---

typedef struct Window {
  uint32_t count;  ///< Spatial dimensions.
  int64_t kernel[ONNX_SPATIAL_LIMIT];
  bool kernel_known[ONNX_SPATIAL_LIMIT];
  int64_t strides[ONNX_SPATIAL_LIMIT];
  int64_t dilations[ONNX_SPATIAL_LIMIT];
  int64_t pads[2 * ONNX_SPATIAL_LIMIT];
  Str auto_pad;
  bool rounds_up;
  bool leaves_out;  ///< Rounded up, it takes no window that would begin after the end.
} Window;

/// A list with one entry a spatial dimension; `otherwise` fills one that is not given.
static bool read_list(OnnxInfer *infer, const char *name, uint32_t want, int64_t otherwise, int64_t *ret_items)
{
  const int64_t *items;
  uint32_t count;
  if (!onnx_attr_ints(infer, name, &items, &count))
    return false;
  if (onnx_attr(infer, name) && count != want)
    return onnx_infer_fail(infer, onnx_infer_at_attr(infer, name), "`%s` lists %u, and %u are wanted.", name, count,
                           want);
  for (uint32_t i = 0; i < want; i++)
    ret_items[i] = items ? items[i] : otherwise;
  return true;
}

/// All but the kernel and the padding, which onnx reads after it.
static bool read_window(OnnxInfer *infer, uint32_t count, Window *ret)
{
  int64_t rounds_up;
  *ret = (Window){ .count = count };
  if (count > ONNX_SPATIAL_LIMIT || !read_list(infer, "dilations", count, 1, ret->dilations) ||
      !read_list(infer, "strides", count, 1, ret->strides) ||
      !onnx_attr_text(infer, "auto_pad", "NOTSET", &ret->auto_pad) || !onnx_attr_int(infer, "ceil_mode", 0, &rounds_up))
    return false;
  ret->rounds_up = rounds_up == 1;
  ret->leaves_out = infer->schema->since >= 22;
  if (onnx_attr(infer, "pads"))  // Whoever pads himself is not padded for.
    ret->auto_pad = STR("NOTSET");
  return true;
}

static bool read_pads(OnnxInfer *infer, Window *window)
{
  return read_list(infer, "pads", 2 * window->count, 0, window->pads);
}

/// The kernel's sizes: of the attribute, else of the weights.
static bool read_kernel(OnnxInfer *infer, const OnnxType *weights, Window *window)
{
  if (onnx_attr(infer, "kernel_shape")) {
    memset(window->kernel_known, true, sizeof(window->kernel_known));
    return read_list(infer, "kernel_shape", window->count, 1, window->kernel);
  }
  for (uint32_t i = 0; i < window->count; i++) {
    OnnxDim dim = weights ? weights->dims[i + 2] : (OnnxDim){ 0 };
    window->kernel_known[i] = onnx_is_size(dim);
    window->kernel[i] = dim.value;
  }
  return weights != NULL;
}

static bool is_sized(const OnnxType *type, uint32_t first)
{
  uint32_t i = first;
  while (i < type->rank && onnx_is_size(type->dims[i]))
    i++;
  return i >= type->rank;
}

static bool is_kernel_known(const Window *window)
{
  uint32_t i = 0;
  while (i < window->count && window->kernel_known[i])
    i++;
  return i == window->count;
}

/// The official inference takes every `auto_pad` that begins with SAME for one of the two.
static bool is_same_pad(Str auto_pad)
{
  return str_equal(auto_pad, STR("SAME_UPPER")) || str_equal(auto_pad, STR("SAME_LOWER"));
}

/// Small enough to be computed with.
static bool is_moderate(int64_t value)
{
  return value > INT32_MIN && value < INT32_MAX;
}

/// So many steps of a stride can be computed with.
static bool is_short(int64_t stride, int64_t steps)
{
  int64_t way;
  return !__builtin_mul_overflow(stride, steps, &way) && way > INT64_MIN / 4 && way < INT64_MAX / 4;
}

static bool is_measured(const Window *window, uint32_t i, OnnxDim size)
{
  return onnx_is_size(size) && window->kernel_known[i] && is_moderate(size.value) && is_moderate(window->kernel[i]) &&
         is_moderate(window->dilations[i]) && window->strides[i] != 0 &&
         is_short(window->strides[i], size.value < 1 ? 1 : size.value) && is_moderate(window->pads[i]) &&
         is_moderate(window->pads[i + window->count]);
}

static int64_t reach_of(const Window *window, uint32_t i)
{
  return (window->kernel[i] - 1) * window->dilations[i] + 1;
}

/// The padding before a dimension, and all of it: with SAME_ as much as the last window needs.
static int64_t padding_of(const Window *window, uint32_t i, int64_t size, int64_t *ret_before)
{
  int64_t stride = window->strides[i];
  *ret_before = window->pads[i];
  if (!is_same_pad(window->auto_pad))
    return window->pads[i] + window->pads[i + window->count];
  int64_t rest = stride < 0 ? 0 : size > 0 ? size % stride : size;
  int64_t all = reach_of(window, i) - (rest == 0 ? stride : rest);
  all = all < 0 ? 0 : all;
  *ret_before = str_equal(window->auto_pad, STR("SAME_LOWER")) ? all - (all >> 1) : all >> 1;
  return all;
}

/// The size that the node's output is written with; none if there is none.
static OnnxDim written_size(const OnnxInfer *infer, uint32_t dim)
{
  const OnnxName *name = infer->node->outputs.items;
  bool is_named = infer->node->outputs.count > 0 && name->symbol != ONNX_NO_SYMBOL;
  const OnnxType *type = is_named ? infer->flow->known[name->symbol].type : NULL;
  return type && type->has_shape && dim < type->rank ? type->dims[dim] : (OnnxDim){ 0 };
}

/// As onnx computes it, also where nothing fits and the size is below 1.
static OnnxDim moved(const OnnxInfer *infer, const Window *window, uint32_t i, OnnxDim size)
{
  int64_t before;
  if (!is_measured(window, i, size))
    return (OnnxDim){ 0 };
  int64_t stride = window->strides[i];
  int64_t room = size.value + padding_of(window, i, size.value, &before) - reach_of(window, i);
  bool is_ceiled = window->rounds_up && (stride > 0 || window->leaves_out);
  int64_t steps = (room + (is_ceiled ? stride - 1 : 0)) / stride;
  // A window that would begin in the padding after the end is left out; before opset 22 onnx counts it, and runtimes
  // don't: its size is good for no more than to say that onnx refuses another.
  bool is_outside = window->rounds_up && steps * stride >= size.value + before;
  if (is_outside && !window->leaves_out)
    return onnx_is_size(written_size(infer, i + 2)) ? onnx_size(steps + 1) : (OnnxDim){ 0 };
  return onnx_size(steps + 1 - is_outside);
}

static bool check_rank(OnnxInfer *infer, const OnnxType *type, uint32_t input)
{
  if (type->rank >= 2)
    return true;
  return onnx_infer_fail(infer, onnx_infer_at(infer, input),
                         "`%.*s` wants a batch, channels and more; this is of rank %u.", STR_ARG(infer->node->op),
                         type->rank);
}

/// What onnx passes and a runtime refuses: channels that don't fit.
static void warn_channels(OnnxInfer *infer, const OnnxType *type, const OnnxType *weights)
{
  int64_t group;
  if (!onnx_attr_int(infer, "group", 1, &group) || group < 1)
    return;
  OnnxDim channels = type->dims[1];
  OnnxDim taken = weights->dims[1];
  if (onnx_is_size(channels) && onnx_is_size(taken) && channels.value != taken.value * group)
    onnx_report(
        infer->flow->check, onnx_infer_at(infer, 1), RULE_SHAPE_MISMATCH, SEVERITY_WARNING,
        "The weights take %lld channels (%lld in each of %lld groups), and the input has %lld; onnx passes it, and "
        "a runtime fails.",
        (long long)(taken.value * group), (long long)taken.value, (long long)group, (long long)channels.value);
  const OnnxType *bias = onnx_shaped(infer, 2);
  bool is_wrong = bias && bias->rank == 1 && onnx_is_size(bias->dims[0]) && onnx_is_size(weights->dims[0]) &&
                  bias->dims[0].value != weights->dims[0].value;
  if (is_wrong)
    onnx_report(infer->flow->check, onnx_infer_at(infer, 2), RULE_SHAPE_MISMATCH, SEVERITY_WARNING,
                "The bias has length %lld for %lld output channels; onnx passes it, and a runtime fails.",
                (long long)bias->dims[0].value, (long long)weights->dims[0].value);
}

/// Of another rank than the input: onnx reads no more than their first dimension.
static bool check_weights(OnnxInfer *infer, const OnnxType *type, const OnnxType *weights, uint32_t input)
{
  if (weights->rank == 0)
    return onnx_infer_fail(infer, onnx_infer_at(infer, input), "The weights are a single number.");
  onnx_report(infer->flow->check, onnx_infer_at(infer, input), RULE_SHAPE_MISMATCH, SEVERITY_WARNING,
              "The weights are of rank %u, and the input of rank %u; onnx passes it, and a runtime fails.",
              weights->rank, type->rank);
  return true;
}

/// With weights of another rank there are fewer sizes of a kernel than dimensions, and who leaves padding to the
/// operator is refused for that.
static void convolve_unfit(OnnxInfer *infer, const OnnxType *type, const OnnxType *weights, const Window *window,
                           uint32_t element)
{
  const OnnxAttr *automatic = onnx_attr(infer, "auto_pad");
  uint32_t rank = weights->rank < 2 ? 2 : weights->rank;
  bool pads = automatic && !str_equal(automatic->text, STR("VALID")) && !onnx_attr(infer, "pads");
  for (uint32_t i = rank - 2; i < window->count && pads; i++) {
    if (window->strides[i] > 1 && !onnx_is_size(type->dims[i + 2]))
      continue;
    onnx_infer_fail(infer, automatic->value_at, "`auto_pad` wants a kernel of %u sizes, and there are %u.",
                    window->count, rank - 2);
    return;
  }
  if (rank < type->rank)
    onnx_out(infer, 0, element, onnx_dims(infer, rank), rank);
}

void onnx_infer_conv(OnnxInfer *infer)
{
  bool is_float = str_equal(infer->node->op, STR("Conv"));
  uint32_t weight = str_starts_with(infer->node->op, STR("QLinear")) ? 3 : 1;
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *weights = onnx_shaped(infer, weight);
  uint32_t element = is_float ? onnx_element(infer, 0) : infer->out[0] ? infer->out[0]->element : 0;
  Window window;
  onnx_out(infer, 0, element, NULL, ONNX_NO_RANK);
  if (!type || !weights || !check_rank(infer, type, 0))
    return;
  bool has_kernel = onnx_attr(infer, "kernel_shape") != NULL;
  bool fit = weights->rank == type->rank;
  if (!read_window(infer, type->rank - 2, &window) || (has_kernel && !read_kernel(infer, weights, &window)) ||
      (!fit && !check_weights(infer, type, weights, weight)))
    return;
  if (!has_kernel && (!is_sized(weights, 2) || (fit && !read_kernel(infer, weights, &window))))
    return;
  if (!read_pads(infer, &window))
    return;
  if (!fit && !has_kernel) {
    convolve_unfit(infer, type, weights, &window, element);
    return;
  }
  if (is_float && fit)
    warn_channels(infer, type, weights);
  OnnxDim *dims = onnx_dims(infer, type->rank);
  dims[0] = type->dims[0];
  dims[1] = weights->dims[0];
  for (uint32_t i = 0; i < window.count; i++)
    dims[i + 2] = moved(infer, &window, i, type->dims[i + 2]);
  onnx_out(infer, 0, element, dims, type->rank);
}

/// What lists no number a spatial dimension is passed without a word.
static bool is_list_of(const OnnxInfer *infer, const char *name, uint32_t count)
{
  const int64_t *items;
  uint32_t given;
  return !onnx_attr(infer, name) || (onnx_attr_ints(infer, name, &items, &given) && given == count);
}

/// Padding that is given by hand is of two numbers for each dimension, and then nobody else pads.
static bool check_pads(OnnxInfer *infer, uint32_t spatial)
{
  const OnnxAttr *pads = onnx_attr(infer, "pads");
  const OnnxAttr *automatic = onnx_attr(infer, "auto_pad");
  if (!pads || pads->is_reference)
    return true;
  if (pads->count != 2 * (uint64_t)spatial)
    return onnx_infer_fail(infer, pads->value_at, "`pads` lists %llu, and %u are wanted.",
                           (unsigned long long)pads->count, 2 * spatial);
  return !automatic || automatic->is_reference || infer->schema->since < 11 ||
         str_equal(automatic->text, STR("NOTSET")) ||
         onnx_infer_fail(infer, automatic->value_at, "Who gives `pads` can't have `auto_pad`.");
}

/// What a dimension becomes; the size that is asked for, if one is.
static OnnxDim grown(const OnnxInfer *infer, const Window *window, uint32_t i, OnnxDim size, int64_t extra)
{
  const OnnxAttr *asked = onnx_attr(infer, "output_shape");
  if (asked)
    return onnx_size(asked->numbers[i]);
  if (!is_measured(window, i, size) || !is_moderate(extra))
    return (OnnxDim){ 0 };
  int64_t pads = window->pads[i] + window->pads[i + window->count];
  if (is_same_pad(window->auto_pad))
    pads = reach_of(window, i) > window->strides[i] ? reach_of(window, i) - window->strides[i] : 0;
  return onnx_size(window->strides[i] * (size.value - 1) + extra + reach_of(window, i) - pads);
}

/// onnx stops at a size that is asked for and less than what comes in, and gives what it has so far.
static uint32_t rank_of_grown(const OnnxInfer *infer, const OnnxType *type)
{
  const OnnxAttr *asked = onnx_attr(infer, "output_shape");
  for (uint32_t i = 0; asked && i < asked->count; i++) {
    if (onnx_is_size(type->dims[i + 2]) && asked->numbers[i] < type->dims[i + 2].value)
      return i + 2;
  }
  return type->rank;
}

/// Lists of another length than there are dimensions, and a kernel that is not known, end all in silence, in this
/// order.
static bool read_transposed(OnnxInfer *infer, uint32_t spatial, const OnnxType *weights, Window *window)
{
  static const char *const before[] = { "dilations", "strides", "kernel_shape" };
  for (size_t i = 0; i < COUNT(before); i++) {
    if (!is_list_of(infer, before[i], spatial))
      return false;
  }
  return read_window(infer, spatial, window) && read_kernel(infer, weights, window) && is_kernel_known(window) &&
         check_pads(infer, spatial) && read_pads(infer, window) && is_list_of(infer, "output_shape", spatial) &&
         is_list_of(infer, "output_padding", spatial);
}

/// Weights of another rank, from which a kernel is read all the same: nothing comes out, but padding is looked at.
static void check_unfit_transposed(OnnxInfer *infer, uint32_t spatial, const OnnxType *weights)
{
  bool is_read = is_list_of(infer, "dilations", spatial) && is_list_of(infer, "strides", spatial) &&
                 is_list_of(infer, "kernel_shape", spatial);
  if (is_read && (onnx_attr(infer, "kernel_shape") || is_sized(weights, 2)))
    (void)check_pads(infer, spatial);
}

static void infer_transposed(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *weights = onnx_shaped(infer, 1);
  int64_t group;
  int64_t extra[ONNX_SPATIAL_LIMIT];
  Window window;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (type && weights && type->rank >= 2 && weights->rank != type->rank)
    check_unfit_transposed(infer, type->rank - 2, weights);
  if (!type || !weights || type->rank < 2 || weights->rank != type->rank || !onnx_attr_int(infer, "group", 1, &group) ||
      !read_transposed(infer, type->rank - 2, weights, &window) ||
      !read_list(infer, "output_padding", window.count, 0, extra))
    return;
  bool is_known = onnx_is_size(weights->dims[1]) && is_moderate(weights->dims[1].value) && is_moderate(group);
  OnnxDim *dims = onnx_dims(infer, type->rank);
  dims[0] = type->dims[0];
  dims[1] = is_known ? onnx_size(weights->dims[1].value * group) : (OnnxDim){ 0 };
  for (uint32_t i = 0; i < window.count; i++)
    dims[i + 2] = grown(infer, &window, i, type->dims[i + 2], extra[i]);
  onnx_out(infer, 0, type->element, dims, rank_of_grown(infer, type));
}

void onnx_infer_conv_transpose(OnnxInfer *infer)
{
  infer_transposed(infer);
  if (!infer->has_failed)
    onnx_check_padding(infer->flow->check, infer->node);
}

void onnx_infer_pool(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  Window window;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (onnx_has_output(infer, 1))
    onnx_out(infer, 1, ELEM_INT64, NULL, ONNX_NO_RANK);
  if (!type || !onnx_attr(infer, "kernel_shape") || !check_rank(infer, type, 0))
    return;
  if (!read_window(infer, type->rank - 2, &window) || !read_kernel(infer, NULL, &window) || !read_pads(infer, &window))
    return;
  OnnxDim *dims = onnx_dims(infer, type->rank);
  dims[0] = type->dims[0];
  dims[1] = type->dims[1];
  for (uint32_t i = 0; i < window.count; i++)
    dims[i + 2] = moved(infer, &window, i, type->dims[i + 2]);
  onnx_out(infer, 0, type->element, dims, type->rank);
  if (onnx_has_output(infer, 1))
    onnx_out(infer, 1, ELEM_INT64, dims, type->rank);
}

/// A shape that is given by an input is known when the model runs; here it can only be of a wrong length.
static void check_unpooled_shape(OnnxInfer *infer, uint32_t rank)
{
  const OnnxType *shape = onnx_shaped(infer, 2);
  if (shape && shape->rank != 1)
    onnx_infer_fail(infer, onnx_infer_at(infer, 2), "`output_shape` is a list, and this is of rank %u.", shape->rank);
  else if (shape && onnx_is_size(shape->dims[0]) && shape->dims[0].value != rank)
    onnx_infer_fail(infer, onnx_infer_at(infer, 2), "`output_shape` lists %lld; the input is of rank %u.",
                    (long long)shape->dims[0].value, rank);
}

void onnx_infer_max_unpool(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *indices = onnx_shaped(infer, 1);
  Window window;
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || !check_rank(infer, type, 0))
    return;
  uint32_t spatial = type->rank - 2;
  bool are_lists = is_list_of(infer, "kernel_shape", spatial) && is_list_of(infer, "strides", spatial) &&
                   is_list_of(infer, "pads", 2 * spatial);
  if (are_lists && onnx_has_input(infer, 2)) {
    check_unpooled_shape(infer, type->rank);
    return;
  }
  if (!read_window(infer, spatial, &window) || !read_kernel(infer, NULL, &window) || !read_pads(infer, &window) ||
      onnx_has_input(infer, 2) || !indices || indices->rank < 2)
    return;
  OnnxDim *dims = onnx_dims(infer, type->rank);
  dims[0] = type->dims[0];
  dims[1] = indices->dims[1];
  for (uint32_t i = 0; i < window.count; i++) {
    OnnxDim size = type->dims[i + 2];
    dims[i + 2] = is_measured(&window, i, size) ? onnx_size(window.strides[i] * (size.value - 1) + window.kernel[i] -
                                                            window.pads[i] - window.pads[i + window.count])
                                                : (OnnxDim){ 0 };
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
}

void onnx_infer_global_pool(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (!type || type->rank < 2)
    return;
  OnnxDim *dims = onnx_dims(infer, type->rank);
  for (uint32_t i = 0; i < type->rank; i++)
    dims[i] = i < 2 ? type->dims[i] : onnx_size(1);
  onnx_out(infer, 0, type->element, dims, type->rank);
}
