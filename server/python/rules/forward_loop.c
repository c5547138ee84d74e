// while_loop() and scan() while shapes are followed.

#include "python/rules/forward_loop.h"

#include "base/limits.h"
#include "python/rules/forward_apply.h"

static bool differs(const Value *before, const Value *after)
{
  if (before->kind != VALUE_TENSOR || after->kind != VALUE_TENSOR)
    return false;
  bool is_other = before->shape.rank != after->shape.rank ||
                  (before->element.len > 0 && after->element.len > 0 && !str_equal(before->element, after->element));
  for (int i = 0; !is_other && i < before->shape.rank; i++)
    is_other =
        before->shape.sizes[i] >= 0 && after->shape.sizes[i] >= 0 && before->shape.sizes[i] != after->shape.sizes[i];
  return is_other;
}

/// "float32 of shape (2, 3)"
static Str described(const Value *value, Arena *arena)
{
  return value->element.len > 0 ? arena_printf(arena, "%.*s of shape %.*s", STR_ARG(value->element),
                                               STR_ARG(shape_text(&value->shape, arena)))
                                : shape_text(&value->shape, arena);
}

static void compare(ShapeWalk *walk, PyRef node, const char *what, const Value *before, const Value *after)
{
  Arena *arena = walk->export->sink->arena;
  if (differs(before, after))
    forward_refuse(walk, node,
                   arena_printf(arena, "makes of a tensor that %s carries, %.*s, another one in each turn, %.*s", what,
                                STR_ARG(described(before, arena)), STR_ARG(described(after, arena))));
}

static void compare_each(ShapeWalk *walk, PyRef node, const char *what, const Value *before, const Value *after)
{
  for (int64_t i = 0; before->kind == VALUE_TUPLE && after->kind == VALUE_TUPLE && before->number == after->number &&
                      i < before->number;
       i++)
    compare(walk, node, what, &before->items[i], &after->items[i]);
}

/// The condition is one truth value.
static void check_condition(ShapeWalk *walk, PyRef node, const Value *asked)
{
  Arena *arena = walk->export->sink->arena;
  bool has_axes = asked->kind == VALUE_TENSOR && asked->shape.rank > 0;
  bool is_number = asked->kind == VALUE_TENSOR && asked->element.len > 0 && !str_equal(asked->element, STR("bool"));
  if (has_axes || is_number)
    forward_refuse(walk, node,
                   arena_printf(arena, "asks while_loop() for %.*s, and its condition has to be a bool without axes",
                                STR_ARG(described(asked, arena))));
}

static Value run_while(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *asked = py_model_argument(model, call, 0, "cond_fn");
  const PyArgument *body = py_model_argument(model, call, 1, "body_fn");
  const PyArgument *given = py_model_argument(model, call, 2, "carried_inputs");
  Value carried = given ? forward_value(walk, frame, given->value, depth) : (Value){ 0 };
  if (!asked || !body || carried.kind != VALUE_TUPLE)
    return (Value){ 0 };
  Value condition = forward_apply(walk, frame, asked->value, &carried, depth);
  Value after = forward_apply(walk, frame, body->value, &carried, depth);
  if (!walk->trial) {
    check_condition(walk, call->node, &condition);
    compare_each(walk, call->node, "while_loop()", &carried, &after);
  }
  return carried;
}

/// A tensor without the axis that is gone over.
static Value slice_of(const Value *all, int64_t axis)
{
  Value slice = all->kind == VALUE_TENSOR ? forward_tensor(shape_reduce(&all->shape, axis, false)) : (Value){ 0 };
  slice.element = slice.kind == VALUE_TENSOR ? all->element : (Str){ 0 };
  return slice;
}

static Value run_scan(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *body = py_model_argument(model, call, 0, "combine_fn");
  const PyArgument *init = py_model_argument(model, call, 1, "init");
  const PyArgument *given = py_model_argument(model, call, 2, "xs");
  const PyArgument *dim = py_model_argument(model, call, PY_ABSENT, "dim");
  int64_t axis = 0;
  if (!body || !init || !given || (dim && !py_model_int(model, dim->value, &axis)))
    return (Value){ 0 };
  Value *parts = ARENA_ARRAY(walk->export->sink->arena, Value, 2);
  Value all = forward_value(walk, frame, given->value, depth);
  parts[0] = forward_value(walk, frame, init->value, depth);
  parts[1] = slice_of(&all, axis);
  Value turn = { .kind = VALUE_TUPLE, .number = 2, .items = parts };
  Value after = forward_apply(walk, frame, body->value, &turn, depth);
  if (after.kind == VALUE_TUPLE && after.number == 2 && !walk->trial)
    compare(walk, call->node, "scan()", &parts[0], &after.items[0]);
  return (Value){ 0 };
}

Value forward_loop(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth)
{
  if (call->has_splat || call->has_dictionary_splat || !str_starts_with(name, STR("_higher_order_ops.")))
    return (Value){ 0 };
  if (str_ends_with(name, STR(".while_loop")))
    return run_while(walk, frame, call, depth);
  return str_ends_with(name, STR(".scan")) ? run_scan(walk, frame, call, depth) : (Value){ 0 };
}
