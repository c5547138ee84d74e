// Loops and comprehensions over tables that are written out, one row after the other.

#include "base/limits.h"
#include "python/model/python_model_private.h"

PyRef python_row_value(const PyModel *model, const PyRow *row, PyRef node)
{
  if (!node)
    return 0;
  node = py_tree_strip(&model->tree, node);
  for (size_t i = 0; py_kind(&model->tree, node) == PYK_IDENTIFIER && i < row->count; i++) {
    if (str_equal(row->names[i], py_text(&model->tree, node)))
      return py_tree_strip(&model->tree, row->values[i]);
  }
  return node;
}

PyRef python_loop_over(const PyModel *model, PyRef node, Str name, PyRef *ret_target)
{
  const PyTree *tree = &model->tree;
  int depth = 0;
  for (PyRef at = node; at != 0 && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    bool is_comprehension = kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION;
    for (PyRef clause = kind == PYK_FOR_STATEMENT ? at
                        : is_comprehension        ? py_first_child(tree, at)
                                                  : 0;
         clause; clause = clause == at ? 0 : py_next_sibling(tree, clause)) {
      if (clause != at && py_kind(tree, clause) != PYK_FOR_IN_CLAUSE)
        continue;
      PyRef left = py_child(tree, clause, PY_F_LEFT);
      for (PyRef part = left; left && part < tree->nodes[left].next; part++) {
        if (py_kind(tree, part) == PYK_IDENTIFIER && str_equal(py_text(tree, part), name)) {
          *ret_target = left;
          return py_child(tree, clause, PY_F_RIGHT);
        }
      }
    }
  }
  return 0;
}

static bool name_value(const PyTree *tree, PyRef name, PyRef value, PyRow *row)
{
  if (row->count == COUNT(row->names) || py_kind(tree, name) != PYK_IDENTIFIER)
    return false;
  row->names[row->count] = py_text(tree, name);
  row->values[row->count++] = value;
  return true;
}

/// `a, b` gets the values of a tuple.
static bool name_values(const PyTree *tree, PyRef target, PyRef element, PyRow *row)
{
  if (py_kind(tree, target) == PYK_IDENTIFIER)
    return name_value(tree, target, element, row);
  element = py_tree_strip(tree, element);
  if (py_kind(tree, element) != PYK_TUPLE && py_kind(tree, element) != PYK_LIST)
    return false;
  PyRef value = py_tree_first_element(tree, element);
  for (PY_EACH_CHILD(tree, name, target)) {
    if (!value || !name_value(tree, name, value, row))
      return false;
    value = py_tree_next_element(tree, value);
  }
  return value == 0;
}

/// Gives the names of a loop's target the values of one element; false if they don't match. Of a dictionary's items the
/// first of two names gets the key, and what is second the value; one name gets the key.
static bool fill_row(const PyModel *model, PyRef target, PyRef element, PyRow *row)
{
  const PyTree *tree = &model->tree;
  row->node = element;
  row->count = 0;
  if (py_kind(tree, element) != PYK_PAIR)
    return name_values(tree, target, element, row);
  if (py_kind(tree, target) == PYK_IDENTIFIER)
    return name_value(tree, target, py_child(tree, element, PY_F_KEY), row);
  PyRef first = py_first_child(tree, target);
  PyRef second = first ? py_next_sibling(tree, first) : 0;
  return second && !py_next_sibling(tree, second) && name_value(tree, first, py_child(tree, element, PY_F_KEY), row) &&
         name_values(tree, second, py_child(tree, element, PY_F_VALUE), row);
}

/// What is written out of what a loop runs over: a list, a tuple, a set, a dictionary; 0 if nothing is.
static PyRef written_rows(const PyModel *model, PyRef iterable)
{
  const PyTree *tree = &model->tree;
  iterable = py_model_resolve(model, iterable);
  PyNodeKind kind = py_kind(tree, iterable);
  if (kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST || kind == PYK_SET || kind == PYK_DICTIONARY)
    return iterable;
  static const char *const views[] = { "items", "keys" };
  PyRef method = kind == PYK_CALL ? py_child(tree, iterable, PY_F_FUNCTION) : 0;
  if (!method || py_kind(tree, method) != PYK_ATTRIBUTE ||
      !str_is_one_of(py_text(tree, py_child(tree, method, PY_F_ATTRIBUTE)), views, COUNT(views)))
    return 0;
  PyRef object = py_model_resolve(model, py_child(tree, method, PY_F_OBJECT));
  return py_kind(tree, object) == PYK_DICTIONARY ? object : 0;
}

/// The loop that gives a value to a name in the braces of an f-string, whose insides have no nodes.
static PyRef loop_of_format(const PyModel *model, PyRef node, PyRef string, PyRef *ret_target)
{
  Str text = py_text(&model->tree, string);
  PyRef iterable = 0;
  for (size_t open = str_find_char(text, '{', 0); open != STR_NOT_FOUND && !iterable;
       open = str_find_char(text, '{', open + 1)) {
    size_t close = str_find_char(text, '}', open);
    if (close == STR_NOT_FOUND)
      return 0;
    iterable = python_loop_over(model, node, str_trim(str_slice(text, open + 1, close)), ret_target);
  }
  return iterable;
}

/// The loop that gives a value to a name in an expression.
static PyRef loop_of_expression(const PyModel *model, PyRef node, PyRef used, PyRef *ret_target)
{
  const PyTree *tree = &model->tree;
  PyRef iterable = 0;
  int seen = 0;
  for (PyRef at = used; at && at < tree->nodes[used].next && seen < PY_STRING_PART_LIMIT && !iterable; at++, seen++) {
    if (py_kind(tree, at) == PYK_IDENTIFIER)
      iterable = python_loop_over(model, node, py_text(tree, at), ret_target);
    else if (py_kind(tree, at) == PYK_STRING)
      iterable = loop_of_format(model, node, at, ret_target);
  }
  return iterable;
}

void python_each_row(PyModel *model, PyRef node, const PyRef *used, size_t used_count,
                     void (*make)(PyModel *model, const PyRow *row, void *context), void *context)
{
  const PyTree *tree = &model->tree;
  PyRef iterable = 0;
  PyRef target = 0;
  for (size_t i = 0; i < used_count && !iterable; i++)
    iterable = used[i] ? loop_of_expression(model, node, used[i], &target) : 0;
  PyRow row = { 0 };
  if (!iterable) {
    make(model, &row, context);
    return;
  }
  iterable = written_rows(model, iterable);
  if (!iterable) {
    make(model, &row, context);  // What the loop gives is unknown, the rest is not.
    return;
  }
  int rows = 0;
  for (PyRef element = py_tree_first_element(tree, iterable); element && rows < PY_ROW_LIMIT;
       element = py_tree_next_element(tree, element), rows++) {
    if (fill_row(model, target, element, &row))
      make(model, &row, context);
  }
}
