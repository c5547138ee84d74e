// In which order the axes of tensors lie in memory while shapes are followed: view() reads only what lies as it reads
// it. Run with torch 1.13, 2.6 and 2.14.

#include "python/rules/forward/forward_values.h"

Followed forward_contiguous(Followed value)
{
  value.has_order = value.kind == FOLLOWED_TENSOR && value.shape.rank >= 0;
  for (int i = 0; i < PY_SHAPE_RANK_LIMIT; i++)
    value.order[i] = (int8_t)i;
  return value;
}

bool forward_is_contiguous(const Followed *value)
{
  bool is_it = value->kind == FOLLOWED_TENSOR && value->has_order;
  for (int i = 0; is_it && i < value->shape.rank; i++)
    is_it = value->order[i] == i;
  return is_it;
}

/// Where the axes of permute() and transpose() come from; false if that is not known.
static bool axes_of(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, const Followed *given, uint32_t first,
                    int depth, int *ret_axes, int *ret_count)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  PyRef item = first < call->argument_count ? py_model_arguments(model, call)[first].value : 0;
  bool is_list = item && (py_kind(tree, item) == PYK_TUPLE || py_kind(tree, item) == PYK_LIST);
  uint32_t next = first + 1;
  *ret_count = 0;
  item = is_list ? py_tree_first_element(tree, item) : item;
  while (item && *ret_count < PY_SHAPE_RANK_LIMIT) {
    int64_t axis;
    int from = forward_int(walk, frame, item, depth, &axis) ? shape_axis(&given->shape, axis) : -1;
    if (from < 0)
      return false;
    ret_axes[(*ret_count)++] = from;
    item = is_list                       ? py_tree_next_element(tree, item)
           : next < call->argument_count ? model->arguments.items[call->first_argument + next++].value
                                         : 0;
  }
  return !item;
}

static Followed exchanged(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                          uint32_t first, Followed made, int depth)
{
  int axes[PY_SHAPE_RANK_LIMIT], count;
  bool is_permute = str_equal(name, STR("permute"));
  if (!given->has_order || made.shape.rank != given->shape.rank ||
      !axes_of(walk, frame, call, given, first, depth, axes, &count) || count != (is_permute ? made.shape.rank : 2))
    return made;
  made.has_order = true;
  for (int i = 0; i < made.shape.rank; i++)
    made.order[i] = given->order[is_permute ? axes[i] : i == axes[0] ? axes[1] : i == axes[1] ? axes[0] : i];
  return made;
}

Followed forward_ordered(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                         uint32_t first, Followed made, int depth)
{
  static const char *const kept[] = { "relu", "gelu", "sigmoid", "tanh", "exp", "dropout", "clone" };
  static const char *const read[] = { "view", "reshape", "flatten", "unsqueeze" };
  if (made.kind != FOLLOWED_TENSOR || given->kind != FOLLOWED_TENSOR || made.shape.rank < 0 || given->shape.rank < 0)
    return made;
  if (str_equal(name, STR("contiguous")))
    return forward_contiguous(made);
  if (str_equal(name, STR("transpose")) || str_equal(name, STR("permute")))
    return exchanged(walk, frame, call, name, given, first, made, depth);
  if (str_is_one_of(name, read, COUNT(read)))
    return forward_is_contiguous(given) ? forward_contiguous(made) : made;
  if (str_is_one_of(name, kept, COUNT(kept)) && made.shape.rank == given->shape.rank) {
    made.has_order = given->has_order;
    for (int i = 0; i < PY_SHAPE_RANK_LIMIT; i++)
      made.order[i] = given->order[i];
  }
  return made;
}

/// Steps in memory from one element of an axis to the next; false if a size is not known.
static bool strides_of(const Followed *value, int64_t *ret_strides)
{
  int64_t step = 1;
  for (int lies_at = value->shape.rank - 1; lies_at >= 0; lies_at--) {
    int axis = 0;
    while (axis < value->shape.rank && value->order[axis] != lies_at)
      axis++;
    if (axis == value->shape.rank || value->shape.sizes[axis] <= 0 || value->shape.sizes[axis] > PY_DIM_NUMBER_LIMIT ||
        step > INT64_MAX / PY_DIM_NUMBER_LIMIT)
      return false;
    ret_strides[axis] = step;
    step *= value->shape.sizes[axis];
  }
  return true;
}

/// Whether axes that lie one after the other in memory can be read as the wanted ones. As computeStride() in ATen.
static bool can_view(const Shape *given, const int64_t *strides, const Shape *wanted)
{
  int at = wanted->rank - 1;
  int64_t base = strides[given->rank - 1], elements = 1, read = 1;
  for (int axis = given->rank - 1; axis >= 0; axis--) {
    elements *= given->sizes[axis];
    if (axis > 0 && (given->sizes[axis - 1] == 1 || strides[axis - 1] == elements * base))
      continue;
    while (at >= 0 && (read < elements || wanted->sizes[at] == 1))
      read *= wanted->sizes[at--];
    if (read != elements)
      return false;
    base = axis > 0 ? strides[axis - 1] : base;
    elements = read = 1;
  }
  return at < 0;
}

void forward_check_view(ShapeWalk *walk, const PyCall *call, Str name, const Followed *given, const Followed *made)
{
  int64_t strides[PY_SHAPE_RANK_LIMIT];
  if (walk->trial || walk->why.len > 0 || !str_equal(name, STR("view")) || !given->has_order ||
      forward_is_contiguous(given) || made->kind != FOLLOWED_TENSOR || given->shape.rank < 1 || made->shape.rank < 1 ||
      !strides_of(given, strides))
    return;
  for (int i = 0; i < made->shape.rank; i++) {
    if (made->shape.sizes[i] <= 0)
      return;
  }
  if (!can_view(&given->shape, strides, &made->shape))
    forward_refuse(walk, call->node,
                   STR("reads by view() a tensor whose axes were exchanged, so that they lie in another order: use "
                       "reshape()"));
}
