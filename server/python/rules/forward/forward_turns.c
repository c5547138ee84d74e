// What loops and comprehensions go over while shapes are followed: lists of modules, tuples, tensors, and zip(),
// enumerate() and the like of these.

#include "python/rules/forward/forward_turns.h"

#include "base/limits.h"
#include "python/rules/forward/forward_index.h"

static Arena *arena_of(const ShapeWalk *walk)
{
  return walk->export->sink->arena;
}

void forward_bind(ShapeWalk *walk, ShapeFrame *frame, PyRef target, Followed value)
{
  const PyTree *tree = &walk->export->model->tree;
  struct {
    PyRef node;
    Followed value;
  } open[PY_SHAPE_RANK_LIMIT] = { { target, value } };
  int count = 1;
  while (count > 0) {
    PyRef at = open[--count].node;
    Followed given = open[count].value;
    int64_t i = 0;
    if (py_kind(tree, at) == PYK_IDENTIFIER)
      forward_set_name(frame, py_text(tree, at), given);
    if (py_kind(tree, at) != PYK_PATTERN_LIST && py_kind(tree, at) != PYK_TUPLE_PATTERN)
      continue;
    for (PY_EACH_CHILD(tree, part, at)) {
      bool is_known = given.kind == FOLLOWED_TUPLE && i < given.number;
      if (count < PY_SHAPE_RANK_LIMIT) {
        open[count].node = part;
        open[count++].value = is_known ? given.items[i] : (Followed){ 0 };
      }
      i++;
    }
  }
}

static Followed *new_items(const ShapeWalk *walk, int count)
{
  return ARENA_ARRAY(arena_of(walk), Followed, (size_t)(count > 0 ? count : 1));
}

static Followed module_value(PyRef part, const ModuleMaker *maker)
{
  return (Followed){ .kind = FOLLOWED_MODULE, .part = part, .maker = maker };
}

// --- What is gone over ---

/// `self.layers`, a torch.nn.ModuleList: of one that is filled so often as is not known, the first.
static bool turns_of_modules(ShapeWalk *walk, ShapeFrame *frame, PyRef over, ForwardTurns *turns)
{
  const PyTree *tree = &walk->export->model->tree;
  // What __init__() fills a list with is as much work as so many expressions.
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  if (walk->steps <= 0)
    return false;
  BuiltParts *parts = ARENA_NEW(arena_of(walk), BuiltParts);
  PyRef list = forward_module_list(walk, frame, over);
  if (forward_built_list(walk, frame, over, parts) && parts->count <= PY_SHAPE_TURN_LIMIT) {
    turns->items = new_items(walk, (int)parts->count);
    for (size_t i = 0; i < parts->count; i++)
      turns->items[turns->count++] = module_value(parts->items[i].node, parts->items[i].maker);
    return true;
  }
  if (!list)
    return false;
  turns->items = new_items(walk, PY_SHAPE_TURN_LIMIT);
  if (py_kind(tree, list) == PYK_LIST_COMPREHENSION) {
    turns->items[turns->count++] = module_value(py_first_child(tree, list), frame->maker);
    turns->has_more = true;
    return true;
  }
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_tree_is_splat(tree, item) || turns->count == PY_SHAPE_TURN_LIMIT)
      return false;
    turns->items[turns->count++] = module_value(item, frame->maker);
  }
  return true;
}

/// `self.levels` of numbers that the model was made with.
static bool turns_of_numbers(ShapeWalk *walk, ShapeFrame *frame, PyRef over, ForwardTurns *turns)
{
  MadeName *made = ARENA_ARRAY(arena_of(walk), MadeName, PY_MADE_LIST_LIMIT);
  int count = module_maker_list(frame->maker, over, made);
  if (count < 0)
    return false;
  turns->items = new_items(walk, count);
  for (int i = 0; i < count; i++)
    turns->items[i] = made[i].is_number && made[i].number >= 0 && made[i].number <= PY_DIM_NUMBER_LIMIT
                          ? (Followed){ .kind = FOLLOWED_INT, .number = made[i].number }
                          : (Followed){ 0 };
  turns->count = count;
  return true;
}

/// A tuple, or a tensor along its first axis.
static bool turns_of_value(ShapeWalk *walk, PyRef over, Followed value, ForwardTurns *turns)
{
  if (value.kind == FOLLOWED_TENSOR && value.shape.rank > 0 && !walk->trial)
    value = forward_taken_apart(walk, over, &value, 0);
  if (value.kind != FOLLOWED_TUPLE || value.number > PY_SHAPE_TURN_LIMIT)
    return false;
  turns->count = (int)value.number;
  turns->items = new_items(walk, turns->count);
  for (int i = 0; i < turns->count; i++)
    turns->items[i] = value.items[i];
  return true;
}

/// `range(3)`, `range(1, n)`, `range(len(xs) - 1, 0, -1)`
static bool turns_of_range(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, ForwardTurns *turns)
{
  const PyModel *model = walk->export->model;
  int64_t ends[3] = { 0, 0, 1 };
  if (call->argument_count < 1 || call->argument_count > 3 || call->has_splat)
    return false;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    if (!forward_int(walk, frame, py_model_arguments(model, call)[i].value, depth, &ends[i]))
      return false;
  }
  int64_t first = call->argument_count > 1 ? ends[0] : 0, end = ends[call->argument_count > 1 ? 1 : 0], step = ends[2];
  int64_t count = step == 0 ? -1 : step > 0 ? (end - first + step - 1) / step : (first - end - step - 1) / -step;
  if (step == 0 || count > PY_SHAPE_TURN_LIMIT)
    return false;
  turns->items = new_items(walk, count > 0 ? (int)count : 0);
  for (int64_t i = 0; i < count; i++)
    turns->items[turns->count++] = (Followed){ .kind = FOLLOWED_INT, .number = first + i * step };
  return true;
}

/// `zip(self.convs, features)`, `enumerate(features)`, with the index before what is gone over.
static bool turns_together(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, bool is_counted, int depth,
                           ForwardTurns *turns)
{
  const PyModel *model = walk->export->model;
  ForwardTurns of[PY_SHAPE_RANK_LIMIT] = { { 0 } };
  int width = (int)call->argument_count, first = is_counted ? 1 : 0;
  if (width == 0 || width + first > PY_SHAPE_RANK_LIMIT || (is_counted && width != 1) || call->has_splat)
    return false;
  for (int i = 0; i < width; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len > 0 || !forward_turns(walk, frame, argument->value, depth - 1, &of[i]))
      return false;
    turns->count = i == 0 || of[i].count < turns->count ? of[i].count : turns->count;
    turns->has_more |= of[i].has_more;
  }
  turns->items = new_items(walk, turns->count);
  for (int turn = 0; turn < turns->count; turn++) {
    Followed *parts = new_items(walk, width + first);
    parts[0] = (Followed){ .kind = FOLLOWED_INT, .number = turn };
    for (int i = 0; i < width; i++)
      parts[first + i] = of[i].items[turn];
    turns->items[turn] = (Followed){ .kind = FOLLOWED_TUPLE, .number = width + first, .items = parts };
  }
  return true;
}

static bool turns_reversed(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, ForwardTurns *turns)
{
  ForwardTurns of = { 0 };
  if (call->argument_count != 1 || call->has_splat ||
      !forward_turns(walk, frame, py_model_arguments(walk->export->model, call)[0].value, depth - 1, &of) ||
      of.has_more)
    return false;
  *turns = of;
  for (int i = 0; i < of.count / 2; i++) {
    Followed item = of.items[i];
    turns->items[i] = of.items[of.count - 1 - i];
    turns->items[of.count - 1 - i] = item;
  }
  return true;
}

bool forward_turns(ShapeWalk *walk, ShapeFrame *frame, PyRef over, int depth, ForwardTurns *ret_turns)
{
  const PyModel *model = walk->export->model;
  *ret_turns = (ForwardTurns){ 0 };
  over = over ? py_tree_strip(&model->tree, over) : 0;
  if (!over || depth <= 0)
    return false;
  const PyCall *call = py_model_call(model, over);
  if (call && str_equal(call->qualified, STR("range")))
    return turns_of_range(walk, frame, call, depth, ret_turns);
  if (call && (str_equal(call->qualified, STR("zip")) || str_equal(call->qualified, STR("enumerate"))))
    return turns_together(walk, frame, call, str_equal(call->qualified, STR("enumerate")), depth, ret_turns);
  if (call && str_equal(call->qualified, STR("reversed")))
    return turns_reversed(walk, frame, call, depth, ret_turns);
  if (turns_of_modules(walk, frame, over, ret_turns))
    return true;
  *ret_turns = (ForwardTurns){ 0 };
  Followed value = forward_value(walk, frame, over, depth - 1);
  return turns_of_value(walk, over, value, ret_turns) ||
         (py_kind(&model->tree, over) == PYK_ATTRIBUTE && turns_of_numbers(walk, frame, over, ret_turns));
}

// --- Comprehensions ---

Followed forward_comprehension(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef body = py_first_child(tree, node), clause = body ? py_next_sibling(tree, body) : 0;
  ForwardTurns turns;
  if (!clause || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || py_next_sibling(tree, clause))
    return (Followed){ 0 };
  PyRef target = py_child(tree, clause, PY_F_LEFT), over = py_child(tree, clause, PY_F_RIGHT);
  if (!target || !over || !forward_turns(walk, frame, over, depth, &turns))
    return (Followed){ 0 };
  // Its names are its own: those of the function are as before after it.
  ShapeFrame *inner = ARENA_NEW(arena_of(walk), ShapeFrame);
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  *inner = *frame;
  Followed *items = new_items(walk, turns.count);
  for (int i = 0; i < turns.count && walk->steps > 0; i++) {
    forward_bind(walk, inner, target, turns.items[i]);
    items[i] = forward_value(walk, inner, body, depth - 1);
  }
  return turns.has_more ? (Followed){ 0 }
                        : (Followed){ .kind = FOLLOWED_TUPLE, .number = turns.count, .items = items, .is_list = true };
}

// --- Lists ---

Followed forward_tuple_of(ShapeWalk *walk, ShapeFrame *frame, PyRef list, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  Followed tuple = { .kind = FOLLOWED_TUPLE, .is_list = py_kind(tree, list) == PYK_LIST };
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_tree_is_splat(tree, item) || tuple.number++ == PY_SHAPE_TURN_LIMIT)
      return (Followed){ 0 };
  }
  Followed *kept = ARENA_ARRAY(walk->export->sink->arena, Followed, (size_t)(tuple.number > 0 ? tuple.number : 1));
  int64_t i = 0;
  for (PY_EACH_ELEMENT(tree, item, list))
    kept[i++] = forward_value(walk, frame, item, depth);
  tuple.items = kept;
  return tuple;
}

Followed forward_lists_joined(ShapeWalk *walk, const Followed *a, const Followed *b)
{
  int64_t count = a->number + b->number;
  if (a->kind != FOLLOWED_TUPLE || b->kind != FOLLOWED_TUPLE || count > PY_SHAPE_TURN_LIMIT)
    return (Followed){ 0 };
  Followed *items = new_items(walk, (int)count);
  for (int64_t i = 0; i < count; i++)
    items[i] = i < a->number ? a->items[i] : b->items[i - a->number];
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = count, .items = items, .is_list = a->is_list };
}

void forward_forget_list(const ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const PyTree *tree = &walk->export->model->tree;
  node = py_tree_strip(tree, node);
  NamedValue *named = py_kind(tree, node) == PYK_IDENTIFIER ? forward_named(frame, py_text(tree, node)) : NULL;
  if (named && named->value.is_list)
    named->value = (Followed){ 0 };
}
