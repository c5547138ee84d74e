// A model as one call of a function of the file, or one turn of a comprehension, sees it.

#include "python/model/python_model_private.h"

/// What the call gives the parameter; 0.
static PyRef given(const PyModel *model, const PyCall *call, const PyFunction *function, uint32_t i)
{
  const PyParam *param = &py_model_params(model, function)[i];
  uint32_t first = call->is_bound;
  const PyArgument *argument = i >= first ? py_model_argument_of(model, call, i - first, param->name) : NULL;
  return argument ? argument->value : param->default_value;
}

const PyModel *py_model_in_call(const PyModel *model, const PyCall *call, Arena *arena)
{
  uint32_t index = call->function != PY_ABSENT ? call->function : call->method;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  PyRow *row = function ? ARENA_NEW(arena, PyRow) : NULL;
  if (!row || call->has_splat || call->has_dictionary_splat || function->param_count > COUNT(row->names))
    return NULL;
  *row = (PyRow){ .node = call->node };
  for (uint32_t i = 0; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    PyRef value = given(model, call, function, i);
    if (param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS || !value)
      continue;
    row->names[row->count] = param->name;
    row->values[row->count++] = model->row ? python_row_value(model, model->row, value) : value;
  }
  PyModel *copy = ARENA_NEW(arena, PyModel);
  *copy = *model;
  copy->row = row;
  copy->row_scope = index;
  return copy;
}

/// A copy of the model with one name more at the end of its row; NULL if there is no room, or names of another scope
/// have theirs.
static PyModel *with_turn(const PyModel *model, PyRef name, Arena *arena, PyRow **ret_row)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, name);
  bool has_room =
      binding && (!model->row || (model->row_scope == binding->scope && model->row->count < COUNT(model->row->names)));
  if (!has_room)
    return NULL;
  PyRow *row = *ret_row = ARENA_NEW(arena, PyRow);
  if (model->row)
    *row = *model->row;
  row->names[row->count] = binding->name;
  row->values[row->count] = 0;
  row->numbers[row->count] = row->texts[row->count] = (Str){ 0 };
  row->is_turn[row->count++] = true;
  PyModel *copy = ARENA_NEW(arena, PyModel);
  *copy = *model;
  copy->row = row;
  copy->row_scope = binding->scope;
  copy->row_turn = tree->nodes[name].parent;
  while (copy->row_turn && py_kind(tree, copy->row_turn) != PYK_FOR_STATEMENT &&
         !py_kind_is_comprehension(py_kind(tree, copy->row_turn)))
    copy->row_turn = tree->nodes[copy->row_turn].parent;
  return copy;
}

const PyModel *py_model_with_name(const PyModel *model, PyRef name, PyRef value, Arena *arena)
{
  PyRow *row = NULL;
  PyModel *copy = with_turn(model, name, arena, &row);
  if (copy)
    row->values[row->count - 1] = value;
  return copy;
}

const PyModel *py_model_with_number(const PyModel *model, PyRef name, int64_t number, Arena *arena)
{
  PyRow *row = NULL;
  PyModel *copy = with_turn(model, name, arena, &row);
  if (copy)
    row->numbers[row->count - 1] = arena_printf(arena, "%lld", (long long)number);
  return copy;
}
