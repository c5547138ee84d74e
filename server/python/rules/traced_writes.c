#include "python/rules/traced_writes.h"

/// Methods that give a view. A part, `y[0]` and `y.select(0, 0)`, is written back.
static bool makes_view(Str name)
{
  static const char *const names[] = { "view",    "reshape", "flatten",  "ravel",     "t",       "transpose",
                                       "permute", "squeeze", "diagonal", "unsqueeze", "view_as", "swapaxes" };
  return str_is_one_of(name, names, COUNT(names));
}

/// The name of a tensor of which the expression is a view: `y` of `y.transpose(0, 1).view(-1)`; 0.
static PyRef viewed(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  bool is_view = false;
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH && py_kind(tree, node) == PYK_CALL; depth++) {
    PyRef function = py_child(tree, node, PY_F_FUNCTION);
    if (!makes_view(py_tree_member_name(tree, function)))
      return 0;
    node = py_tree_strip(tree, py_tree_object(tree, function));
    is_view = true;
  }
  return is_view && py_kind(tree, node) == PYK_IDENTIFIER ? node : 0;
}

static void say(Forward *forward, PyRef node, PyRef view)
{
  PyRef name = export_torch_is_from(sink_python(forward->sink), 2, 6) ? viewed(forward, view) : 0;
  if (!name || !sink_wants(forward->sink, RULE_WRONG_EXPORT, OWN) || !forward_is_own_tensor(forward, name) ||
      forward_is_conditional(forward, node))
    return;
  py_say(forward->sink, RULE_WRONG_EXPORT, OWN, node,
         arena_printf(forward->sink->arena,
                      "The TorchScript exporter writes this into a copy, and '%.*s' stays as it was: write into the "
                      "tensor itself, or keep the view in a name and use that.",
                      STR_ARG(py_text(&forward->model->tree, name))),
         NULL);
}

/// Whether `y[0, 1:]` takes more than one element along an axis, as a view.
static bool has_slice(const PyTree *tree, PyRef subscript)
{
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  for (PY_EACH_CHILD(tree, part, subscript)) {
    if (part != object && (py_kind(tree, part) == PYK_SLICE || str_equal(py_text(tree, part), STR("..."))))
      return true;
  }
  return false;
}

/// `y[..][1, -1]`; a mask, or an index that is a tensor, is written in another way.
static bool is_of_numbers(const PyTree *tree, PyRef subscript)
{
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  for (PY_EACH_CHILD(tree, part, subscript)) {
    PyNodeKind kind = py_kind(tree, part);
    if (part != object && kind != PYK_INTEGER && kind != PYK_UNARY_OPERATOR)
      return false;
  }
  return true;
}

/// `y[:, 0][1] = value`: the exporter writes back through indices by numbers only, `y[0][1]`. Run with torch 1.13, 2.6
/// and 2.14.
static void check_part_of_part(Forward *forward, PyRef subscript, PyRef object)
{
  const PyTree *tree = &forward->model->tree;
  bool is_cut = false, is_plain = has_slice(tree, subscript) || is_of_numbers(tree, subscript);
  for (int depth = 0; depth < PY_CHAIN_LIMIT && object && py_kind(tree, object) == PYK_SUBSCRIPT; depth++) {
    is_cut |= has_slice(tree, object);
    object = py_tree_strip(tree, py_child(tree, object, PY_F_VALUE));
  }
  Forward own = *forward;
  own.has_own_tensors = true;
  if (!is_cut || !is_plain || py_kind(tree, object) != PYK_IDENTIFIER ||
      !sink_wants(forward->sink, RULE_REFUSED_CALL, OWN) || !forward_is_tensor(&own, object, PY_EXPRESSION_DEPTH) ||
      forward_is_conditional(forward, subscript))
    return;
  py_say(forward->sink, RULE_REFUSED_CALL, OWN, subscript,
         STR("The TorchScript exporter fails on a write into a part of a slice: write with one pair of brackets."),
         NULL);
}

void traced_writes_check(Forward *forward, PyRef subscript)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, tree->nodes[subscript].parent);
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  if (object && (kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT) &&
      tree->nodes[subscript].field == PY_F_LEFT) {
    say(forward, subscript, py_tree_strip(tree, object));
    check_part_of_part(forward, subscript, py_tree_strip(tree, object));
  }
}

void traced_writes_check_call(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  Str name = py_tree_member_name(tree, call->function_node);
  if (str_ends_with(name, STR("_")) && !str_equal(name, STR("requires_grad_")) && !str_equal(name, STR("detach_")) &&
      py_kind(tree, tree->nodes[call->node].parent) == PYK_EXPRESSION_STATEMENT)
    say(forward, call->function_node, py_tree_strip(tree, py_tree_object(tree, call->function_node)));
}
