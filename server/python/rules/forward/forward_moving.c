// Operators that move, stretch and surround what a tensor holds while shapes are followed.

#include "base/limits.h"
#include "python/rules/forward/forward_operator.h"
#include "python/rules/forward/layer_moves.h"

static const Followed unknown_value;

static int64_t times(int64_t size, int64_t factor)
{
  return size >= 0 && factor > 0 && size <= PY_DIM_NUMBER_LIMIT / factor ? size * factor : -1;
}

/// How many numbers are written there, known or not; 0 for what is no list.
static int count_written(const Operator *op, PyRef node)
{
  const PyTree *tree = &op->walk->export->model->tree;
  PyRef list = node ? py_tree_strip(tree, node) : 0;
  PyNodeKind kind = list ? py_kind(tree, list) : PYK_OTHER;
  int count = 0;
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return 0;
  for (PY_EACH_ELEMENT(tree, item, list))
    count += py_tree_is_splat(tree, item) ? PY_ELEMENT_LIMIT : 1;
  return count < PY_ELEMENT_LIMIT ? count : 0;
}

static Str mode_of(const Operator *op, uint32_t position)
{
  PyRef mode = forward_argument(op, position, "mode");
  Str text = { 0 };
  // `self.mode`, and what the constructor is given for it.
  PyRef written = mode ? module_maker_written(op->frame->maker, mode) : 0;
  bool is_known = mode && py_model_string(op->walk->export->model, written ? written : mode, forward_arena(op), &text);
  return mode ? (is_known ? text : (Str){ 0 }) : STR("nearest");
}

/// With mode="area" it is adaptive pooling, which the TorchScript exporter writes only into sizes that are numbers, and
/// those of a factor never are. `made` is NULL for a factor. Run with torch 1.13, 2.6 and 2.14.
static void check_area(const Operator *op, const Shape *made)
{
  static const Str pools[] = { STR_INIT("adaptive_avg_pool1d"), STR_INIT("adaptive_avg_pool2d"),
                               STR_INIT("adaptive_avg_pool3d") };
  ShapeWalk *walk = op->walk;
  int axes = op->given->rank - 2;
  if (axes < 1 || axes > (int)COUNT(pools) || (walk->trial && !(walk->is_open && made)))
    return;
  Str why = STR("resizes by a factor with mode=\"area\", and the TorchScript exporter takes sizes alone for that");
  if (made && walk->is_open)
    why = layer_open_refusal(pools[axes - 1], op->given, made, DIM_FACTOR, forward_arena(op));
  else if (made)
    why = layer_traced_refusal(pools[axes - 1], op->given, made, forward_arena(op));
  forward_refuse_for_exporter(walk, op->call->node, why);
}

/// `F.interpolate(x, scale_factor=2)`, and `size=(8, 8)` of all axes after the second.
static Followed interpolate(const Operator *op)
{
  const PyTree *tree = &op->walk->export->model->tree;
  PyRef size = forward_argument(op, 0, "size"), scale = forward_argument(op, 1, "scale_factor");
  bool has_size = size && py_kind(tree, py_tree_strip(tree, size)) != PYK_NONE;
  Shape made = *op->given;
  int64_t numbers[PY_SHAPE_RANK_LIMIT];
  Str mode = mode_of(op, 2);
  bool is_area = str_equal(mode, STR("area"));
  Str why = layer_mode_refusal(mode, op->given, forward_arena(op));
  if (why.len > 0)
    return forward_refused(op, arena_printf(forward_arena(op), "runs interpolate() %.*s", STR_ARG(why)));
  int count = has_size || scale ? forward_numbers(op, has_size ? size : scale, numbers) : -1;
  if (made.rank < 3 || (count > 1 && count != made.rank - 2))
    return forward_refused(op, arena_printf(forward_arena(op),
                                            "runs interpolate() with %d size%s of a tensor of shape %.*s",
                                            count < 1 ? 1 : count, count > 1 ? "s" : "",
                                            STR_ARG(shape_text(op->given, forward_arena(op)))));
  if (is_area && scale && !has_size)
    check_area(op, NULL);
  if (count < 1)
    return unknown_value;
  for (int i = 2; i < made.rank; i++) {
    int64_t asked = numbers[count == 1 ? 0 : i - 2];
    made.sizes[i] = has_size ? asked : times(made.sizes[i], asked);
  }
  if (is_area && has_size)
    check_area(op, &made);
  return forward_tensor(made);
}

static Followed shuffled(const Operator *op, bool is_back)
{
  int64_t factor;
  Str why = { 0 };
  if (!forward_number(op, 0, is_back ? "downscale_factor" : "upscale_factor", -1, &factor))
    return unknown_value;
  Shape made = layer_shuffled(op->given, factor, is_back, forward_arena(op), &why);
  return why.len > 0 ? forward_refused(op, why) : forward_tensor(made);
}

static Followed pixel_shuffle(const Operator *op)
{
  return shuffled(op, false);
}

static Followed pixel_unshuffle(const Operator *op)
{
  return shuffled(op, true);
}

/// So many shifts as axes.
static Followed roll(const Operator *op)
{
  PyRef shifts = forward_argument(op, 0, "shifts"), dims = forward_argument(op, 1, "dims");
  int count = count_written(op, shifts), axes = count_written(op, dims);
  bool is_wrong = count > 1 && (!dims || (axes > 0 && axes != count));
  return is_wrong ? forward_refused(
                        op, arena_printf(forward_arena(op), "calls roll() with %d shifts and %d axes", count, axes))
                  : forward_tensor(*op->given);
}

/// `F.pad(x, (left, right, top, bottom), mode="reflect")`, from the last axis on.
static Followed pad(const Operator *op)
{
  PyRef sizes = forward_argument(op, 0, "pad");
  int64_t numbers[PY_SHAPE_RANK_LIMIT];
  int count = sizes ? forward_numbers(op, sizes, numbers) : -1;
  PyRef mode = forward_argument(op, 1, "mode");
  Str text = mode ? mode_of(op, 1) : STR("constant"), why = { 0 };
  if (count > 0 && count % 2 == 0 && count / 2 > op->given->rank)
    return forward_refused(op, arena_printf(forward_arena(op), "pads %d axes of a tensor of shape %.*s", count / 2,
                                            STR_ARG(shape_text(op->given, forward_arena(op)))));
  if (count < 2 || count % 2 != 0)
    return unknown_value;
  Shape made = layer_padded(op->given, numbers, count, text, forward_arena(op), &why);
  return why.len > 0 ? forward_refused(op, why) : forward_tensor(made);
}

/// `x.unfold(1, 8, 4)` adds an axis of what is in a window. The other unfold() is a function: its windows have two
/// axes.
static Followed unfold(const Operator *op)
{
  int64_t dim, size, step;
  if (op->first > 0 || !forward_number(op, 0, "dimension", 0, &dim) || !forward_number(op, 1, "size", -1, &size) ||
      !forward_number(op, 2, "step", -1, &step))
    return unknown_value;
  int axis = shape_axis(op->given, dim);
  Shape made = *op->given;
  if (axis < 0 || made.rank == PY_SHAPE_RANK_LIMIT || size < 1 || step < 1)
    return unknown_value;
  if (made.sizes[axis] >= 0 && made.sizes[axis] < size)
    return forward_refused(op, arena_printf(forward_arena(op), "takes windows of %lld elements of an axis of %lld",
                                            (long long)size, (long long)made.sizes[axis]));
  made.sizes[axis] = made.sizes[axis] < 0 ? -1 : (made.sizes[axis] - size) / step + 1;
  made.sizes[made.rank++] = size;
  return forward_tensor(made);
}

static Followed moveaxis(const Operator *op)
{
  int64_t from, to;
  int source = forward_number(op, 0, "source", PY_SHAPE_RANK_LIMIT, &from) ? shape_axis(op->given, from) : -1;
  int target = forward_number(op, 1, "destination", PY_SHAPE_RANK_LIMIT, &to) ? shape_axis(op->given, to) : -1;
  Shape made = *op->given;
  if (source < 0 || target < 0)
    return unknown_value;
  for (int step = source < target ? 1 : -1; source != target; source += step) {
    made.sizes[source] = made.sizes[source + step];
    made.sizes[source + step] = op->given->sizes[shape_axis(op->given, from)];
  }
  return forward_tensor(made);
}

const ForwardOperator forward_moving_operators[] = {
  { "interpolate", interpolate },
  { "pixel_shuffle", pixel_shuffle },
  { "pixel_unshuffle", pixel_unshuffle },
  { "roll", roll },
  { "pad", pad },
  { "unfold", unfold },
  { "movedim", moveaxis },
  { "moveaxis", moveaxis },
  { NULL, NULL },
};
