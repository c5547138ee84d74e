// What the model has of a node: the call, the function or the operator that it is, and what is around it.

#include "base/search.h"
#include "python/model/python_model.h"

static uint32_t key_at(const void *items, size_t i, size_t size, size_t offset)
{
  return *(const uint32_t *)(const void *)((const char *)items + i * size + offset);
}

/// Index of the element with that key in a list that is sorted by a field of 32 bits, which lies at `offset`.
static uint32_t find_sorted(const void *items, size_t count, size_t size, size_t offset, uint32_t key)
{
  size_t at;
  SEARCH_FIRST(at, 0, count, key_at(items, at, size, offset) < key);
  return at < count && key_at(items, at, size, offset) == key ? (uint32_t)at : PY_ABSENT;
}

uint32_t py_model_function_at(const PyModel *model, PyRef node)
{
  return find_sorted(model->functions.items, model->functions.count, sizeof(PyFunction), offsetof(PyFunction, node),
                     node);
}

uint32_t py_model_call_at(const PyModel *model, PyRef node)
{
  size_t start = node / PY_NODES_A_START;
  if (py_kind(&model->tree, node) != PYK_CALL || start >= model->call_starts.count)
    return PY_ABSENT;
  size_t at = model->call_starts.items[start];
  while (at < model->calls.count && model->calls.items[at].node < node)
    at++;
  return at < model->calls.count && model->calls.items[at].node == node ? (uint32_t)at : PY_ABSENT;
}

const PyCall *py_model_call(const PyModel *model, PyRef node)
{
  uint32_t index = py_model_call_at(model, node);
  return index == PY_ABSENT ? NULL : &model->calls.items[index];
}

const PyCall *py_model_call_of_list(const PyModel *model, PyRef list)
{
  const PyTree *tree = &model->tree;
  return py_kind(tree, list) == PYK_ARGUMENT_LIST ? py_model_call(model, tree->nodes[list].parent) : NULL;
}

bool py_model_expects_failure(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyRef at = tree->nodes[node].parent;
  for (uint32_t level = 0; at && level < PY_NESTING_LIMIT; level++, at = tree->nodes[at].parent) {
    if (py_kind(tree, at) != PYK_WITH_STATEMENT)
      continue;
    for (PY_EACH_CHILD(tree, item, py_first_child(tree, at))) {
      Str text = py_text(tree, item);
      Str called = str_slice(text, 0, str_find_char(text, '(', 0));
      Str name = str_after_last(called, '.');
      if (py_kind(tree, item) == PYK_WITH_ITEM &&
          (str_starts_with(name, STR("assertRaises")) || str_equal(name, STR("raises"))))
        return true;
    }
  }
  return false;
}

const PyOp *py_model_op_at(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  uint32_t op = call ? call->op : PY_ABSENT;
  return op == PY_ABSENT ? NULL : &model->ops.items[op];
}

PyRef py_model_next_decorator(const PyModel *model, PyRef definition, PyRef *at)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, definition) != PYK_DECORATED_DEFINITION)
    return 0;
  PyRef child = *at ? py_next_sibling(tree, *at) : py_first_child(tree, definition);
  while (child && (py_kind(tree, child) != PYK_DECORATOR || !py_first_child(tree, child)))
    child = py_next_sibling(tree, child);
  *at = child;
  return child ? py_tree_strip(tree, py_first_child(tree, child)) : 0;
}

uint32_t py_model_positional_count(const PyModel *model, const PyCall *call)
{
  uint32_t count = 0;
  for (PY_EACH_ARGUMENT(model, argument, call))
    count += argument->keyword.len == 0;
  return count;
}

const PyParam *py_model_param(const PyModel *model, const PyFunction *function, Str name)
{
  for (PY_EACH_PARAM(model, param, function)) {
    if (str_equal(param->name, name))
      return param;
  }
  return NULL;
}

const PyArgument *py_model_argument_of(const PyModel *model, const PyCall *call, uint32_t position, Str keyword)
{
  uint32_t positional = 0;
  bool is_after_splat = false;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len > 0) {
      if (str_equal(argument->keyword, keyword))
        return argument;
      continue;
    }
    is_after_splat |= argument->is_splat;
    if (!is_after_splat && !argument->is_dictionary_splat && positional++ == position)
      return argument;
  }
  return NULL;
}
