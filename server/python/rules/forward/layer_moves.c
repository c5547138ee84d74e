// Layers and functions that stretch, surround and rearrange what they get.

#include "python/rules/forward/layer_moves.h"

#include "base/limits.h"

static int64_t times(int64_t size, int64_t factor)
{
  return size >= 0 && factor > 0 && size <= PY_DIM_NUMBER_LIMIT / factor ? size * factor : -1;
}

Str layer_mode_refusal(Str mode, const Shape *given, Arena *arena)
{
  static const struct {
    const char *mode;
    int rank;
  } ranks[] = { { "linear", 3 }, { "bilinear", 4 }, { "bicubic", 4 }, { "trilinear", 5 } };
  for (size_t i = 0; i < COUNT(ranks); i++) {
    if (str_equal(mode, str_from(ranks[i].mode)) && given->rank >= 0 && given->rank != ranks[i].rank)
      return arena_printf(arena, "in mode '%s', which is for %d axes, with a tensor of shape %.*s", ranks[i].mode,
                          ranks[i].rank, STR_ARG(shape_text(given, arena)));
  }
  return (Str){ 0 };
}

Shape layer_shuffled(const Shape *given, int64_t factor, bool is_back, Arena *arena, Str *ret_why)
{
  Shape made = *given;
  int channels = given->rank - 3;
  int64_t square = factor > 0 && factor < INT16_MAX ? factor * factor : 0;
  if (channels < 0)
    *ret_why = arena_printf(arena, "runs pixel_%sshuffle() of a tensor of shape %.*s, which has too few axes",
                            is_back ? "un" : "", STR_ARG(shape_text(given, arena)));
  if (channels < 0 || square == 0)
    return shape_unknown();
  int64_t *size = made.sizes + channels;
  bool fits = is_back ? (size[1] < 0 || size[1] % factor == 0) && (size[2] < 0 || size[2] % factor == 0)
                      : size[0] < 0 || size[0] % square == 0;
  if (!fits)
    *ret_why = arena_printf(arena, "runs pixel_%sshuffle() by %lld of a tensor of shape %.*s, which it does not divide",
                            is_back ? "un" : "", (long long)factor, STR_ARG(shape_text(given, arena)));
  size[0] = is_back ? times(size[0], square) : size[0] < 0 ? -1 : size[0] / square;
  for (int i = 1; i <= 2; i++)
    size[i] = !is_back ? times(size[i], factor) : size[i] < 0 ? -1 : size[i] / factor;
  return made;
}

Shape layer_padded(const Shape *given, const int64_t *numbers, int count, Str mode, Arena *arena, Str *ret_why)
{
  Shape made = *given;
  bool is_plain = str_equal(mode, STR("constant")) || mode.len == 0;
  if (!is_plain && given->rank != count / 2 + 1 && given->rank != count / 2 + 2) {
    *ret_why = arena_printf(arena, "pads a tensor of shape %.*s by %d numbers in mode '%.*s'",
                            STR_ARG(shape_text(given, arena)), count, STR_ARG(mode));
    return shape_unknown();
  }
  for (int i = 0; i < count; i += 2) {
    int64_t *size = &made.sizes[given->rank - 1 - i / 2];
    int64_t more = numbers[i] > numbers[i + 1] ? numbers[i] : numbers[i + 1];
    bool is_too_much = *size >= 0 && ((str_equal(mode, STR("reflect")) && more >= *size) ||
                                      (str_equal(mode, STR("circular")) && more > *size));
    if (is_too_much)
      *ret_why = arena_printf(arena, "pads an axis of %lld elements by %lld in mode '%.*s'", (long long)*size,
                              (long long)more, STR_ARG(mode));
    *size = *size < 0 || *size + numbers[i] + numbers[i + 1] < 0 ? -1 : *size + numbers[i] + numbers[i + 1];
  }
  return made;
}

static Shape pixels(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  bool is_back = str_equal(layer_name(call), STR("PixelUnshuffle"));
  int64_t factor = module_maker_size(maker, call, 0, is_back ? "downscale_factor" : "upscale_factor", -1);
  return layer_shuffled(given, factor, is_back, arena, ret_why);
}

/// `nn.ReflectionPad2d(3)`, `nn.ZeroPad2d((1, 2, 1, 2))`
static Shape padding(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  Str name = layer_name(call);
  int count = 2 * (name.data[name.len - 2] - '0');
  int64_t numbers[PY_SHAPE_RANK_LIMIT];
  for (int i = 0; i < count; i++) {
    numbers[i] = module_maker_size_at(maker, call, 0, "padding", i, -1);
    if (numbers[i] < 0)
      return shape_unknown();
  }
  Str mode = str_starts_with(name, STR("Reflection")) ? STR("reflect")
             : str_starts_with(name, STR("Circular")) ? STR("circular")
                                                      : STR("constant");
  return count / 2 > given->rank ? shape_unknown() : layer_padded(given, numbers, count, mode, arena, ret_why);
}

static Shape upsample(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  const PyModel *model = maker->model;
  const PyArgument *mode = py_model_argument(model, call, 2, "mode"), *size = py_model_argument(model, call, 0, "size");
  bool has_size = size && py_kind(&model->tree, py_model_resolve(model, size->value)) != PYK_NONE;
  Str text = STR("nearest");
  Shape made = *given;
  if (mode && !py_model_string(model, mode->value, arena, &text))
    text = (Str){ 0 };
  Str why = layer_mode_refusal(text, given, arena);
  if (why.len > 0)
    *ret_why = arena_printf(arena, "runs torch.nn.Upsample %.*s", STR_ARG(why));
  for (int i = 2; i < made.rank; i++)
    made.sizes[i] = has_size ? module_maker_size_at(maker, call, 0, "size", i - 2, -1)
                             : times(made.sizes[i], module_maker_size_at(maker, call, 1, "scale_factor", i - 2, -1));
  return made;
}

/// torch.nn.Unflatten(1, (32, 4, 4)) of sizes that are written out.
static Shape unflatten(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  const PyTree *tree = &maker->model->tree;
  const PyArgument *dim = py_model_argument(maker->model, call, 0, "dim");
  const PyArgument *sizes = py_model_argument(maker->model, call, 1, "unflattened_size");
  PyRef list = sizes ? py_model_resolve(maker->model, sizes->value) : 0;
  int64_t at, product = 1;
  int axis = dim && module_maker_int(maker, dim->value, &at) ? shape_axis(given, at) : -1;
  if (axis < 0 || !list || (py_kind(tree, list) != PYK_TUPLE && py_kind(tree, list) != PYK_LIST))
    return shape_unknown();
  Shape made = { .rank = axis };
  for (int i = 0; i < axis; i++)
    made.sizes[i] = given->sizes[i];
  for (PY_EACH_ELEMENT(tree, item, list)) {
    int64_t size;
    if (!module_maker_int(maker, item, &size) || size <= 0 || made.rank + given->rank - axis >= PY_SHAPE_RANK_LIMIT)
      return shape_unknown();
    made.sizes[made.rank++] = size;
    product = product > PY_DIM_NUMBER_LIMIT ? product : product * size;
  }
  for (int i = axis + 1; i < given->rank; i++)
    made.sizes[made.rank++] = given->sizes[i];
  if (given->sizes[axis] > 0 && product != given->sizes[axis])
    *ret_why = arena_printf(arena, "takes an axis of %lld elements apart into %lld", (long long)given->sizes[axis],
                            (long long)product);
  return made;
}

bool layer_moved(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Shape *ret_shape,
                 Str *ret_why)
{
  Str name = layer_name(call);
  bool is_pad =
      str_ends_with(name, STR("Pad1d")) || str_ends_with(name, STR("Pad2d")) || str_ends_with(name, STR("Pad3d"));
  if (str_equal(name, STR("PixelShuffle")) || str_equal(name, STR("PixelUnshuffle")))
    *ret_shape = pixels(maker, call, given, arena, ret_why);
  else if (str_equal(name, STR("Unflatten")))
    *ret_shape = unflatten(maker, call, given, arena, ret_why);
  else if (is_pad)
    *ret_shape = padding(maker, call, given, arena, ret_why);
  else if (str_equal(name, STR("Upsample")))
    *ret_shape = upsample(maker, call, given, arena, ret_why);
  else
    return false;
  return true;
}
