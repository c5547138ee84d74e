#include "python/rules/turns.h"

#include "python/rules/written_items.h"

static bool add(TurnModels *turns, const PyModel *model)
{
  if (!model || turns->count == COUNT(turns->items))
    return false;
  turns->items[turns->count++] = model;
  return true;
}

/// `range(4)`, `range(1, 4)`; false for other steps than one.
static bool read_range(const PyModel *model, const PyCall *call, int64_t *ret_first, int64_t *ret_end)
{
  bool is_range = call && str_equal(call->qualified, STR("range")) && !call->has_splat && call->argument_count > 0 &&
                  call->argument_count <= 2;
  const PyArgument *given = is_range ? py_model_arguments(model, call) : NULL;
  *ret_first = 0;
  return given && (call->argument_count == 1 || py_model_int(model, given[0].value, ret_first)) &&
         py_model_int(model, given[call->argument_count - 1].value, ret_end);
}

/// `a, b` of an element that is a tuple.
static const PyModel *with_parts(const PyModel *model, PyRef target, PyRef element, Arena *arena)
{
  const PyTree *tree = &model->tree;
  element = py_model_resolve(model, element);
  PyRef value = py_kind(tree, element) == PYK_TUPLE || py_kind(tree, element) == PYK_LIST
                    ? py_tree_first_element(tree, element)
                    : 0;
  for (PyRef name = py_first_child(tree, target); name && model; name = py_next_sibling(tree, name)) {
    if (!value || py_kind(tree, name) != PYK_IDENTIFIER || py_tree_is_splat(tree, value))
      return NULL;
    model = py_model_with_name(model, name, value, arena);
    value = py_tree_next_element(tree, value);
  }
  return value ? NULL : model;
}

/// `i, x` of enumerate().
static const PyModel *with_number(const PyModel *model, PyRef target, size_t number, PyRef element, Arena *arena)
{
  const PyTree *tree = &model->tree;
  PyRef first = py_first_child(tree, target), second = first ? py_next_sibling(tree, first) : 0;
  if (!second || py_next_sibling(tree, second) || py_kind(tree, first) != PYK_IDENTIFIER ||
      py_kind(tree, second) != PYK_IDENTIFIER)
    return NULL;
  const PyModel *counted = py_model_with_number(model, first, (int64_t)number, arena);
  return counted ? py_model_with_name(counted, second, element, arena) : NULL;
}

bool turns_of(const PyModel *model, PyRef clause, Arena *arena, TurnModels *ret_turns)
{
  const PyTree *tree = &model->tree;
  PyRef target = py_child(tree, clause, PY_F_LEFT), over = py_child(tree, clause, PY_F_RIGHT);
  ret_turns->count = 0;
  if (!target || !over)
    return false;
  bool is_name = py_kind(tree, target) == PYK_IDENTIFIER, is_known = true;
  bool is_pattern = py_kind(tree, target) == PYK_PATTERN_LIST || py_kind(tree, target) == PYK_TUPLE_PATTERN;
  over = py_model_resolve(model, over);
  int64_t first, end;
  if (is_name && read_range(model, py_model_call(model, over), &first, &end)) {
    for (int64_t i = first; i < end && is_known; i++)
      is_known = add(ret_turns, py_model_with_number(model, target, i, arena));
    return is_known;
  }
  const PyCall *counted = is_pattern ? written_copy(model, over, "enumerate") : NULL;
  WrittenItems *items = ARENA_NEW(arena, WrittenItems);
  if ((!is_name && !is_pattern) ||
      !written_items(model, counted ? py_model_arguments(model, counted)->value : over, items))
    return false;
  for (size_t i = 0; i < items->count && is_known; i++)
    is_known = add(ret_turns, is_name   ? py_model_with_name(model, target, items->items[i], arena)
                              : counted ? with_number(model, target, i, items->items[i], arena)
                                        : with_parts(model, target, items->items[i], arena));
  return is_known;
}
