#include "python/rules/trace/traced_state.h"

#include "base/limits.h"

/// Whether the left side of an assignment is `self.own`, or has it among what is unpacked.
static bool is_written(const Forward *forward, PyRef left, Str own)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, left);
  bool is_it = kind == PYK_ATTRIBUTE && str_equal(forward_own_name(forward, left), own);
  for (PY_EACH_CHILD(tree, target, kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN ? left : 0))
    is_it |= py_kind(tree, target) == PYK_ATTRIBUTE && str_equal(forward_own_name(forward, target), own);
  return is_it;
}

static bool has_tensor(Forward *forward, PyRef expression)
{
  const PyTree *tree = &forward->model->tree;
  for (PY_EACH_NODE(tree, node, expression)) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && forward_is_tensor(forward, node, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

PyRef traced_state_kept(Forward *forward, PyRef assignment)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_child(tree, assignment, PY_F_LEFT), right = py_child(tree, assignment, PY_F_RIGHT);
  PyNodeKind kind = right ? py_kind(tree, py_tree_strip(tree, right)) : PYK_OTHER;
  // `self.mask = self.mask or make(x)` is made once.
  if (!left || !right || py_kind(tree, left) == PYK_IDENTIFIER || kind == PYK_CONDITIONAL_EXPRESSION ||
      kind == PYK_BOOLEAN_OPERATOR)
    return 0;
  for (PY_EACH_NODE(tree, node, right)) {
    Str own = py_kind(tree, node) == PYK_ATTRIBUTE ? forward_own_name(forward, node) : (Str){ 0 };
    bool is_form = py_kind(tree, tree->nodes[node].parent) == PYK_ATTRIBUTE;
    if (own.len > 0 && !is_form && is_written(forward, left, own))
      return has_tensor(forward, right) && !forward_is_conditional(forward, assignment) ? node : 0;
  }
  return 0;
}
