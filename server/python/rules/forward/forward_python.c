// Functions of Python itself, and sizes as its numbers, while shapes are followed.

#include "base/limits.h"
#include "python/rules/forward/forward_turns.h"

Followed forward_sizes_of(ShapeWalk *walk, const Followed *of)
{
  const Shape *shape = &of->shape;
  Followed *items = ARENA_ARRAY(walk->export->sink->arena, Followed, (size_t)(shape->rank > 0 ? shape->rank : 1));
  for (int i = 0; i < shape->rank; i++) {
    items[i] = forward_number_value(shape->sizes[i]);
    items[i].is_of_input = of->is_of_input;
  }
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = shape->rank, .items = items };
}

bool forward_int(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth, int64_t *ret_value)
{
  const PyTree *tree = &walk->export->model->tree;
  if (py_model_int(walk->export->model, node, ret_value) || module_maker_int(frame->maker, node, ret_value))
    return true;
  PyRef sign = node && py_kind(tree, node) == PYK_UNARY_OPERATOR ? py_child(tree, node, PY_F_OPERATOR) : 0;
  bool is_minus = sign && str_equal(py_text(tree, sign), STR("-"));
  if (is_minus && depth > 0 && forward_int(walk, frame, py_child(tree, node, PY_F_ARGUMENT), depth - 1, ret_value)) {
    *ret_value = -*ret_value;
    return true;
  }
  Followed value = forward_value(walk, frame, node, depth);
  *ret_value = value.number;
  return value.kind == FOLLOWED_INT;
}

void forward_freeze(ShapeWalk *walk, PyRef node, const Followed *size)
{
  bool is_number = size->kind == FOLLOWED_INT || size->kind == FOLLOWED_FLOAT;
  if (!walk->is_of_trace || !is_number || size->number < DIM_FACTOR || walk->why.len > 0)
    return;
  walk->is_frozen = true;
  walk->is_said = size->is_of_input && walk->depth == 0;
  forward_refuse(walk, node, STR("makes a constant of a size"));
}

/// `int(h)`, `math.sqrt(n)`, `len(features)`
static Followed number_of_python(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyArgument *first = py_model_argument(walk->export->model, call, 0, NULL);
  Followed of = first ? forward_value(walk, frame, first->value, depth) : (Followed){ 0 };
  bool is_length = str_equal(call->qualified, STR("len"));
  BuiltParts *parts = is_length && first && of.kind == FOLLOWED_UNKNOWN && walk->steps > PY_SHAPE_NAME_LIMIT
                          ? ARENA_NEW(walk->export->sink->arena, BuiltParts)
                          : NULL;
  walk->steps -= parts ? PY_SHAPE_NAME_LIMIT : 0;
  if (parts && forward_built_list(walk, frame, first->value, parts))
    return forward_number_value((int64_t)parts->count);
  if (is_length && of.kind == FOLLOWED_TENSOR && of.shape.rank > 0)
    of = forward_sizes_of(walk, &of).items[0];
  else if (is_length)
    return of.kind == FOLLOWED_TUPLE ? forward_number_value(of.number) : (Followed){ 0 };
  if (!str_equal(call->qualified, STR("math.prod")))
    forward_freeze(walk, call->node, &of);
  bool is_kept = (is_length || str_equal(call->qualified, STR("int"))) && call->argument_count == 1;
  return is_kept && of.kind == FOLLOWED_INT               ? of
         : str_starts_with(call->qualified, STR("math.")) ? (Followed){ .kind = FOLLOWED_FLOAT }
                                                          : (Followed){ 0 };
}

/// `tuple(x.shape)`, `list(f(v) for v in vs)`
static Followed list_of_python(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  const PyArgument *first = py_model_argument(walk->export->model, call, 0, NULL);
  Followed of = first ? forward_value(walk, frame, first->value, depth) : (Followed){ 0 };
  for (PY_EACH_CHILD(tree, child, call->node)) {
    if (!first && py_kind(tree, child) == PYK_GENERATOR_EXPRESSION)
      of = forward_comprehension(walk, frame, child, depth);
  }
  of.is_list = str_equal(call->qualified, STR("list"));
  return of.kind == FOLLOWED_TUPLE ? of : (Followed){ 0 };
}

bool forward_of_python(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, Followed *ret_value)
{
  static const char *const numbers[] = { "int", "float", "round", "len" };
  Str name = call->qualified;
  bool is_list = str_equal(name, STR("tuple")) || str_equal(name, STR("list"));
  if (!is_list && !str_starts_with(name, STR("math.")) && !str_is_one_of(name, numbers, COUNT(numbers)))
    return false;
  *ret_value = is_list ? list_of_python(walk, frame, call, depth) : number_of_python(walk, frame, call, depth);
  return true;
}
