// Loops over a list or dictionary of the module that starts empty and that the file fills: a decorator, most of all,
// that collects what it decorates, which something else registers later.

#include "base/limits.h"
#include "base/search.h"
#include "python/model/python_rows_private.h"

/// A list or dictionary of the module, or of the objects of a class, that starts empty.
typedef struct Collection {
  const PyBinding *binding;  ///< NULL: it is a member.
  PyRef class_node;
  Str name;
  PyRef value;  ///< 0: there is none.
} Collection;

static bool is_empty(const PyTree *tree, PyRef value)
{
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  return (kind == PYK_LIST || kind == PYK_DICTIONARY) && !py_tree_first_element(tree, value);
}

/// As py_model_class_of_object(), also where a function in a method names the method's `self`.
static PyRef class_of(const PyModel *model, PyRef object)
{
  PyRef class_node = py_model_class_of_object(model, object);
  bool is_self = !class_node && str_equal(py_text(&model->tree, object), STR("self"));
  uint32_t scope = is_self ? py_model_scope_of(model, object) : PY_ABSENT;
  for (int depth = 0; scope != PY_ABSENT && !class_node && depth < PY_ALIAS_LIMIT; depth++) {
    class_node = model->functions.items[scope].class_node;
    scope = model->functions.items[scope].parent;
  }
  return class_node;
}

/// `self.functions`, where __init__() has `self.functions = {}`.
static Collection collection_of_objects(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  Collection found = { .class_node = class_of(model, py_tree_object(tree, node)),
                       .name = py_tree_member_name(tree, node) };
  size_t at;
  SEARCH_FIRST(at, 0, model->members.count, model->members.items[at].class_node < found.class_node);
  int count = 0;
  for (; found.class_node && at < model->members.count && model->members.items[at].class_node == found.class_node;
       at++) {
    const PyMember *member = &model->members.items[at];
    if (!str_equal(member->name, found.name))
      continue;
    count++;
    found.value = is_empty(tree, member->value) ? member->value : 0;
  }
  return count == 1 ? found : (Collection){ 0 };
}

/// The one that `node`, or `node.items()`, is.
static Collection collection_of(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, py_tree_strip(tree, node));
  PyRef method = call ? call->function_node : 0;
  if (method && py_kind(tree, method) == PYK_ATTRIBUTE && call->argument_count == 0 &&
      str_equal(py_tree_member_name(tree, method), STR("items")))
    node = py_tree_object(tree, method);
  if (py_kind(tree, node) == PYK_ATTRIBUTE)
    return collection_of_objects(model, node);
  if (py_kind(tree, node) != PYK_IDENTIFIER)
    return (Collection){ 0 };
  const PyBinding *binding = py_model_binding_at(model, node);
  bool is_one = binding && is_empty(tree, binding->value) && binding->kind == PY_BIND_ASSIGN &&
                binding->scope == PY_ABSENT && binding->next == PY_ABSENT;
  return is_one ? (Collection){ .binding = binding, .name = binding->name, .value = binding->value }
                : (Collection){ 0 };
}

/// Whether the node names the collection.
static bool is_collection(const PyModel *model, PyRef node, const Collection *collection)
{
  const PyTree *tree = &model->tree;
  if (!node || py_kind(tree, node) != (collection->binding ? PYK_IDENTIFIER : PYK_ATTRIBUTE))
    return false;
  if (collection->binding)
    return str_equal(py_text(tree, node), collection->name) && py_model_binding_at(model, node) == collection->binding;
  return str_equal(py_tree_member_name(tree, node), collection->name) &&
         class_of(model, py_tree_object(tree, node)) == collection->class_node;
}

/// What calls of the function around, and what it decorates, make of what is put in there.
static void add_rows(Rows *rows, PyRef target, PyRef node, PyRef key, PyRef value)
{
  WaitingRow waiting = { .rows = rows };
  PyRef first = key ? py_first_child(&rows->model->tree, target) : 0;
  PyRef second = first ? py_next_sibling(&rows->model->tree, first) : 0;
  bool fits = !key ? python_row_takes(&rows->model->tree, target, value, &waiting.row)
                   : second && python_row_takes(&rows->model->tree, first, key, &waiting.row) &&
                         python_row_takes(&rows->model->tree, second, value, &waiting.row);
  waiting.row.node = node;
  if (fits && python_rows_take(rows))
    python_rows_around(rows, &waiting);
}

/// `COLLECTED.append((name, function))`
static void each_appended(Rows *rows, PyRef target, const Collection *collection)
{
  const PyModel *model = rows->model;
  const PyTree *tree = &model->tree;
  for (size_t i = 0; i < model->calls.count && rows->left > 0; i++) {
    const PyCall *call = &model->calls.items[i];
    PyRef method = py_kind(tree, call->function_node) == PYK_ATTRIBUTE ? call->function_node : 0;
    if (method && call->argument_count == 1 && !call->has_splat && !call->has_dictionary_splat &&
        is_collection(model, py_tree_object(tree, method), collection) &&
        str_equal(py_tree_member_name(tree, method), STR("append")))
      add_rows(rows, target, call->node, 0, py_model_arguments(model, call)->value);
  }
}

/// `COLLECTED[name] = function`
static void each_assigned(Rows *rows, PyRef target, const Collection *collection)
{
  const PyModel *model = rows->model;
  const PyTree *tree = &model->tree;
  for (PyRef node = 1; node < model->node_count && rows->left > 0; node++) {
    PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    if (!left || py_kind(tree, left) != PYK_SUBSCRIPT ||
        !is_collection(model, py_child(tree, left, PY_F_VALUE), collection))
      continue;
    PyRef key = py_child(tree, left, PY_F_SUBSCRIPT);
    PyRef value = py_child(tree, node, PY_F_RIGHT);
    if (key && value)
      add_rows(rows, target, node, key, value);
  }
}

bool python_rows_of_collection(Rows *rows, PyRef target, PyRef iterable)
{
  PyModel *model = rows->model;
  Collection found = collection_of(model, iterable);
  const Collection *collection = &found;
  int before = rows->left;
  if (!collection->value || rows->depth == PY_ROW_DEPTH || model->collections++ >= PY_IDLE_LIMIT)
    return false;
  if (py_kind(&model->tree, collection->value) == PYK_LIST)
    each_appended(rows, target, collection);
  else
    each_assigned(rows, target, collection);
  if (rows->left < before)
    rows->make(model, &(PyRow){ 0 }, rows->context);  // Other files may fill it, too.
  return rows->left < before;
}
