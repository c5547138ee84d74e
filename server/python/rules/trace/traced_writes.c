#include "python/rules/trace/traced_writes.h"
#include "python/rules/forward/forward_result.h"

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

// --- Views that have a name ---

/// `i` of `for i in range(n)`.
static bool is_counter(const Forward *forward, PyRef node)
{
  PyRef over = py_kind(&forward->model->tree, node) == PYK_IDENTIFIER ? forward_only_loop(forward, node) : 0;
  const PyCall *call = over ? py_model_call(forward->model, over) : NULL;
  return call && str_equal(call->qualified, STR("range"));
}

/// `y[1]`, `y[:, 1:]` and `y[i]`: indices that give a view. An index that is a tensor, or a list, gives a copy.
static bool gives_view(const Forward *forward, PyRef subscript)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  for (PY_EACH_CHILD(tree, part, subscript)) {
    PyNodeKind kind = py_kind(tree, part);
    if (part != object && kind != PYK_INTEGER && kind != PYK_UNARY_OPERATOR && kind != PYK_SLICE && kind != PYK_NONE &&
        !str_equal(py_text(tree, part), STR("...")) && !is_counter(forward, part))
      return false;
  }
  return true;
}

/// The x of `x.chunk(2)` and `torch.chunk(x, 2)`.
static PyRef viewed_by_call(const Forward *forward, PyRef node, PyRef function)
{
  const PyCall *call = py_model_call(forward->model, node);
  const PyArgument *first =
      call && str_starts_with(call->qualified, STR("torch.")) ? py_model_argument(forward->model, call, 0, NULL) : NULL;
  return first ? first->value : py_tree_object(&forward->model->tree, function);
}

/// The tensor of which an expression is a view, a name; 0 for others. reshape() and flatten() may copy.
static PyRef base_of_view(const Forward *forward, PyRef node, bool is_part)
{
  static const char *const views[] = { "view",   "t",      "transpose", "permute", "squeeze", "unsqueeze",
                                       "select", "narrow", "diagonal",  "view_as", "detach",  "swapaxes",
                                       "chunk",  "split",  "unbind",    "movedim", "mT",      "tensor_split" };
  const PyTree *tree = &forward->model->tree;
  bool is_view = is_part;  // Of `a, b = y` each is one.
  for (int depth = 0; node && depth < PY_EXPRESSION_DEPTH; depth++) {
    node = py_tree_strip(tree, node);
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_IDENTIFIER)
      return is_view ? node : 0;
    PyRef function = py_tree_callee(tree, node);
    if (kind == PYK_SUBSCRIPT && gives_view(forward, node))
      node = py_child(tree, node, PY_F_VALUE);
    else if (function && str_is_one_of(py_tree_member_name(tree, function), views, COUNT(views)))
      node = viewed_by_call(forward, node, function);
    else
      return 0;
    is_view = true;
  }
  return 0;
}

/// The tensor of which a name is a view that it is given once, whatever is added to it then; 0.
static PyRef base_of_name(const Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  const PyBinding *found = NULL;
  for (uint32_t at = py_model_lookup(model, forward->function, py_text(tree, name)); at != PY_ABSENT;
       at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    if (py_kind(tree, tree->nodes[binding->node].parent) == PYK_AUGMENTED_ASSIGNMENT)
      continue;
    if (found || binding->scope != forward->function)
      return 0;
    found = binding;
  }
  if (!found || found->kind == PY_BIND_PARAM)
    return 0;
  PyRef over = forward_looped_over(forward, found->node);
  return over           ? base_of_view(forward, over, true)
         : found->value ? base_of_view(forward, found->value, found->unpack != PY_ABSENT)
                        : 0;
}

/// Whether an assignment gives the name something that is not computed of it.
static bool is_rebound(const PyTree *tree, PyRef target, Str name)
{
  PyRef assignment = tree->nodes[target].parent;
  if (tree->nodes[target].field != PY_F_LEFT || py_kind(tree, assignment) != PYK_ASSIGNMENT)
    return false;
  for (PY_EACH_NODE(tree, node, py_child(tree, assignment, PY_F_RIGHT))) {
    if (py_kind(tree, node) == PYK_IDENTIFIER && tree->nodes[node].field != PY_F_ATTRIBUTE &&
        str_equal(py_text(tree, node), name))
      return false;
  }
  return true;
}

/// Whether the function reads the name after the statement, before it gives it something else.
static bool is_read_after(const Forward *forward, PyRef name, PyRef statement)
{
  const PyTree *tree = &forward->model->tree;
  PyRef end = tree->nodes[forward->model->functions.items[forward->function].node].next;
  Str text = py_text(tree, name);
  for (PyRef node = tree->nodes[statement].next; node < end; node++) {
    PyRef around = tree->nodes[node].parent;
    if (py_kind(tree, node) == PYK_IDENTIFIER && tree->nodes[node].field != PY_F_ATTRIBUTE &&
        str_equal(py_text(tree, node), text) &&
        !(py_kind(tree, around) == PYK_ATTRIBUTE && forward_asks_about_form(tree, around)))
      return !is_rebound(tree, node, text);
  }
  return false;
}

/// `row = y[1]`, then `row[0] = 1`, `row += 1` or `row.mul_(2)`: what reads y goes on with what y was. Run with torch
/// 1.13, 2.6 and 2.14.
static void check_named(Forward *forward, PyRef node, PyRef name)
{
  const PyTree *tree = &forward->model->tree;
  PyRef base = name && py_kind(tree, name) == PYK_IDENTIFIER ? base_of_name(forward, name) : 0;
  PyRef block, statement = py_tree_statement(tree, node, &block);
  if (!base || !statement || !is_read_after(forward, base, statement) ||
      !sink_wants(forward->sink, RULE_WRONG_EXPORT, OWN) || !forward_is_own_tensor(forward, base) ||
      forward_is_conditional(forward, node))
    return;
  py_say(forward->sink, RULE_WRONG_EXPORT, OWN, node,
         arena_printf(forward->sink->arena,
                      "The TorchScript exporter writes this into '%.*s' alone, and '%.*s', of which that is a view, "
                      "stays as it was: write into '%.*s' itself.",
                      STR_ARG(py_text(tree, name)), STR_ARG(py_text(tree, base)), STR_ARG(py_text(tree, base))),
         NULL);
}

void traced_writes_check_sum(Forward *forward, PyRef assignment)
{
  check_named(forward, assignment, py_child(&forward->model->tree, assignment, PY_F_LEFT));
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
    check_named(forward, subscript, py_tree_strip(tree, object));
  }
}

void traced_writes_check_call(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  Str name = py_tree_member_name(tree, call->function_node);
  if (str_ends_with(name, STR("_")) && !str_equal(name, STR("requires_grad_")) && !str_equal(name, STR("detach_")) &&
      py_kind(tree, tree->nodes[call->node].parent) == PYK_EXPRESSION_STATEMENT) {
    PyRef object = py_tree_strip(tree, py_tree_object(tree, call->function_node));
    say(forward, call->function_node, object);
    check_named(forward, call->function_node, object);
  }
}
