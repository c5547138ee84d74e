// while_loop() and scan() while shapes are followed.

#include "python/rules/forward/forward_loop.h"

#include "base/limits.h"
#include "python/rules/forward/forward_apply.h"

static bool differs(const Followed *before, const Followed *after)
{
  if (before->kind != FOLLOWED_TENSOR || after->kind != FOLLOWED_TENSOR)
    return false;
  bool is_other = before->shape.rank != after->shape.rank ||
                  (before->element.len > 0 && after->element.len > 0 && !str_equal(before->element, after->element));
  for (int i = 0; !is_other && i < before->shape.rank; i++)
    is_other =
        before->shape.sizes[i] >= 0 && after->shape.sizes[i] >= 0 && before->shape.sizes[i] != after->shape.sizes[i];
  return is_other;
}

/// "float32 of shape (2, 3)"
static Str described(const Followed *value, Arena *arena)
{
  return value->element.len > 0 ? arena_printf(arena, "%.*s of shape %.*s", STR_ARG(value->element),
                                               STR_ARG(shape_text(&value->shape, arena)))
                                : shape_text(&value->shape, arena);
}

static void compare(ShapeWalk *walk, PyRef node, const char *what, const Followed *before, const Followed *after)
{
  Arena *arena = walk->export->sink->arena;
  if (differs(before, after))
    forward_refuse(walk, node,
                   arena_printf(arena, "makes of a tensor that %s carries, %.*s, another one in each turn, %.*s", what,
                                STR_ARG(described(before, arena)), STR_ARG(described(after, arena))));
}

static void compare_each(ShapeWalk *walk, PyRef node, const char *what, const Followed *before, const Followed *after)
{
  for (int64_t i = 0; before->kind == FOLLOWED_TUPLE && after->kind == FOLLOWED_TUPLE &&
                      before->number == after->number && i < before->number;
       i++)
    compare(walk, node, what, &before->items[i], &after->items[i]);
}

/// The condition is one truth value.
static void check_condition(ShapeWalk *walk, PyRef node, const Followed *asked)
{
  Arena *arena = walk->export->sink->arena;
  bool has_axes = asked->kind == FOLLOWED_TENSOR && asked->shape.rank > 0;
  bool is_number = asked->kind == FOLLOWED_TENSOR && asked->element.len > 0 && !str_equal(asked->element, STR("bool"));
  if (has_axes || is_number)
    forward_refuse(walk, node,
                   arena_printf(arena, "asks while_loop() for %.*s, and its condition has to be a bool without axes",
                                STR_ARG(described(asked, arena))));
}

static Followed run_while(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *asked = py_model_argument(model, call, 0, "cond_fn");
  const PyArgument *body = py_model_argument(model, call, 1, "body_fn");
  const PyArgument *given = py_model_argument(model, call, 2, "carried_inputs");
  Followed carried = given ? forward_value(walk, frame, given->value, depth) : (Followed){ 0 };
  if (!asked || !body || carried.kind != FOLLOWED_TUPLE)
    return (Followed){ 0 };
  Followed condition = forward_apply(walk, frame, asked->value, &carried, depth);
  Followed after = forward_apply(walk, frame, body->value, &carried, depth);
  if (!walk->trial) {
    check_condition(walk, call->node, &condition);
    compare_each(walk, call->node, "while_loop()", &carried, &after);
  }
  return carried;
}

/// A tensor without the axis that is gone over.
static Followed slice_of(const Followed *all, int64_t axis)
{
  Followed slice =
      all->kind == FOLLOWED_TENSOR ? forward_tensor(shape_reduce(&all->shape, axis, false)) : (Followed){ 0 };
  slice.element = slice.kind == FOLLOWED_TENSOR ? all->element : (Str){ 0 };
  return slice;
}

static Followed run_scan(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *body = py_model_argument(model, call, 0, "combine_fn");
  const PyArgument *init = py_model_argument(model, call, 1, "init");
  const PyArgument *given = py_model_argument(model, call, 2, "xs");
  const PyArgument *dim = py_model_argument(model, call, PY_ABSENT, "dim");
  int64_t axis = 0;
  if (!body || !init || !given || (dim && !py_model_int(model, dim->value, &axis)))
    return (Followed){ 0 };
  Followed *parts = ARENA_ARRAY(walk->export->sink->arena, Followed, 2);
  Followed all = forward_value(walk, frame, given->value, depth);
  parts[0] = forward_value(walk, frame, init->value, depth);
  parts[1] = slice_of(&all, axis);
  Followed turn = { .kind = FOLLOWED_TUPLE, .number = 2, .items = parts };
  Followed after = forward_apply(walk, frame, body->value, &turn, depth);
  if (after.kind == FOLLOWED_TUPLE && after.number == 2 && !walk->trial)
    compare(walk, call->node, "scan()", &parts[0], &after.items[0]);
  return (Followed){ 0 };
}

Followed forward_loop(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth)
{
  if (call->has_splat || call->has_dictionary_splat || !str_starts_with(name, STR("_higher_order_ops.")))
    return (Followed){ 0 };
  if (str_ends_with(name, STR(".while_loop")))
    return run_while(walk, frame, call, depth);
  return str_ends_with(name, STR(".scan")) ? run_scan(walk, frame, call, depth) : (Followed){ 0 };
}
