#include "python/rules/forward_result.h"

#include "base/limits.h"

// --- What runs ---

/// Whether what follows may not be run. An export runs no `if self.training:`.
static bool may_return(const PyTree *tree, PyRef statement)
{
  PyRef condition = py_kind(tree, statement) == PYK_IF_STATEMENT ? py_child(tree, statement, PY_F_CONDITION) : 0;
  if (condition && str_equal(py_text(tree, condition), STR("self.training")) &&
      !py_child(tree, statement, PY_F_ALTERNATIVE))
    return false;
  for (PyRef at = statement; at < tree->nodes[statement].next; at++) {
    if (py_kind(tree, at) == PYK_RETURN_STATEMENT)
      return true;
  }
  return false;
}

/// Whether the part of an expression or a statement is run whenever the whole is.
static bool is_part_run(const PyTree *tree, PyRef whole, PyRef part)
{
  switch (py_kind(tree, whole)) {
  case PYK_IF_STATEMENT:
  case PYK_WHILE_STATEMENT:
    return tree->nodes[part].field == PY_F_CONDITION;
  case PYK_BOOLEAN_OPERATOR:
    return tree->nodes[part].field == PY_F_LEFT;
  case PYK_CONDITIONAL_EXPRESSION:
    return part == py_next_sibling(tree, py_first_child(tree, whole));
  case PYK_ELIF_CLAUSE:
  case PYK_ELSE_CLAUSE:
  case PYK_TRY_STATEMENT:
  case PYK_EXCEPT_CLAUSE:
  case PYK_CASE_CLAUSE:
  case PYK_LAMBDA:
  case PYK_FUNCTION_DEFINITION:
  case PYK_CLASS_DEFINITION:
    return false;
  case PYK_BLOCK:
    for (PyRef before = py_first_child(tree, whole); before && before != part; before = py_next_sibling(tree, before)) {
      if (may_return(tree, before))
        return false;
    }
    return true;
  case PYK_LIST_COMPREHENSION:
  case PYK_GENERATOR_EXPRESSION:
    for (PY_EACH_CHILD(tree, clause, py_first_child(tree, whole))) {
      if (py_kind(tree, clause) == PYK_IF_CLAUSE)
        return false;
    }
    return true;
  default:
    return true;
  }
}

bool forward_runs_always(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = forward->model->functions.items[forward->function].node;
  for (PyRef at = node; at != 0; at = tree->nodes[at].parent) {
    PyRef whole = tree->nodes[at].parent;
    if (whole == function)
      return true;
    if (!is_part_run(tree, whole, at))
      return false;
  }
  return false;
}

// --- What a result depends on ---

/// Names of the function that hold something computed from the expression.
typedef struct Names {
  const PyTree *tree;
  Str items[FORWARD_NAME_LIMIT];
  size_t count;
} Names;

static void add_name(Names *names, PyRef identifier)
{
  Str name = py_text(names->tree, identifier);
  for (size_t i = 0; i < names->count; i++) {
    if (str_equal(names->items[i], name))
      return;
  }
  if (names->count < FORWARD_NAME_LIMIT)
    names->items[names->count++] = name;
}

/// `y`, `(y, z)` and `y[0]` hold what is assigned to them; who reads `self.y` is not looked for.
static void add_targets(Names *names, PyRef target)
{
  const PyTree *tree = names->tree;
  for (PyRef at = target; target && at < tree->nodes[target].next;) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_IDENTIFIER)
      add_name(names, at);
    else if (kind == PYK_SUBSCRIPT && py_kind(tree, py_child(tree, at, PY_F_VALUE)) == PYK_IDENTIFIER)
      add_name(names, py_child(tree, at, PY_F_VALUE));
    at = kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT ? tree->nodes[at].next : at + 1;
  }
}

/// `y.append(x)` changes y.
static void add_changed(Names *names, PyRef statement)
{
  const PyTree *tree = names->tree;
  PyRef call = py_first_child(tree, statement);
  PyRef function = call && py_kind(tree, call) == PYK_CALL ? py_child(tree, call, PY_F_FUNCTION) : 0;
  PyRef object = function && py_kind(tree, function) == PYK_ATTRIBUTE ? py_child(tree, function, PY_F_OBJECT) : 0;
  if (object && py_kind(tree, object) == PYK_IDENTIFIER && !str_equal(py_text(tree, object), STR("self")))
    add_name(names, object);
}

/// `x.shape`, `x.size()`: the numbers in x are not asked for.
static bool asks_about_form(const PyTree *tree, PyRef attribute)
{
  static const char *const names[] = { "shape", "size", "dtype",  "device", "ndim",   "dim",
                                       "numel", "type", "stride", "layout", "is_cuda" };
  return str_is_one_of(py_text(tree, py_child(tree, attribute, PY_F_ATTRIBUTE)), names, COUNT(names));
}

/// Follows an expression to its statement: true if that returns it, else the names that hold it now are added.
static bool follow(Names *names, PyRef node)
{
  const PyTree *tree = names->tree;
  for (PyRef at = node; at != 0; at = tree->nodes[at].parent) {
    PyRef whole = tree->nodes[at].parent;
    switch (py_kind(tree, whole)) {
    case PYK_RETURN_STATEMENT:
    case PYK_YIELD:
      return true;
    case PYK_ASSIGNMENT:
    case PYK_AUGMENTED_ASSIGNMENT:
    case PYK_FOR_STATEMENT:
      add_targets(names, py_child(tree, whole, PY_F_LEFT));
      return false;
    case PYK_NAMED_EXPRESSION:
      add_targets(names, py_child(tree, whole, PY_F_NAME));
      break;
    case PYK_EXPRESSION_STATEMENT:
      add_changed(names, whole);
      return false;
    case PYK_ATTRIBUTE:
      if (asks_about_form(tree, whole))
        return false;
      break;
    case PYK_BLOCK:
    case PYK_FUNCTION_DEFINITION:
      return false;
    default:
      break;
    }
    if (tree->nodes[at].field == PY_F_CONDITION)
      return false;
  }
  return false;
}

static bool is_read(const PyTree *tree, PyRef identifier)
{
  PyField field = (PyField)tree->nodes[identifier].field;
  PyNodeKind whole = py_kind(tree, tree->nodes[identifier].parent);
  bool is_target = field == PY_F_LEFT && whole != PYK_BINARY_OPERATOR && whole != PYK_BOOLEAN_OPERATOR;
  return !is_target && field != PY_F_ATTRIBUTE && (field != PY_F_NAME || whole != PYK_KEYWORD_ARGUMENT);
}

bool forward_is_returned(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = forward->model->functions.items[forward->function].node;
  Names names = { .tree = tree };
  if (follow(&names, node))
    return true;
  for (size_t i = 0; i < names.count; i++) {
    for (PyRef at = function; at < tree->nodes[function].next; at++) {
      if (py_kind(tree, at) == PYK_IDENTIFIER && str_equal(py_text(tree, at), names.items[i]) && is_read(tree, at) &&
          follow(&names, at))
        return true;
    }
  }
  return false;
}
