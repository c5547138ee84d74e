// Conditions, and what else Python decides by the truth of a value.

#include "python/rules/forward/forward_conditions.h"

#include "base/limits.h"
#include "python/rules/forward/forward_data.h"

PyRef forward_first_asked(const PyTree *tree, PyRef condition)
{
  for (int depth = 0; condition && depth < PY_EXPRESSION_DEPTH; depth++) {
    condition = py_tree_strip(tree, condition);
    PyNodeKind kind = py_kind(tree, condition);
    if (kind == PYK_NOT_OPERATOR)
      condition = py_child(tree, condition, PY_F_ARGUMENT);
    else if (kind == PYK_BOOLEAN_OPERATOR)
      condition = py_child(tree, condition, PY_F_LEFT);
    else
      return condition;
  }
  return condition;
}

PyRef forward_condition(const PyTree *tree, PyRef node)
{
  switch (py_kind(tree, node)) {
  case PYK_IF_STATEMENT:
  case PYK_ELIF_CLAUSE:
  case PYK_WHILE_STATEMENT:
    return py_child(tree, node, PY_F_CONDITION);
  case PYK_IF_CLAUSE:
    return py_first_child(tree, node);
  case PYK_CONDITIONAL_EXPRESSION:
    return py_tree_choice(tree, node).condition;
  default:
    return 0;
  }
}

/// What a condition is in every export: 1, 0, or -1 where that is not known. A member is known that is True or False
/// from the constructor on.
static int known_flag(const Forward *forward, PyRef condition)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  condition = py_tree_strip(tree, condition);
  bool is_not = py_kind(tree, condition) == PYK_NOT_OPERATOR;
  PyRef asked = is_not ? py_tree_strip(tree, py_child(tree, condition, PY_F_ARGUMENT)) : condition;
  Str name = forward_own_name(forward, asked);
  if (str_equal(name, STR("training")))
    return forward->is_evaluated ? is_not : -1;
  PyRef value =
      name.len > 0 && forward->parts
          ? module_parts_unchanged(forward->parts, model, model->functions.items[forward->function].class_node, name)
          : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  return kind == PYK_TRUE ? !is_not : kind == PYK_FALSE ? is_not : -1;
}

int forward_flag_runs(const Forward *forward, PyRef whole, PyRef part)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, whole);
  PyRef condition = kind == PYK_IF_STATEMENT || kind == PYK_CONDITIONAL_EXPRESSION ? forward_condition(tree, whole) : 0;
  int flag = condition && part != condition ? known_flag(forward, condition) : -1;
  if (flag < 0)
    return -1;
  PyRef yes = kind == PYK_IF_STATEMENT ? py_child(tree, whole, PY_F_CONSEQUENCE) : py_tree_choice(tree, whole).yes;
  if (part == yes)
    return flag;
  // What an `elif` asks is not known.
  return py_kind(tree, part) == PYK_ELIF_CLAUSE || py_kind(tree, py_next_sibling(tree, yes)) == PYK_ELIF_CLAUSE ? -1
                                                                                                                : !flag;
}

/// Whether it is the condition of a statement, or what that is made of: it is looked at there.
static bool is_in_condition(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  for (int depth = 0; parent && depth < PY_EXPRESSION_DEPTH; depth++) {
    PyNodeKind kind = py_kind(tree, parent);
    if (forward_condition(tree, parent) == node || kind == PYK_ASSERT_STATEMENT)
      return true;
    if (kind != PYK_NOT_OPERATOR && kind != PYK_BOOLEAN_OPERATOR && kind != PYK_PARENTHESIZED_EXPRESSION)
      return false;
    node = parent;
    parent = tree->nodes[node].parent;
  }
  return true;
}

PyRef forward_asked_by_value(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, node);
  uint32_t sides = 0;
  if (kind == PYK_COMPARISON_OPERATOR) {
    for (PY_EACH_CHILD(tree, side, node))
      sides += py_kind(tree, side) != PYK_OPERATOR;
  }
  bool asks = kind == PYK_BOOLEAN_OPERATOR || kind == PYK_NOT_OPERATOR || sides > 2;
  PyNodeKind around = py_kind(tree, tree->nodes[node].parent);
  bool is_part = around == PYK_BOOLEAN_OPERATOR || around == PYK_NOT_OPERATOR;
  return asks && !is_part && !is_in_condition(tree, node) ? node : 0;
}

bool forward_searches_tensor(Forward *forward, PyRef comparison)
{
  const PyTree *tree = &forward->model->tree;
  PyRef sign = py_child(tree, comparison, PY_F_OPERATORS);
  Str text = sign ? py_text(tree, sign) : (Str){ 0 };
  if (!str_equal(text, STR("in")) && !str_equal(text, STR("not in")))
    return false;
  PyRef sides[2] = { 0 };
  uint32_t count = 0;
  for (PY_EACH_CHILD(tree, side, comparison)) {
    if (py_kind(tree, side) != PYK_OPERATOR && count < 2)
      sides[count++] = py_tree_strip(tree, side);
  }
  bool is_listed = count == 2 && (py_kind(tree, sides[1]) == PYK_LIST || py_kind(tree, sides[1]) == PYK_TUPLE ||
                                  py_kind(tree, sides[1]) == PYK_SET);
  if (is_listed && forward_is_data_dependent(forward, sides[0]))
    return true;
  return count == 2 && (forward_is_tensor(forward, sides[1], PY_EXPRESSION_DEPTH) ||
                        (is_listed && forward_is_tensor(forward, sides[0], PY_EXPRESSION_DEPTH)));
}
