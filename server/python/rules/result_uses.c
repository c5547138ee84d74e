#include "python/rules/result_uses.h"

/// The name that the result alone is assigned to, and from where to where it surely stands for that; 0.
static PyRef name_of_result(const PyModel *model, const PyCall *call, PyRef *ret_end)
{
  const PyTree *tree = &model->tree;
  PyRef assignment = tree->nodes[call->node].parent, block;
  PyRef name = py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  const PyBinding *first = name ? py_model_binding_of(model, call->scope, name) : NULL;
  if (!first || first->scope != call->scope)
    return 0;
  *ret_end = tree->count;
  if (py_binding_is_only(first, PY_BIND_ASSIGN))
    return first->node == name ? name : 0;
  if (!py_tree_statement(tree, assignment, &block))
    return 0;
  *ret_end = tree->nodes[block].next;
  enum { MOST = 32 };
  const PyBinding *at = first;
  for (int i = 0; at && i < MOST; i++) {
    if (at->node > name && at->node < *ret_end)
      *ret_end = tree->nodes[at->node].parent;
    at = at->next == PY_ABSENT ? NULL : &model->bindings.items[at->next];
  }
  return at ? 0 : name;
}

void result_each_use(const PyModel *model, const PyCall *call, void (*visit)(void *, PyRef), void *context)
{
  const PyTree *tree = &model->tree;
  PyRef end = 0;
  visit(context, call->node);
  PyRef bound = name_of_result(model, call, &end);
  Str name = bound ? py_text(tree, bound) : (Str){ 0 };
  uint32_t binding = bound ? py_model_lookup(model, call->scope, name) : PY_ABSENT;
  enum { MOST = 8000 };  // Nodes: who uses a result does so soon.
  uint32_t steps = 0;
  for (PyRef node = tree->nodes[call->node].next; bound && node < end && steps < MOST; node++, steps++) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name) &&
        py_model_scope_of(model, node) == call->scope && py_model_name_at(model, node) == binding)
      visit(context, node);
  }
}
