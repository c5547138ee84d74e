// Operators that cut, repeat and stretch tensors while shapes are followed.

#include "python/rules/forward_ops.h"

#include "base/limits.h"

static const Followed unknown_value;

/// One operator on one tensor.
typedef struct Operator {
  ShapeWalk *walk;
  ShapeFrame *frame;
  const PyCall *call;
  const Shape *given;
  uint32_t first;
  int depth;
} Operator;

static Arena *arena_of(const Operator *op)
{
  return op->walk->export->sink->arena;
}

/// The argument at that position after the tensor, or of that name; 0.
static PyRef argument_of(const Operator *op, uint32_t position, const char *name)
{
  const PyArgument *argument = py_model_argument(op->walk->export->model, op->call, op->first + position, name);
  return argument && !argument->is_splat ? argument->value : 0;
}

static bool number_of(const Operator *op, uint32_t position, const char *name, int64_t absent, int64_t *ret_number)
{
  PyRef value = argument_of(op, position, name);
  *ret_number = absent;
  return !value || forward_int(op->walk, op->frame, value, op->depth, ret_number);
}

/// The numbers of `x.expand(2, -1)` and `x.expand((2, -1))`; -1 if one is not known.
static int numbers_of(const Operator *op, int64_t *numbers)
{
  const PyModel *model = op->walk->export->model;
  const PyTree *tree = &model->tree;
  PyRef only = op->call->argument_count == op->first + 1 ? argument_of(op, 0, NULL) : 0;
  bool is_list = only && (py_kind(tree, only) == PYK_TUPLE || py_kind(tree, only) == PYK_LIST);
  uint32_t next = 1;
  int count = 0;
  for (PyRef item = is_list ? py_tree_first_element(tree, only) : argument_of(op, 0, NULL); item; count++) {
    if (count == PY_SHAPE_RANK_LIMIT || py_tree_is_splat(tree, item) ||
        !forward_int(op->walk, op->frame, item, op->depth, &numbers[count]))
      return -1;
    item = is_list ? py_tree_next_element(tree, item) : argument_of(op, next++, NULL);
  }
  return count;
}

static Followed tuple_of(const Operator *op, const int64_t *sizes, int count, int axis)
{
  Followed *items = ARENA_ARRAY(arena_of(op), Followed, (size_t)count);
  for (int i = 0; i < count; i++) {
    Shape part = *op->given;
    part.sizes[axis] = sizes[i];
    items[i] = forward_tensor(part);
  }
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = count, .items = items };
}

/// Parts of `part` elements, of which the last may have less.
static Followed cut_evenly(const Operator *op, int axis, int64_t part)
{
  int64_t sizes[PY_SHAPE_RANK_LIMIT];
  int64_t left = op->given->sizes[axis];
  int count = 0;
  for (; left > 0 && part > 0; left -= part) {
    if (count == PY_SHAPE_RANK_LIMIT)
      return unknown_value;
    sizes[count++] = left < part ? left : part;
  }
  return count > 0 ? tuple_of(op, sizes, count, axis) : unknown_value;
}

static Followed chunk(const Operator *op)
{
  int64_t count, dim;
  int axis = number_of(op, 1, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
  bool is_known = number_of(op, 0, "chunks", 0, &count) && count > 0 && axis >= 0 && op->given->sizes[axis] > 0;
  return is_known ? cut_evenly(op, axis, (op->given->sizes[axis] + count - 1) / count) : unknown_value;
}

/// `x.split([2, 5])`, which have to be all of the axis.
static Followed split_list(const Operator *op, PyRef list, int axis)
{
  const PyTree *tree = &op->walk->export->model->tree;
  int64_t sizes[PY_SHAPE_RANK_LIMIT], sum = 0;
  int count = 0;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (count == PY_SHAPE_RANK_LIMIT || py_tree_is_splat(tree, item) ||
        !forward_int(op->walk, op->frame, item, op->depth, &sizes[count]) || sizes[count] < 0)
      return unknown_value;
    sum += sizes[count++];
  }
  if (sum != op->given->sizes[axis])
    forward_refuse_shape(op->walk, op->call->node,
                         arena_printf(arena_of(op), "splits an axis of %lld elements into parts of %lld in all",
                                      (long long)op->given->sizes[axis], (long long)sum),
                         op->given);
  return count > 0 ? tuple_of(op, sizes, count, axis) : unknown_value;
}

static Followed split(const Operator *op)
{
  const PyTree *tree = &op->walk->export->model->tree;
  int64_t part, dim;
  PyRef sizes = argument_of(op, 0, op->first == 0 ? "split_size" : "split_size_or_sections");
  int axis = number_of(op, 1, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
  PyNodeKind kind = sizes ? py_kind(tree, py_tree_strip(tree, sizes)) : PYK_OTHER;
  if (!sizes || axis < 0 || op->given->sizes[axis] <= 0)
    return unknown_value;
  if (kind == PYK_LIST || kind == PYK_TUPLE)
    return split_list(op, py_tree_strip(tree, sizes), axis);
  return forward_int(op->walk, op->frame, sizes, op->depth, &part) ? cut_evenly(op, axis, part) : unknown_value;
}

/// Per axis of what expand() and repeat() give: the number that the call says, and the size there, 1 for axes in front.
/// 0 if there are fewer numbers than axes.
static int numbers_and_sizes(const Operator *op, int64_t *ret_numbers, int64_t *ret_sizes)
{
  int count = numbers_of(op, ret_numbers);
  int more = count - op->given->rank;
  for (int i = 0; more >= 0 && i < count; i++)
    ret_sizes[i] = i < more ? 1 : op->given->sizes[i - more];
  return count > 0 && more >= 0 ? count : 0;
}

/// `a.expand_as(b)`
static Followed expand_as(const Operator *op)
{
  PyRef other = argument_of(op, 0, "other");
  Followed wanted = other ? forward_value(op->walk, op->frame, other, op->depth) : unknown_value;
  if (wanted.kind != FOLLOWED_TENSOR || wanted.shape.rank < op->given->rank || op->given->rank < 0)
    return unknown_value;
  int more = wanted.shape.rank - op->given->rank;
  for (int i = 0; i < op->given->rank; i++) {
    int64_t size = op->given->sizes[i], to = wanted.shape.sizes[i + more];
    if (size > 1 && to > 0 && size != to) {
      forward_refuse_shape(op->walk, op->call->node,
                           arena_printf(arena_of(op), "expands a tensor of shape %.*s as one of shape %.*s",
                                        STR_ARG(shape_text(op->given, arena_of(op))),
                                        STR_ARG(shape_text(&wanted.shape, arena_of(op)))),
                           op->given);
      return unknown_value;
    }
  }
  return forward_tensor(wanted.shape);
}

static Followed expand(const Operator *op)
{
  int64_t sizes[PY_SHAPE_RANK_LIMIT];
  int64_t before[PY_SHAPE_RANK_LIMIT];
  int count = numbers_and_sizes(op, sizes, before);
  Shape made = { .rank = count };
  for (int i = 0; i < count; i++) {
    bool is_new = i < count - op->given->rank;
    if ((is_new && sizes[i] < 0) || (sizes[i] >= 0 && before[i] != 1 && before[i] != sizes[i]))
      return unknown_value;
    made.sizes[i] = sizes[i] < 0 ? before[i] : sizes[i];
  }
  return count == 0 ? unknown_value : forward_tensor(made);
}

static Followed repeat(const Operator *op)
{
  int64_t times[PY_SHAPE_RANK_LIMIT];
  int64_t before[PY_SHAPE_RANK_LIMIT];
  int count = numbers_and_sizes(op, times, before);
  Shape made = { .rank = count };
  for (int i = 0; i < count; i++) {
    if (before[i] < 0 || times[i] < 0 || (before[i] > 0 && times[i] > PY_DIM_NUMBER_LIMIT / before[i]))
      return unknown_value;
    made.sizes[i] = before[i] * times[i];
  }
  return count == 0 ? unknown_value : forward_tensor(made);
}

/// Without an axis all of size 1 go.
static Followed squeeze(const Operator *op)
{
  int64_t dim;
  Shape made = { .rank = 0 };
  int axis = number_of(op, 0, "dim", PY_SHAPE_RANK_LIMIT, &dim) ? shape_axis(op->given, dim) : -1;
  if (axis < 0 && (dim != PY_SHAPE_RANK_LIMIT || op->call->argument_count > op->first))
    return unknown_value;
  for (int i = 0; i < op->given->rank; i++) {
    bool is_asked = axis < 0 || axis == i;
    if (is_asked && op->given->sizes[i] < 0)
      return unknown_value;
    if (!is_asked || op->given->sizes[i] != 1)
      made.sizes[made.rank++] = op->given->sizes[i];
  }
  return forward_tensor(made);
}

static Followed glu(const Operator *op)
{
  int64_t dim;
  int axis = number_of(op, 0, "dim", -1, &dim) ? shape_axis(op->given, dim) : -1;
  Shape made = *op->given;
  if (axis < 0 || made.sizes[axis] < 0 || made.sizes[axis] % 2 != 0)
    return unknown_value;
  made.sizes[axis] /= 2;
  return forward_tensor(made);
}

/// `F.interpolate(x, scale_factor=2)`, and `size=(8, 8)` of all axes after the second.
static Followed interpolate(const Operator *op)
{
  const PyTree *tree = &op->walk->export->model->tree;
  PyRef size = argument_of(op, 0, "size"), scale = argument_of(op, 1, "scale_factor");
  PyNodeKind kind = size ? py_kind(tree, py_tree_strip(tree, size)) : PYK_NONE;
  Shape made = *op->given;
  int64_t factor = 0, wanted = 0;
  PyRef item = kind == PYK_TUPLE || kind == PYK_LIST ? py_tree_first_element(tree, py_tree_strip(tree, size)) : 0;
  bool is_list = item != 0;
  if (kind == PYK_NONE && (!scale || !forward_int(op->walk, op->frame, scale, op->depth, &factor) || factor < 1))
    return unknown_value;
  if (kind != PYK_NONE && !is_list && !forward_int(op->walk, op->frame, size, op->depth, &wanted))
    return unknown_value;
  for (int i = 2; i < made.rank; i++) {
    if (is_list && (!item || !forward_int(op->walk, op->frame, item, op->depth, &wanted)))
      return unknown_value;
    item = item ? py_tree_next_element(tree, item) : 0;
    int64_t scaled =
        made.sizes[i] >= 0 && factor > 0 && made.sizes[i] <= PY_DIM_NUMBER_LIMIT / factor ? made.sizes[i] * factor : -1;
    made.sizes[i] = kind == PYK_NONE ? scaled : wanted;
  }
  return made.rank > 2 ? forward_tensor(made) : unknown_value;
}

bool forward_operator(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                      uint32_t first, int depth, Followed *ret_value)
{
  static const struct {
    const char *name;
    Followed (*make)(const Operator *op);
  } operators[] = {
    { "chunk", chunk },         { "split", split },     { "expand", expand }, { "repeat", repeat },
    { "expand_as", expand_as }, { "squeeze", squeeze }, { "glu", glu },       { "interpolate", interpolate },
  };
  Operator op = { walk, frame, call, given, first, depth };
  for (size_t i = 0; i < COUNT(operators); i++) {
    if (!str_equal(name, str_from(operators[i].name)))
      continue;
    *ret_value = operators[i].make(&op);
    return true;
  }
  return false;
}

Followed forward_stacked(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *list = py_model_argument(model, call, 0, "tensors");
  const PyArgument *dim = py_model_argument(model, call, 1, "dim");
  PyRef items = list ? py_tree_strip(tree, list->value) : 0;
  int64_t at = 0, count = 0;
  Shape first = shape_unknown();
  if (!items || (py_kind(tree, items) != PYK_LIST && py_kind(tree, items) != PYK_TUPLE) ||
      (dim && !forward_int(walk, frame, dim->value, depth, &at)))
    return unknown_value;
  for (PyRef item = py_tree_first_element(tree, items); item; item = py_tree_next_element(tree, item), count++) {
    Followed part = py_tree_is_splat(tree, item) ? unknown_value : forward_value(walk, frame, item, depth);
    if (part.kind != FOLLOWED_TENSOR)
      return unknown_value;
    first = count == 0 ? part.shape : first;
    bool differs = part.shape.rank != first.rank;
    for (int i = 0; !differs && i < first.rank; i++)
      differs = first.sizes[i] >= 0 && part.shape.sizes[i] >= 0 && part.shape.sizes[i] != first.sizes[i];
    if (differs) {
      Arena *arena = walk->export->sink->arena;
      forward_refuse(walk, call->node,
                     arena_printf(arena, "stacks tensors of shapes %.*s and %.*s", STR_ARG(shape_text(&first, arena)),
                                  STR_ARG(shape_text(&part.shape, arena))));
      return unknown_value;
    }
  }
  Shape made = count > 0 ? shape_unsqueeze(&first, at) : shape_unknown();
  int axis = shape_axis(&made, at);
  if (axis >= 0)
    made.sizes[axis] = count;
  return axis < 0 ? unknown_value : forward_tensor(made);
}
