// Functions that torch.cond() and loops run, while shapes are followed.

#include "python/rules/forward/forward_apply.h"

#include "base/limits.h"

static bool bind_all(ShapeFrame *frame, const Str *names, uint32_t count, const Followed *given)
{
  if (given->number != count)
    return false;
  for (uint32_t i = 0; i < count; i++)
    forward_set_name(frame, names[i], given->items[i]);
  return true;
}

static Followed run_lambda(ShapeWalk *walk, ShapeFrame *frame, PyRef lambda, const Followed *given, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  Str names[PY_SHAPE_RANK_LIMIT];
  uint32_t count = 0;
  PyRef body = 0;
  for (PY_EACH_CHILD(tree, child, lambda)) {
    body = child;
    if (py_kind(tree, child) != PYK_LAMBDA_PARAMETERS)
      continue;
    for (PY_EACH_CHILD(tree, name, child)) {
      if (py_kind(tree, name) != PYK_IDENTIFIER || count == COUNT(names))
        return (Followed){ 0 };
      names[count++] = py_text(tree, name);
    }
  }
  return bind_all(frame, names, count, given) ? forward_value(walk, frame, body, depth) : (Followed){ 0 };
}

static Followed run_function(ShapeWalk *walk, ShapeFrame *frame, uint32_t index, const Followed *given)
{
  const PyModel *model = walk->export->model;
  const PyFunction *function = &model->functions.items[index];
  Str names[PY_SHAPE_RANK_LIMIT];
  uint32_t skipped = function->class_node != 0 && !function->is_static;
  uint32_t count = function->param_count - (function->param_count > 0 ? skipped : 0);
  if (count > COUNT(names) || walk->depth == PY_SHAPE_CALL_DEPTH)
    return (Followed){ 0 };
  for (uint32_t i = 0; i < count; i++) {
    const PyParam *param = &model->params.items[function->first_param + skipped + i];
    if (param->kind != PY_PARAM_PLAIN || param->default_value)
      return (Followed){ 0 };
    names[i] = param->name;
  }
  frame->function = index;
  if (!bind_all(frame, names, count, given))
    return (Followed){ 0 };
  walk->depth++;
  Followed result = forward_shapes_run(walk, frame);
  walk->depth--;
  return result;
}

Followed forward_apply(ShapeWalk *walk, ShapeFrame *frame, PyRef function, const Followed *given, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  // Its frame is as much work as so many expressions.
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  if (given->kind != FOLLOWED_TUPLE || walk->steps <= 0)
    return (Followed){ 0 };
  ShapeFrame *inner = ARENA_NEW(walk->export->sink->arena, ShapeFrame);
  function = py_tree_strip(tree, function);
  *inner = *frame;
  if (py_kind(tree, function) == PYK_LAMBDA)
    return run_lambda(walk, inner, function, given, depth);
  Str own = py_tree_own_name(tree, function);
  uint32_t index = own.len > 0 ? export_method_named(model, frame->maker->class_node, own)
                               : py_model_callable(model, function).function;
  if (index == PY_ABSENT)
    return (Followed){ 0 };
  if (model->functions.items[index].parent == PY_ABSENT)
    inner->count = 0;
  return run_function(walk, inner, index, given);
}
