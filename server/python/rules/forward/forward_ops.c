// Operators that cut, repeat and stretch tensors while shapes are followed.

#include "python/rules/forward/forward_operator.h"

#include "base/limits.h"

static const Followed unknown_value;

Arena *forward_arena(const Operator *op)
{
  return op->walk->export->sink->arena;
}

PyRef forward_argument(const Operator *op, uint32_t position, const char *name)
{
  const PyArgument *argument = py_model_argument(op->walk->export->model, op->call, op->first + position, name);
  return argument && !argument->is_splat ? argument->value : 0;
}

bool forward_number(const Operator *op, uint32_t position, const char *name, int64_t absent, int64_t *ret_number)
{
  PyRef value = forward_argument(op, position, name);
  *ret_number = absent;
  return !value || forward_int(op->walk, op->frame, value, op->depth, ret_number);
}

Followed forward_argument_value(const Operator *op, uint32_t position, const char *name)
{
  PyRef value = forward_argument(op, position, name);
  return value ? forward_value(op->walk, op->frame, value, op->depth) : unknown_value;
}

Followed forward_refused(const Operator *op, Str why)
{
  forward_refuse_shape(op->walk, op->call->node, why, op->given);
  return unknown_value;
}

int forward_numbers(const Operator *op, PyRef node, int64_t *numbers)
{
  const PyTree *tree = &op->walk->export->model->tree;
  PyRef list = py_tree_strip(tree, node);
  PyNodeKind kind = py_kind(tree, list);
  int count = 0;
  if (kind == PYK_TUPLE || kind == PYK_LIST) {
    for (PyRef item = py_tree_first_element(tree, list); item; item = py_tree_next_element(tree, item), count++) {
      if (count == PY_SHAPE_RANK_LIMIT || py_tree_is_splat(tree, item) ||
          !forward_int(op->walk, op->frame, item, op->depth, &numbers[count]))
        return -1;
    }
    return count;
  }
  Followed value = forward_value(op->walk, op->frame, list, op->depth);
  for (; value.kind == FOLLOWED_TUPLE && count < value.number; count++) {
    if (count == PY_SHAPE_RANK_LIMIT || value.items[count].kind != FOLLOWED_INT)
      return -1;
    numbers[count] = value.items[count].number;
  }
  return value.kind == FOLLOWED_TUPLE ? count : forward_int(op->walk, op->frame, list, op->depth, &numbers[0]) ? 1 : -1;
}

/// The numbers of `x.expand(2, -1)` and `x.expand((2, -1))`; -1 if one is not known.
static int numbers_of(const Operator *op, int64_t *numbers)
{
  PyRef first = forward_argument(op, 0, NULL);
  int count = 0;
  if (op->call->argument_count == op->first + 1)
    return first ? forward_numbers(op, first, numbers) : 0;
  for (PyRef item = first; item; item = forward_argument(op, (uint32_t)count, NULL)) {
    if (count == PY_SHAPE_RANK_LIMIT || !forward_int(op->walk, op->frame, item, op->depth, &numbers[count]))
      return -1;
    count++;
  }
  return count;
}

static Followed tuple_of(const Operator *op, const int64_t *sizes, int count, int axis)
{
  Followed *items = ARENA_ARRAY(forward_arena(op), Followed, (size_t)count);
  for (int i = 0; i < count; i++) {
    Shape part = *op->given;
    part.sizes[axis] = sizes[i];
    items[i] = forward_of_element(forward_tensor(part), op->element);
  }
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = count, .items = items };
}

/// Parts of `part` elements, of which the last may have less.
static Followed cut_evenly(const Operator *op, int axis, int64_t part)
{
  int64_t sizes[PY_SHAPE_TURN_LIMIT];
  int64_t left = op->given->sizes[axis];
  int count = 0;
  for (; left > 0 && part > 0; left -= part) {
    if (count == PY_SHAPE_TURN_LIMIT)
      return unknown_value;
    sizes[count++] = left < part ? left : part;
  }
  return count > 0 ? tuple_of(op, sizes, count, axis) : unknown_value;
}

static Followed chunk(const Operator *op)
{
  int64_t count, dim;
  int axis = forward_number(op, 1, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
  bool is_known = forward_number(op, 0, "chunks", 0, &count) && count > 0 && axis >= 0 && op->given->sizes[axis] > 0;
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
                         arena_printf(forward_arena(op), "splits an axis of %lld elements into parts of %lld in all",
                                      (long long)op->given->sizes[axis], (long long)sum),
                         op->given);
  return count > 0 ? tuple_of(op, sizes, count, axis) : unknown_value;
}

static Followed split(const Operator *op)
{
  const PyTree *tree = &op->walk->export->model->tree;
  int64_t part, dim;
  PyRef sizes = forward_argument(op, 0, op->first == 0 ? "split_size" : "split_size_or_sections");
  int axis = forward_number(op, 1, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
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
  PyRef other = forward_argument(op, 0, "other");
  Followed wanted = other ? forward_value(op->walk, op->frame, other, op->depth) : unknown_value;
  if (wanted.kind != FOLLOWED_TENSOR || wanted.shape.rank < op->given->rank || op->given->rank < 0)
    return unknown_value;
  int more = wanted.shape.rank - op->given->rank;
  for (int i = 0; i < op->given->rank; i++) {
    int64_t size = op->given->sizes[i], to = wanted.shape.sizes[i + more];
    if (size > 1 && to > 0 && size != to) {
      forward_refuse_shape(op->walk, op->call->node,
                           arena_printf(forward_arena(op), "expands a tensor of shape %.*s as one of shape %.*s",
                                        STR_ARG(shape_text(op->given, forward_arena(op))),
                                        STR_ARG(shape_text(&wanted.shape, forward_arena(op)))),
                           op->given);
      return unknown_value;
    }
  }
  return forward_tensor(wanted.shape);
}

/// `x.new_zeros(b, 3)`
static Followed created(const Operator *op)
{
  Shape made = { 0 };
  made.rank = op->first == 0 && op->call->argument_count > 0 ? numbers_of(op, made.sizes) : -1;
  for (int i = 0; i < made.rank; i++) {
    if (made.sizes[i] < 0)
      return unknown_value;
  }
  return made.rank < 1 ? unknown_value : forward_of_element(forward_tensor(made), op->element);
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
  int axis = forward_number(op, 0, "dim", PY_SHAPE_RANK_LIMIT, &dim) ? shape_axis(op->given, dim) : -1;
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
  int axis = forward_number(op, 0, "dim", -1, &dim) ? shape_axis(op->given, dim) : -1;
  Shape made = *op->given;
  if (axis < 0 || made.sizes[axis] < 0 || made.sizes[axis] % 2 != 0)
    return unknown_value;
  made.sizes[axis] /= 2;
  return forward_tensor(made);
}

bool forward_operator(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                      uint32_t first, int depth, Followed *ret_value)
{
  static const ForwardOperator own[] = {
    { "chunk", chunk },         { "split", split },       { "expand", expand }, { "repeat", repeat },
    { "expand_as", expand_as }, { "squeeze", squeeze },   { "glu", glu },       { "new_zeros", created },
    { "new_ones", created },    { "new_empty", created }, { NULL, NULL },
  };
  const ForwardOperator *const tables[] = { own, forward_moving_operators, forward_picking_operators,
                                            forward_mixing_operators };
  Operator op = { walk, frame, call, &given->shape, given->element, first, depth };
  for (size_t table = 0; table < COUNT(tables); table++) {
    for (const ForwardOperator *known = tables[table]; known->name; known++) {
      if (!str_equal(name, str_from(known->name)))
        continue;
      *ret_value = known->make(&op);
      return true;
    }
  }
  return false;
}

Followed forward_stacked(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  Arena *arena = walk->export->sink->arena;
  const PyArgument *list = py_model_argument(model, call, 0, "tensors");
  const PyArgument *dim = py_model_argument(model, call, 1, "dim");
  int64_t at = 0;
  Followed parts = list ? forward_value(walk, frame, list->value, depth) : unknown_value;
  if (parts.kind != FOLLOWED_TUPLE || parts.number == 0 || (dim && !forward_int(walk, frame, dim->value, depth, &at)))
    return unknown_value;
  const Shape *first = &parts.items[0].shape;
  for (int64_t i = 0; i < parts.number; i++) {
    const Followed *part = &parts.items[i];
    if (part->kind != FOLLOWED_TENSOR)
      return unknown_value;
    bool differs = part->shape.rank != first->rank;
    for (int k = 0; !differs && k < first->rank; k++)
      differs = first->sizes[k] >= 0 && part->shape.sizes[k] >= 0 && part->shape.sizes[k] != first->sizes[k];
    if (differs) {
      forward_refuse(walk, call->node,
                     arena_printf(arena, "stacks tensors of shapes %.*s and %.*s", STR_ARG(shape_text(first, arena)),
                                  STR_ARG(shape_text(&part->shape, arena))));
      return unknown_value;
    }
  }
  Shape made = shape_unsqueeze(first, at);
  int axis = shape_axis(&made, at);
  if (axis >= 0)
    made.sizes[axis] = parts.number;
  return axis < 0 ? unknown_value : forward_tensor(made);
}
