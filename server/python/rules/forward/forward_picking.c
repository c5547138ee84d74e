// Operators that pick elements of a tensor, or decide by them, while shapes are followed.

#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_operator.h"

static const Followed unknown_value;

static bool is_given(const Operator *op, const char *keyword)
{
  return py_model_argument(op->walk->export->model, op->call, PY_ABSENT, keyword) != NULL;
}

/// Values and where they stand.
static Followed with_indices(const Operator *op, Shape shape)
{
  Followed *items = ARENA_ARRAY(forward_arena(op), Followed, 2);
  items[0] = forward_of_element(forward_tensor(shape), op->element);
  items[1] = forward_of_element(forward_tensor(shape), STR("int64"));
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = 2, .items = items, .is_named = true };
}

static bool keeps_axis(const Operator *op)
{
  const PyModel *model = op->walk->export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *named = py_model_argument(model, op->call, PY_ABSENT, "keepdim");
  PyRef keep = named ? named->value : forward_argument(op, 1, NULL);
  return keep && py_kind(tree, py_tree_strip(tree, keep)) == PYK_TRUE;
}

/// `x.max()` has one element, `x.max(dim=1)` two results, and `torch.max(a, b)` is of two tensors.
static Followed extreme(const Operator *op)
{
  int64_t dim;
  if (op->call->argument_count == op->first)
    return forward_of_element(forward_tensor((Shape){ 0 }), op->element);
  bool is_axis = forward_number(op, 0, "dim", 0, &dim) && (is_given(op, "dim") || forward_argument(op, 0, NULL));
  Shape made = is_axis ? shape_reduce(op->given, dim, keeps_axis(op)) : shape_unknown();
  return made.rank < 0 ? unknown_value : with_indices(op, made);
}

static Followed topk(const Operator *op)
{
  int64_t count, dim;
  int axis = forward_number(op, 1, "dim", -1, &dim) ? shape_axis(op->given, dim) : -1;
  Shape made = *op->given;
  if (axis < 0)
    return unknown_value;
  bool is_known = forward_number(op, 0, "k", -1, &count) && count >= 0;
  if (is_known && made.sizes[axis] >= 0 && count > made.sizes[axis])
    return forward_refused(op, arena_printf(forward_arena(op), "asks for the %lld largest of %lld elements",
                                            (long long)count, (long long)made.sizes[axis]));
  made.sizes[axis] = is_known ? count : -1;
  return with_indices(op, made);
}

static Followed sort(const Operator *op)
{
  return with_indices(op, *op->given);
}

/// The index has as many axes as the tensor, and no more elements on those that are not picked along.
static Followed gather(const Operator *op)
{
  int64_t dim;
  Followed index = forward_argument_value(op, 1, "index");
  int axis = forward_number(op, 0, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
  Arena *arena = forward_arena(op);
  if (index.kind == FOLLOWED_TENSOR && str_starts_with(index.element, STR("float")))
    return forward_refused(
        op, arena_printf(arena, "gathers by an index of %.*s, and torch takes int64", STR_ARG(index.element)));
  if (index.kind != FOLLOWED_TENSOR || axis < 0 || index.shape.rank == 0)
    return unknown_value;
  bool is_wrong = index.shape.rank != op->given->rank;
  for (int i = 0; !is_wrong && i < op->given->rank; i++)
    is_wrong = i != axis && op->given->sizes[i] >= 0 && index.shape.sizes[i] > op->given->sizes[i];
  if (is_wrong)
    return forward_refused(op, arena_printf(arena, "gathers from a tensor of shape %.*s by an index of shape %.*s",
                                            STR_ARG(shape_text(op->given, arena)),
                                            STR_ARG(shape_text(&index.shape, arena))));
  return forward_tensor(index.shape);
}

static Followed index_select(const Operator *op)
{
  int64_t dim;
  Followed index = forward_argument_value(op, 1, "index");
  int axis = forward_number(op, 0, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
  Shape made = *op->given;
  if (axis < 0 || index.kind != FOLLOWED_TENSOR || index.shape.rank != 1)
    return unknown_value;
  made.sizes[axis] = index.shape.sizes[0];
  return forward_tensor(made);
}

/// Releases before did with masks of numbers.
static Followed masked_fill(const Operator *op)
{
  Followed mask = forward_argument_value(op, 0, "mask");
  Arena *arena = forward_arena(op);
  Shape made;
  if (mask.kind != FOLLOWED_TENSOR)
    return forward_tensor(*op->given);
  if (mask.element.len > 0 && !str_equal(mask.element, STR("bool")) &&
      export_torch_is_from(op->walk->export->file, 2, 6))
    return forward_refused(
        op, arena_printf(arena, "gives masked_fill() a mask of %.*s, and it has to be of bool", STR_ARG(mask.element)));
  if (!shape_broadcast(op->given, &mask.shape, &made))
    return forward_refused(op, arena_printf(arena, "fills a tensor of shape %.*s by a mask of shape %.*s",
                                            STR_ARG(shape_text(op->given, arena)),
                                            STR_ARG(shape_text(&mask.shape, arena))));
  return forward_tensor(made);
}

static Followed narrow(const Operator *op)
{
  int64_t dim, start, length;
  int axis = forward_number(op, 0, "dim", 0, &dim) ? shape_axis(op->given, dim) : -1;
  Shape made = *op->given;
  if (axis < 0 || !forward_number(op, 1, "start", -1, &start) || !forward_number(op, 2, "length", -1, &length) ||
      length < 0)
    return unknown_value;
  if (start >= 0 && made.sizes[axis] >= 0 && start + length > made.sizes[axis])
    return forward_refused(op,
                           arena_printf(forward_arena(op), "takes elements %lld to %lld of an axis of %lld",
                                        (long long)start, (long long)(start + length), (long long)made.sizes[axis]));
  made.sizes[axis] = length;
  return forward_tensor(made);
}

static Followed select_one(const Operator *op)
{
  int64_t dim;
  return forward_number(op, 0, "dim", PY_SHAPE_RANK_LIMIT, &dim) ? forward_tensor(shape_reduce(op->given, dim, false))
                                                                 : unknown_value;
}

/// What is left of the axes that an expression names.
static Followed without_axes(const Operator *op, PyRef dim, bool keeps)
{
  int64_t axes[PY_SHAPE_RANK_LIMIT];
  int count = dim ? forward_numbers(op, dim, axes) : -1;
  Shape made = *op->given, left = { 0 };
  for (int i = 0; i < count; i++) {
    int axis = shape_axis(op->given, axes[i]);
    if (axis < 0)
      return unknown_value;
    made = shape_reduce(&made, axis, true);
    axes[i] = axis;
  }
  for (int axis = 0; axis < made.rank; axis++) {
    bool is_gone = false;
    for (int i = 0; i < count; i++)
      is_gone |= axes[i] == axis;
    if (!is_gone || keeps)
      left.sizes[left.rank++] = made.sizes[axis];
  }
  return count < 1 ? unknown_value : forward_tensor(left);
}

/// `x.sum()`, `x.sum(1)` and `x.sum(dim=(2, 3), keepdim=True)`.
static Followed reduced(const Operator *op)
{
  PyRef dim = forward_argument(op, 0, "dim");
  if (op->call->argument_count == op->first || (!dim && op->call->argument_count == op->first + is_given(op, "dtype")))
    return forward_tensor((Shape){ 0 });
  if (!dim && is_given(op, "axis"))
    dim = py_model_argument(op->walk->export->model, op->call, PY_ABSENT, "axis")->value;
  return without_axes(op, dim, keeps_axis(op));
}

/// `x.norm()`, `x.norm(dim=1, keepdim=True)` and `x.norm(2, -1)`.
static Followed norm(const Operator *op)
{
  enum { KEEPDIM_AT = 2 };
  const PyTree *tree = &op->walk->export->model->tree;
  PyRef dim = forward_argument(op, 1, "dim"), keep = forward_argument(op, KEEPDIM_AT, "keepdim");
  bool keeps = keep && py_kind(tree, py_tree_strip(tree, keep)) == PYK_TRUE;
  if (!dim && op->call->argument_count <= op->first + (forward_argument(op, 0, "p") != 0))
    return forward_tensor((Shape){ 0 });
  return keep && !keeps && py_kind(tree, py_tree_strip(tree, keep)) != PYK_FALSE ? unknown_value
                                                                                 : without_axes(op, dim, keeps);
}

/// The place of the dim is known, and how much of that axis is left is one.
static Followed similarity(const Operator *op)
{
  int64_t dim;
  Followed other = forward_argument_value(op, 0, "x2");
  Shape both;
  if (other.kind != FOLLOWED_TENSOR || !forward_number(op, 1, "dim", 1, &dim) ||
      !shape_broadcast(op->given, &other.shape, &both) || shape_axis(&both, dim) < 0)
    return unknown_value;
  return forward_tensor(shape_reduce(&both, dim, false));
}

/// What has no mean, and no spread: numbers that are no floats.
static Followed mean(const Operator *op)
{
  if ((forward_is_int_element(op->element) || str_equal(op->element, STR("bool"))) && !is_given(op, "dtype"))
    return forward_refused(op, arena_printf(forward_arena(op),
                                            "takes the mean or the spread of %.*s, which torch has of floats only",
                                            STR_ARG(op->element)));
  return reduced(op);
}

/// `F.one_hot(ids, 5)`
static Followed one_hot(const Operator *op)
{
  int64_t classes;
  Shape made = *op->given;
  if (!forward_number(op, 0, "num_classes", -1, &classes) || made.rank == PY_SHAPE_RANK_LIMIT)
    return unknown_value;
  made.sizes[made.rank++] = classes > 0 ? classes : -1;
  return forward_tensor(made);
}

const ForwardOperator forward_picking_operators[] = {
  { "one_hot", one_hot },
  { "max", extreme },
  { "min", extreme },
  { "topk", topk },
  { "sort", sort },
  { "gather", gather },
  { "index_select", index_select },
  { "masked_fill", masked_fill },
  { "narrow", narrow },
  { "select", select_one },
  { "mean", mean },
  { "sum", reduced },
  { "amax", reduced },
  { "amin", reduced },
  { "argmax", reduced },
  { "argmin", reduced },
  { "prod", reduced },
  { "std", mean },
  { "var", mean },
  { "norm", norm },
  { "cosine_similarity", similarity },
  { "logsumexp", reduced },
  { NULL, NULL },
};
