// The elements of lists and tuples that are put together of what is written out.

#include "python/rules/written_items.h"

const PyCall *written_copy(const PyModel *model, PyRef node, const char *type)
{
  const PyCall *call = node ? py_model_call(model, node) : NULL;
  bool is_copy = call && call->argument_count == 1 && !call->has_splat && !call->has_dictionary_splat &&
                 str_equal(call->qualified, str_from(type));
  return is_copy && py_model_arguments(model, call)->keyword.len == 0 ? call : NULL;
}

static PyRef dictionary(const PyModel *model, PyRef node)
{
  node = node ? py_model_resolve(model, node) : 0;
  return py_kind(&model->tree, node) == PYK_DICTIONARY ? node : 0;
}

PyRef written_dictionary_of(const PyModel *model, PyRef node, const char *method)
{
  const PyCall *call = node ? py_model_call(model, node) : NULL;
  PyRef function = call && call->argument_count == 0 ? call->function_node : 0;
  return function && str_equal(py_tree_member_name(&model->tree, function), str_from(method))
             ? dictionary(model, py_tree_object(&model->tree, function))
             : 0;
}

static bool add(WrittenItems *items, PyRef item)
{
  if (!item || items->count == COUNT(items->items))
    return false;
  items->items[items->count++] = item;
  return true;
}

static bool add_pairs(const PyModel *model, PyRef pairs, PyField part, WrittenItems *items)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_CHILD(tree, pair, pairs)) {
    if (py_kind(tree, pair) != PYK_PAIR || !add(items, py_child(tree, pair, part)))
      return false;
  }
  return true;
}

/// `[make() for _ in range(3)]` and `[make(size) for size in SIZES]`, without a condition.
static bool add_turns(const PyModel *model, PyRef comprehension, WrittenItems *items)
{
  const PyTree *tree = &model->tree;
  PyRef body = py_first_child(tree, comprehension), clause = body ? py_next_sibling(tree, body) : 0;
  if (!clause || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || py_next_sibling(tree, clause))
    return false;
  PyRef over = py_model_resolve(model, py_child(tree, clause, PY_F_RIGHT));
  int64_t turns = 0;
  const PyCall *range = written_copy(model, over, "range");
  if (range && !py_model_int(model, py_model_arguments(model, range)->value, &turns))
    return false;
  if (!range && py_kind(tree, over) != PYK_LIST && py_kind(tree, over) != PYK_TUPLE)
    return false;
  for (PyRef item = range ? 0 : py_tree_first_element(tree, over); item; item = py_tree_next_element(tree, item)) {
    if (py_tree_is_splat(tree, item))
      return false;
    turns++;
  }
  for (; turns > 0; turns--) {
    if (!add(items, body))
      return false;
  }
  return true;
}

/// Of what stands in no other list.
static bool add_list(const PyModel *model, PyRef node, WrittenItems *items)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    node = py_model_resolve(model, node);
    const PyCall *copy = written_copy(model, node, "list");
    copy = copy ? copy : written_copy(model, node, "tuple");
    if (!copy)
      break;
    node = py_model_arguments(model, copy)->value;
  }
  PyRef keys = written_dictionary_of(model, node, "keys"), values = written_dictionary_of(model, node, "values");
  if (keys || values)
    return add_pairs(model, keys ? keys : values, keys ? PY_F_KEY : PY_F_VALUE, items);
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_DICTIONARY)
    return add_pairs(model, node, PY_F_KEY, items);
  if (kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION)
    return add_turns(model, node, items);
  if (kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST)
    return false;
  for (PY_EACH_ELEMENT(tree, item, node)) {
    if (py_tree_is_splat(tree, item) || !add(items, item))
      return false;
  }
  return true;
}

bool written_items(const PyModel *model, PyRef node, WrittenItems *ret_items)
{
  const PyTree *tree = &model->tree;
  PyRef list = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(tree, list);
  ret_items->count = 0;
  if (kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST)
    return add_list(model, list, ret_items);
  for (PY_EACH_ELEMENT(tree, item, list)) {
    bool is_splat = py_tree_is_splat(tree, item);
    if (is_splat ? !add_list(model, py_first_child(tree, item), ret_items) : !add(ret_items, item))
      return false;
  }
  return true;
}
