// What view() and reshape() make of sizes while shapes are followed.

#include "base/limits.h"
#include "python/rules/forward/forward_values.h"

/// The sizes that are wanted, as they are read; which of them are not known.
typedef struct WantedSizes {
  Shape shape;
  bool unknown[PY_SHAPE_RANK_LIMIT];
} WantedSizes;

static bool want_size(WantedSizes *wanted, bool is_known, int64_t size)
{
  if (wanted->shape.rank == PY_SHAPE_RANK_LIMIT)
    return false;
  wanted->unknown[wanted->shape.rank] = !is_known || size < -1;
  wanted->shape.sizes[wanted->shape.rank++] = size;
  return true;
}

/// `x.shape[:2]`, and `*x.shape[:2]`; false for what is no tuple that is known.
static bool want_sizes_of(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth, WantedSizes *wanted)
{
  Followed sizes = forward_value(walk, frame, node, depth);
  bool is_known = sizes.kind == FOLLOWED_TUPLE;
  for (int64_t i = 0; i < sizes.number && is_known; i++)
    is_known = want_size(wanted, sizes.items[i].kind == FOLLOWED_INT, sizes.items[i].number);
  return is_known;
}

static bool want_item(ShapeWalk *walk, ShapeFrame *frame, PyRef item, int depth, WantedSizes *wanted)
{
  int64_t size = 0;
  if (py_tree_is_splat(&walk->export->model->tree, item))
    return want_sizes_of(walk, frame, py_first_child(&walk->export->model->tree, item), depth, wanted);
  bool is_known = forward_int(walk, frame, item, depth, &size);
  return want_size(wanted, is_known, size);
}

/// `view(2, -1)`, `view((2, -1))`, `view(x.shape)`, `view(*x.shape[:2], 4)`.
static bool read_wanted(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, uint32_t first, int depth,
                        WantedSizes *wanted)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *arguments = py_model_arguments(model, call);
  bool is_alone = first + 1 == call->argument_count;
  PyRef only = is_alone ? arguments[first].value : 0;
  PyNodeKind kind = only && !arguments[first].is_splat ? py_kind(tree, only) : PYK_OTHER;
  int64_t number;
  bool goes_on = first < call->argument_count;
  if (kind == PYK_TUPLE || kind == PYK_LIST) {
    for (PY_EACH_ELEMENT(tree, item, only))
      goes_on = goes_on && want_item(walk, frame, item, depth, wanted);
    return goes_on;
  }
  if (is_alone && !arguments[first].is_splat && !py_model_int(model, only, &number))
    return want_sizes_of(walk, frame, only, depth, wanted);  // Else it may be a dtype.
  for (uint32_t i = first; i < call->argument_count && goes_on; i++)
    goes_on = want_item(walk, frame, arguments[i].is_splat ? arguments[i].node : arguments[i].value, depth, wanted);
  return goes_on;
}

Followed forward_reshaped(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, const Shape *given, uint32_t first,
                          int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  WantedSizes sizes = { 0 };
  Shape made;
  bool is_read = read_wanted(walk, frame, call, first, depth, &sizes);
  Shape wanted = sizes.shape;
  const bool *unknown = sizes.unknown;
  if (!is_read || wanted.rank == 0)
    return (Followed){ 0 };
  bool is_whole = true;
  for (int i = 0; i < wanted.rank; i++)
    is_whole &= wanted.sizes[i] >= 0;
  int exact = walk->trial && !walk->is_of_trace ? shape_kept_axis(given, &wanted, unknown, DIM_FACTOR) : 0;
  if (!exact && shape_reshape(given, &wanted, unknown, &made)) {
    Followed value = forward_tensor(made);
    value.has_rest = !is_whole;
    for (int i = 0; i < wanted.rank; i++)
      value.has_rest |= wanted.sizes[i] >= DIM_FACTOR;
    return value;
  }
  walk->is_reshape = true;
  walk->exact = exact;
  walk->is_whole = is_whole;
  forward_refuse(
      walk, call->node,
      arena_printf(walk->export->sink->arena, "reads a tensor of shape %.*s as %.*s, which has other elements",
                   STR_ARG(shape_text(given, walk->export->sink->arena)), STR_ARG(py_text(tree, call->list_node))));
  return (Followed){ 0 };
}
