// Parameters of which a function asks what only a tensor has, whatever else it does: `value.shape`. A value of a graph
// has no such member.

#include "base/limits.h"
#include "python/model/python_file_private.h"

/// What tensors and arrays have, and values of the graph lack.
static bool asks_tensor(Str name)
{
  static const char *const names[] = { "shape", "dtype", "ndim",  "item", "tolist", "numel", "device",
                                       "size",  "dim",   "numpy", "cpu",  "detach", "sizes" };
  return str_is_one_of(name, names, COUNT(names));
}

/// What of a statement is run whenever the statement is; 0 for what may be left, or run otherwise.
static PyRef surely_run(const PyTree *tree, PyRef statement)
{
  switch (py_kind(tree, statement)) {
  case PYK_EXPRESSION_STATEMENT:
  case PYK_RETURN_STATEMENT:
    return py_first_child(tree, statement);
  case PYK_FOR_STATEMENT:
    return py_child(tree, statement, PY_F_RIGHT);
  case PYK_IF_STATEMENT:
    return py_child(tree, statement, PY_F_CONDITION);
  default:
    return 0;
  }
}

/// Whether some of the expression may not be run, or be run for something else.
static bool has_choices(const PyTree *tree, PyRef expression)
{
  for (PY_EACH_NODE(tree, at, expression)) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_BOOLEAN_OPERATOR || kind == PYK_LAMBDA)
      return true;
  }
  return false;
}

/// The position of a parameter of the function that the node names, and that nothing else is assigned to; PY_ABSENT.
static uint32_t param_named(const PyModel *model, uint32_t function, PyRef node)
{
  const PyBinding *binding = py_model_binding_at(model, node);
  bool is_param = py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope == function;
  return is_param ? binding->index - model->functions.items[function].first_param : PY_ABSENT;
}

/// Those that an expression asks, and those that it passes on to a function of the file that asks them; `known` is by
/// function, or NULL.
static uint32_t asked_in(const PyModel *model, uint32_t function, PyRef expression, const uint32_t *known)
{
  const PyTree *tree = &model->tree;
  uint32_t asked = 0;
  for (PY_EACH_NODE(tree, at, expression)) {
    PyRef object = py_tree_object(tree, at);
    uint32_t position =
        object && asks_tensor(py_tree_member_name(tree, at)) ? param_named(model, function, object) : PY_ABSENT;
    if (position < 32)
      asked |= UINT32_C(1) << position;
    const PyCall *call = known ? py_model_call(model, at) : NULL;
    uint32_t inner = call && call->function != PY_ABSENT && !call->has_splat ? known[call->function] : 0;
    for (uint32_t i = 0; inner != 0 && i < call->argument_count && i < 32; i++) {
      const PyArgument *argument = &py_model_arguments(model, call)[i];
      position =
          argument->keyword.len == 0 && (inner >> i & 1) ? param_named(model, function, argument->value) : PY_ABSENT;
      if (position < 32)
        asked |= UINT32_C(1) << position;
    }
  }
  return asked;
}

/// Up to the first statement that may leave the function.
static uint32_t asked_by(const PyModel *model, uint32_t function, const uint32_t *known)
{
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[function].body;
  uint32_t asked = 0;
  int seen = 0;
  for (PyRef at = py_first_child(tree, body); at && seen < PY_ELEMENT_LIMIT; at = py_next_sibling(tree, at), seen++) {
    PyNodeKind kind = py_kind(tree, at);
    PyRef run = surely_run(tree, at);
    if (run && !has_choices(tree, run))
      asked |= asked_in(model, function, run, known);
    if ((!run && kind != PYK_FUNCTION_DEFINITION) || kind == PYK_RETURN_STATEMENT || kind == PYK_IF_STATEMENT)
      return asked;
  }
  return asked;
}

const uint32_t *python_tensor_params(const PyModel *model, Arena *arena)
{
  enum { CALLS_DEEP = 2 };
  uint32_t *asked = ARENA_ARRAY(arena, uint32_t, model->functions.count);
  bool any = false;
  for (int depth = 0; depth <= CALLS_DEEP && (depth == 0 || any); depth++) {
    for (uint32_t i = 0; i < model->functions.count; i++) {
      const PyFunction *function = &model->functions.items[i];
      bool is_free = function->parent == PY_ABSENT && !function->class_node && function->name_node && function->body &&
                     function->outer == function->node && function->param_count > 0;
      asked[i] |= is_free ? asked_by(model, i, depth == 0 ? NULL : asked) : 0;
      any |= asked[i] != 0;
    }
  }
  return asked;
}
