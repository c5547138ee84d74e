// What the returns of a compiled function give: all have to be of one type. Run with torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/script/jit_script.h"

/// Whether a condition around it may be settled while it is compiled, which then leaves the branch out.
static bool may_be_left_out(const PyTree *tree, PyRef node, PyRef function)
{
  static const char *const words[] = { "self.", "None", "hasattr(", "isinstance(", "torch.jit." };
  int depth = 0;
  for (PyRef at = node; at != function && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    PyRef asked = kind == PYK_IF_STATEMENT || kind == PYK_ELIF_CLAUSE ? py_child(tree, at, PY_F_CONDITION) : 0;
    Str text = asked ? str_slice(py_text(tree, asked), 0, PY_CONDITION_LIMIT) : (Str){ 0 };
    if (kind == PYK_TRY_STATEMENT || (asked && str_contains_one_of(text, words, COUNT(words))))
      return true;
  }
  return depth == PY_NESTING_LIMIT;
}

/// How many values a return gives in a tuple that is written out; 1 for a tensor, 0 where that is not known.
static uint32_t values_of(Forward *forward, PyRef statement)
{
  const PyTree *tree = &forward->model->tree;
  PyRef value = py_first_child(tree, statement);
  PyNodeKind kind = value ? py_kind(tree, py_tree_strip(tree, value)) : PYK_OTHER;
  if (kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST)
    return value && forward_is_tensor(forward, value, PY_EXPRESSION_DEPTH) ? 1 : 0;
  uint32_t count = 0;
  for (PY_EACH_ELEMENT(tree, item, py_tree_strip(tree, value))) {
    if (py_tree_is_splat(tree, item))
      return 0;
    count++;
  }
  return count < 2 ? 0 : count;
}

void jit_script_check_returns(Forward *forward)
{
  const PyTree *tree = &forward->model->tree;
  const PyFunction *function = &forward->model->functions.items[forward->function];
  uint32_t first = 0, seen = 0;
  Str header = function->body
                   ? str_slice(tree->text, tree->nodes[function->node].start, tree->nodes[function->body].start)
                   : (Str){ 0 };
  if (function->return_count < 2 || str_contains(header, STR("->")))
    return;
  for (PyRef node = function->body; node && node < tree->nodes[function->body].next && seen < PY_METHOD_NODE_LIMIT;
       node++, seen++) {
    PyNodeKind kind = py_kind(tree, node);
    if (py_runs_elsewhere(kind))
      node = tree->nodes[node].next - 1;
    if (kind != PYK_RETURN_STATEMENT || may_be_left_out(tree, node, function->node))
      continue;
    uint32_t count = values_of(forward, node);
    if (first > 0 && count > 0 && count != first) {
      jit_script_say(forward, node, "a return before gives another number of values, and all have to give one type");
      return;
    }
    first = first > 0 ? first : count;
  }
}
