// What is stored in members of classes: `self.a = x`, `self.a, self.b = x, y`, `del Class.a`.

#include "base/limits.h"
#include "python/model/python_model_private.h"

/// `self.conv.weight = nn.Parameter(...)`: the `self.conv` that is no longer what it was made as. A weight that is
/// shared with another layer has its sizes, and a flag changes none; 0 for these and all else.
static PyRef reshaped_member(const PyTree *tree, PyRef object, PyRef name, PyRef value)
{
  bool is_shared = str_equal(py_tree_member_name(tree, value), py_text(tree, name));
  bool is_flag = py_kind(tree, value) == PYK_TRUE || py_kind(tree, value) == PYK_FALSE;
  bool is_member = value && py_kind(tree, object) == PYK_ATTRIBUTE && !is_shared && !is_flag;
  return is_member ? py_tree_member(tree, object) : 0;
}

/// What `self.a, self.b = x, y` assigns to one of its targets; 0 where the two sides are not of one length.
static PyRef value_beside(const PyTree *tree, PyRef target)
{
  PyRef pattern = tree->nodes[target].parent;
  PyRef assignment = tree->nodes[pattern].parent;
  PyRef right = py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_RIGHT) : 0;
  PyNodeKind kind = right ? py_kind(tree, right) : PYK_OTHER;
  if (kind != PYK_EXPRESSION_LIST && kind != PYK_TUPLE)
    return 0;
  PyRef found = 0;
  PyRef value = py_tree_first_element(tree, right);
  uint32_t seen = 0;
  for (PY_EACH_CHILD(tree, name, pattern)) {
    if (seen++ == PY_ELEMENT_LIMIT || !value || py_tree_is_splat(tree, value) ||
        py_kind(tree, name) == PYK_LIST_SPLAT_PATTERN)
      return 0;
    found = name == target ? value : found;
    value = py_tree_next_element(tree, value);
  }
  return value ? 0 : found;
}

void python_note_stored_member(PyModel *model, PyRef node, uint32_t scope)
{
  const PyTree *tree = &model->tree;
  PyRef parent = tree->nodes[node].parent;
  PyNodeKind around = py_kind(tree, parent);
  PyRef beside = around == PYK_PATTERN_LIST || around == PYK_TUPLE_PATTERN ? value_beside(tree, node) : 0;
  bool is_assigned = (around == PYK_ASSIGNMENT && tree->nodes[node].field == PY_F_LEFT) || beside;
  bool is_stored =
      is_assigned || around == PYK_PATTERN_LIST || around == PYK_TUPLE_PATTERN || around == PYK_DELETE_STATEMENT ||
      ((around == PYK_AUGMENTED_ASSIGNMENT || around == PYK_FOR_STATEMENT) && tree->nodes[node].field == PY_F_LEFT);
  PyRef name = is_stored ? py_tree_member(tree, node) : 0;
  PyRef object = name ? py_tree_object(tree, node) : 0;
  if (!object)
    return;
  const PyFunction *method = scope == PY_ABSENT ? NULL : &model->functions.items[scope];
  bool is_self = is_assigned && method && method->class_node && method->param_count > 0 &&
                 py_kind(tree, object) == PYK_IDENTIFIER &&
                 str_equal(py_text(tree, object), py_model_params(model, method)->name);
  PyRef value = beside ? (is_self ? beside : 0) : is_assigned ? py_child(tree, parent, PY_F_RIGHT) : 0;
  python_note_assigned_member(model, is_self ? method->class_node : 0, py_text(tree, name), value);
  PyRef reshaped = reshaped_member(tree, object, name, value);
  if (reshaped)
    python_note_assigned_member(model, 0, py_text(tree, reshaped), 0);
}
