#include "python/model/keys_set.h"

#include "base/limits.h"

typedef struct KeysWalk {
  const PyModel *model;
  Str name;
  void (*visit)(const KeySet *, void *);  ///< NULL while it is only asked what a statement is.
  void *context;
} KeysWalk;

/// `options["opset"] = 13`; false if it is nothing like it, or reads the name, too.
static bool visit_assignment(const KeysWalk *walk, PyRef assignment)
{
  const PyTree *tree = &walk->model->tree;
  PyRef target = py_child(tree, assignment, PY_F_LEFT);
  PyRef value = py_child(tree, assignment, PY_F_RIGHT);
  PyRef object = target && py_kind(tree, target) == PYK_SUBSCRIPT ? py_child(tree, target, PY_F_VALUE) : 0;
  PyRef key = object ? py_child(tree, target, PY_F_SUBSCRIPT) : 0;
  if (!key || !value || !str_equal(py_text(tree, object), walk->name) || str_contains(py_text(tree, value), walk->name))
    return false;
  if (walk->visit)
    walk->visit(&(KeySet){ key, value }, walk->context);
  return true;
}

/// `table.update({key: value})`
static bool visit_update(const KeysWalk *walk, PyRef node)
{
  const PyTree *tree = &walk->model->tree;
  PyRef function = py_child(tree, node, PY_F_FUNCTION);
  PyRef object = py_tree_object(tree, function);
  const PyCall *call = py_model_call(walk->model, node);
  if (!object || !call || !str_equal(py_text(tree, object), walk->name) ||
      !str_equal(py_tree_member_name(tree, function), STR("update")) || call->argument_count != 1)
    return false;
  const PyArgument *argument = py_model_argument(walk->model, call, 0, "other");
  PyRef dictionary = argument ? argument->value : 0;
  if (!dictionary || py_kind(tree, dictionary) != PYK_DICTIONARY || str_contains(py_text(tree, dictionary), walk->name))
    return false;
  int seen = 0;
  for (PyRef pair = py_first_child(tree, dictionary); pair && walk->visit && seen < PY_KEYWORD_LIMIT;
       pair = py_next_sibling(tree, pair), seen++) {
    PyRef key = py_tree_key(tree, pair);
    PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    if (value)
      walk->visit(&(KeySet){ key, value }, walk->context);
  }
  return true;
}

/// Whether the statement sets keys and does nothing else with the name.
static bool visit_statement(const KeysWalk *walk, PyRef statement)
{
  const PyTree *tree = &walk->model->tree;
  PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  PyNodeKind kind = inner ? py_kind(tree, inner) : PYK_OTHER;
  return kind == PYK_ASSIGNMENT ? visit_assignment(walk, inner) : kind == PYK_CALL && visit_update(walk, inner);
}

void keys_set_each(const PyModel *model, PyRef name, PyRef end, void (*visit)(const KeySet *, void *), void *context)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, name);
  if (!binding || binding->next != PY_ABSENT || !binding->value)
    return;
  KeysWalk walk = { .model = model, .name = binding->name };
  PyRef block;
  PyRef last = py_tree_statement(tree, end, &block);
  PyRef first = py_tree_statement(tree, binding->node, &block);
  PyRef at = first ? py_next_sibling(tree, first) : 0;
  PyRef from = at;
  for (int seen = 0; at && at < last && seen < PY_KEYWORD_LIMIT; at = py_next_sibling(tree, at), seen++) {
    // `options.pop("opset")`, `fill(options)`
    if (!visit_statement(&walk, at) && str_contains(py_text(tree, at), binding->name))
      from = py_next_sibling(tree, at);
  }
  walk.visit = visit;
  walk.context = context;
  for (; from && from < at; from = py_next_sibling(tree, from))
    visit_statement(&walk, from);
}
