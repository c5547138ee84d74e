// Types of the outputs of custom operators, which nobody but setType() tells the exporter.

#include "base/limits.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

static bool is_type_setter(Str name)
{
  return str_equal(name, STR("setType")) || str_equal(name, STR("setTypeAs")) || str_equal(name, STR("inferTypeFrom"));
}

/// Whether `node` is the object of a call such as `node.setType(...)`.
static bool has_type_set(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  PyRef name = py_tree_member(tree, parent);
  return name && name != node && is_type_setter(py_text(tree, name));
}

/// Whether the name is handed to something that may give it a type: a method of its own, or a function that isn't
/// g.op().
static bool may_get_type(const PyModel *model, PyRef use)
{
  const PyTree *tree = &model->tree;
  if (has_type_set(tree, use))
    return true;
  PyRef list = tree->nodes[use].parent;
  if (py_kind(tree, list) != PYK_ARGUMENT_LIST)
    return py_kind(tree, list) == PYK_FOR_STATEMENT || py_kind(tree, list) == PYK_SUBSCRIPT;
  return !py_model_op_at(model, tree->nodes[list].parent);
}

/// Whether something in the function gives the type to a variable that holds the operator's value.
static bool variable_gets_type(const PyModel *model, const PyOp *op, PyRef target)
{
  const PyTree *tree = &model->tree;
  PyRef function = model->functions.items[op->scope].node;
  if (py_kind(tree, target) != PYK_IDENTIFIER)
    return true;  // Unpacked, or put into an attribute: not followed.
  Str name = py_text(tree, target);
  for (PY_EACH_NODE(tree, node, function)) {
    if (node != target && py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name) &&
        may_get_type(model, node))
      return true;
  }
  return false;
}

// It is returned, used as an input, or kept in a variable.
bool op_lacks_type(const PyModel *model, const PyOp *op)
{
  const PyTree *tree = &model->tree;
  PyRef node = model->calls.items[op->call].node;
  int depth = 0;
  while (py_kind(tree, tree->nodes[node].parent) == PYK_PARENTHESIZED_EXPRESSION && depth++ < PY_NESTING_LIMIT)
    node = tree->nodes[node].parent;
  PyRef parent = tree->nodes[node].parent;
  switch (py_kind(tree, parent)) {
  case PYK_RETURN_STATEMENT:
  case PYK_LAMBDA:
    return true;
  case PYK_ARGUMENT_LIST:
    return py_model_op_at(model, tree->nodes[parent].parent) != NULL;
  case PYK_ASSIGNMENT:
    return !variable_gets_type(model, op, py_child(tree, parent, PY_F_LEFT));
  default:
    return false;
  }
}

/// Only where nothing else tells the type: a function that is registered for an operator whose schema is known takes
/// the place of that operator, whose type the exporter has.
static bool is_of_unknown_op(const PyFile *file, const PyOp *op, Arena *arena)
{
  const PyFunction *function = &file->model->functions.items[op->scope];
  if (function->roles & PY_ROLE_AUTOGRAD)
    return true;
  if ((function->roles & PY_ROLE_REGISTERED) == 0)
    return false;
  PyNames names = py_file_registered_names(file, op->scope, arena);
  for (size_t i = 0; i < names.count; i++) {
    if (py_file_torch_operator(file, names.items[i]) || str_find(names.items[i], STR("::"), 0) == STR_NOT_FOUND)
      return false;
  }
  return names.count > 0;
}

/// `.setType(x.type())` for the first input, if it is a name.
static const Fix *fix_type(DiagSink *sink, const PyOp *op)
{
  const PyModel *model = sink_python(sink)->model;
  if (op->outputs != 1 || op->input_count == 0)
    return NULL;
  PyRef input = model->arguments.items[op->first_input].node;
  if (py_kind(&model->tree, input) != PYK_IDENTIFIER)
    return NULL;
  Str text = arena_printf(sink->arena, ".setType(%.*s.type())", STR_ARG(py_text(&model->tree, input)));
  return py_edit_after(sink, false, arena_printf(sink->arena, "Add %.*s", STR_ARG(text)),
                       model->calls.items[op->call].node, text);
}

void check_python_types(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  int checked = 0;
  for (size_t i = 0; i < file->model->ops.count && checked < PY_CUSTOM_OP_LIMIT; i++) {
    const PyOp *op = &file->model->ops.items[i];
    bool is_again = i > 0 && op[-1].call == op->call;  // One result has one type, whichever operator makes it.
    if (is_again || !py_op_is_custom(op) || op->scope == PY_ABSENT)
      continue;
    checked++;
    if (!is_of_unknown_op(file, op, sink->arena) || !op_lacks_type(file->model, op) ||
        !sink_wants(sink, RULE_MISSING_SET_TYPE, OWN))
      continue;
    Str message =
        arena_printf(sink->arena,
                     "Nothing tells the exporter the type of '%.*s', as it can't infer one for a custom domain: "
                     "call setType() on the result, for example with the type of an input.",
                     STR_ARG(op->full_name));
    py_say(sink, RULE_MISSING_SET_TYPE, OWN, op->name_node, message, fix_type(sink, op));
  }
}
