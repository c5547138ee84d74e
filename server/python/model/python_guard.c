// At which opsets a node can be reached: the `if g.opset >= N` around and before it; and whether code asks which torch
// it runs with.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/model/python_model_private.h"

#define ALL_OPSETS OPSET_SET_ALL

/// One question: what was found out, and how much may still be looked at.
typedef struct Inquiry {
  const PyModel *model;
  int steps;
  bool is_unsure;
} Inquiry;

/// Whether the expression is the opset of the export: g.opset, GLOBALS.export_onnx_opset_version...
static bool is_opset(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  node = py_model_resolve(model, node);
  if (py_kind(tree, node) != PYK_ATTRIBUTE)
    return false;
  PyRef name = py_child(tree, node, PY_F_ATTRIBUTE);
  Str text = name ? py_text(tree, name) : (Str){ 0 };
  return str_equal(text, STR("opset")) || str_equal(text, STR("export_onnx_opset_version")) ||
         str_equal(text, STR("_export_onnx_opset_version"));
}

static OpsetSet opsets_below(int64_t value)
{
  return value <= 0 ? 0 : value >= 64 ? ALL_OPSETS : (UINT64_C(1) << value) - 1;
}

static OpsetSet opsets_up_to(int64_t value)
{
  return value >= 63 ? ALL_OPSETS : opsets_below(value + 1);
}

/// Opsets n for which `n OP value` holds.
static OpsetSet compare_set(Str op, int64_t value)
{
  if (str_equal(op, STR("<")))
    return opsets_below(value);
  if (str_equal(op, STR("<=")))
    return opsets_up_to(value);
  if (str_equal(op, STR(">")))
    return ~opsets_up_to(value);
  if (str_equal(op, STR(">=")))
    return ~opsets_below(value);
  if (str_equal(op, STR("==")))
    return opsets_up_to(value) & ~opsets_below(value);
  if (str_equal(op, STR("!=")))
    return ~opsets_up_to(value) | opsets_below(value);
  return ALL_OPSETS;
}

static Str turn_around(Str op)
{
  if (str_equal(op, STR("<")))
    return STR(">");
  if (str_equal(op, STR("<=")))
    return STR(">=");
  if (str_equal(op, STR(">")))
    return STR("<");
  if (str_equal(op, STR(">=")))
    return STR("<=");
  return op;
}

/// Opsets for which a condition may hold, and those for which it may not.
typedef struct Branches {
  OpsetSet yes;
  OpsetSet no;
} Branches;

/// Of a condition that does not ask for the opset, or not in a way that can be read.
static const Branches unknown_branches = { ALL_OPSETS, ALL_OPSETS };

/// `a OP b OP c`, where one side of each sign is the opset.
static Branches branches_of_comparison(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  OpsetSet yes = ALL_OPSETS;
  PyRef left = 0;
  Str op = { 0 };
  for (PY_EACH_CHILD(tree, child, node)) {
    if (py_kind(tree, child) == PYK_OPERATOR) {
      op = py_text(tree, child);
      continue;
    }
    if (left) {
      int64_t value;
      if (is_opset(model, left) && py_model_int(model, child, &value))
        yes &= compare_set(op, value);
      else if (is_opset(model, child) && py_model_int(model, left, &value))
        yes &= compare_set(turn_around(op), value);
      else
        return unknown_branches;
    }
    left = child;
  }
  return (Branches){ yes, ~yes };
}

/// `symbolic_helper.is_caffe2_aten_fallback()`: only for Caffe2, which no torch package has been built with since 1.13.
static bool is_caffe2(const PyModel *model, PyRef node)
{
  uint32_t call = py_model_call_at(model, node);
  return call != PY_ABSENT && str_ends_with(model->calls.items[call].qualified, STR("is_caffe2_aten_fallback"));
}

/// A condition without nested ones: `not`, `and` and `or` are taken apart one level, more is unknown.
static Branches branches_of_simple_condition(const PyModel *model, PyRef node)
{
  node = py_model_resolve(model, node);
  if (py_kind(&model->tree, node) == PYK_COMPARISON_OPERATOR)
    return branches_of_comparison(model, node);
  if (is_caffe2(model, node))
    return (Branches){ 0, ALL_OPSETS };
  return unknown_branches;
}

static Branches branches_of_condition(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  node = py_model_resolve(model, node);
  if (py_kind(tree, node) == PYK_NOT_OPERATOR) {
    Branches inner = branches_of_simple_condition(model, py_child(tree, node, PY_F_ARGUMENT));
    return (Branches){ inner.no, inner.yes };
  }
  if (py_kind(tree, node) == PYK_BOOLEAN_OPERATOR) {
    PyRef sign = py_child(tree, node, PY_F_OPERATOR);
    Branches left = branches_of_simple_condition(model, py_child(tree, node, PY_F_LEFT));
    Branches right = branches_of_simple_condition(model, py_child(tree, node, PY_F_RIGHT));
    if (sign && str_equal(py_text(tree, sign), STR("and")))
      return (Branches){ left.yes & right.yes, left.no | right.no };
    return (Branches){ left.yes | right.yes, left.no & right.no };
  }
  return branches_of_simple_condition(model, node);
}

/// True when a name in a piece of code tells, or one in what its names stand for, or (if `enters_calls`) in a function
/// that it calls; and when that takes too long to find out.
static bool some_name_tells(Inquiry *inquiry, PyRef node, int depth, bool (*tells)(Str name), bool enters_calls)
{
  const PyModel *model = inquiry->model;
  const PyTree *tree = &model->tree;
  PyRef end = node ? tree->nodes[node].next : 0;
  for (PyRef at = node; at < end; at++) {
    if (inquiry->steps-- <= 0)
      return true;
    uint32_t call = enters_calls && py_kind(tree, at) == PYK_CALL ? py_model_call_at(model, at) : PY_ABSENT;
    uint32_t function = call == PY_ABSENT ? PY_ABSENT : model->calls.items[call].function;
    if (function != PY_ABSENT && depth > 0 &&
        some_name_tells(inquiry, model->functions.items[function].body, depth - 1, tells, enters_calls))
      return true;
    bool is_string = py_kind(tree, at) == PYK_STRING;  // `config["opset_version"]`
    if (py_kind(tree, at) != PYK_IDENTIFIER && !is_string)
      continue;
    if (tells(py_text(tree, at)))
      return true;
    PyRef value = depth > 0 && !is_string ? py_model_resolve(model, at) : at;
    if (value != at && some_name_tells(inquiry, value, depth - 1, tells, enters_calls))
      return true;
  }
  return false;
}

static bool tells_opset(Str name)
{
  return str_find(name, STR("opset"), 0) != STR_NOT_FOUND || str_find(name, STR("OPSET"), 0) != STR_NOT_FOUND;
}

static bool asks_for_opset(Inquiry *inquiry, PyRef node)
{
  return some_name_tells(inquiry, node, 2, tells_opset, true);
}

/// What a condition says, and whether it asks for the opset in a way that can't be read.
static Branches read_condition(Inquiry *inquiry, PyRef node)
{
  const PyModel *model = inquiry->model;
  Branches branches = branches_of_condition(model, node);
  if (branches.yes == ALL_OPSETS && branches.no == ALL_OPSETS)
    inquiry->is_unsure |= asks_for_opset(inquiry, node);
  return branches;
}

/// True when the block ends by leaving the function.
static bool ends_by_leaving(const PyTree *tree, PyRef block)
{
  PyRef last = 0;
  for (PY_EACH_CHILD(tree, child, block))
    last = child;
  PyNodeKind kind = py_kind(tree, last);
  return last && (kind == PYK_RETURN_STATEMENT || kind == PYK_RAISE_STATEMENT);
}

/// The opsets at which a statement is passed: `if g.opset < 13: return ...`, `assert g.opset >= 13`.
static OpsetSet opsets_after(Inquiry *inquiry, PyRef statement)
{
  const PyTree *tree = &inquiry->model->tree;
  PyRef condition = py_child(tree, statement, PY_F_CONDITION);
  PyRef body = py_child(tree, statement, PY_F_CONSEQUENCE);
  PyRef first = py_first_child(tree, statement);
  switch (py_kind(tree, statement)) {
  case PYK_ASSERT_STATEMENT:
    return first ? read_condition(inquiry, first).yes : ALL_OPSETS;
  case PYK_IF_STATEMENT: {
    if (!condition || !body)
      return ALL_OPSETS;
    if (ends_by_leaving(tree, body))
      return read_condition(inquiry, condition).no;
    PyRef other = py_child(tree, statement, PY_F_ALTERNATIVE);
    PyRef other_body = other && py_kind(tree, other) == PYK_ELSE_CLAUSE ? py_child(tree, other, PY_F_BODY) : 0;
    return other_body && ends_by_leaving(tree, other_body) ? read_condition(inquiry, condition).yes : ALL_OPSETS;
  }
  case PYK_WHILE_STATEMENT:
  case PYK_MATCH_STATEMENT:
    inquiry->is_unsure |= asks_for_opset(inquiry, first);
    return ALL_OPSETS;
  default:
    return ALL_OPSETS;
  }
}

static OpsetSet opsets_after_earlier_statements(Inquiry *inquiry, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  OpsetSet set = ALL_OPSETS;
  int seen = 0;
  for (PyRef child = py_first_child(tree, tree->nodes[node].parent); child && child < node && seen < PY_STATEMENT_LIMIT;
       child = py_next_sibling(tree, child), seen++)
    set &= opsets_after(inquiry, child);
  return set;
}

/// `node` is the condition, the block or one of the clauses of an `if`. In a clause, all conditions before it were
/// false.
static OpsetSet opsets_of_if(Inquiry *inquiry, PyRef statement, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  PyRef condition = py_child(tree, statement, PY_F_CONDITION);
  if (!condition || node == condition)
    return ALL_OPSETS;
  Branches branches = read_condition(inquiry, condition);
  if (tree->nodes[node].field == PY_F_CONSEQUENCE)
    return branches.yes;
  OpsetSet set = branches.no;
  int seen = 0;
  for (PyRef child = py_next_sibling(tree, condition); child && child < node; child = py_next_sibling(tree, child)) {
    if (++seen > PY_CLAUSE_LIMIT) {
      inquiry->is_unsure = true;
      break;
    }
    PyRef other = py_kind(tree, child) == PYK_ELIF_CLAUSE ? py_child(tree, child, PY_F_CONDITION) : 0;
    if (other)
      set &= read_condition(inquiry, other).no;
  }
  return set;
}

/// The right side of `a and b` is reached where `a` holds, of `a or b` where it does not.
static OpsetSet opsets_of_operand(Inquiry *inquiry, PyRef operator, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  if (py_child(tree, operator, PY_F_RIGHT) != node)
    return ALL_OPSETS;
  PyRef sign = py_child(tree, operator, PY_F_OPERATOR);
  Branches left = read_condition(inquiry, py_child(tree, operator, PY_F_LEFT));
  return sign && str_equal(py_text(tree, sign), STR("and")) ? left.yes : left.no;
}

/// `yes if condition else no`
static OpsetSet opsets_of_choice(Inquiry *inquiry, PyRef expression, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  PyRef yes = py_first_child(tree, expression);
  PyRef condition = yes ? py_next_sibling(tree, yes) : 0;
  PyRef no = condition ? py_next_sibling(tree, condition) : 0;
  if (!no || node == condition)
    return ALL_OPSETS;
  Branches branches = read_condition(inquiry, condition);
  return node == yes ? branches.yes : node == no ? branches.no : ALL_OPSETS;
}

/// What `parent` tells of its child `node`.
static OpsetSet opsets_of_branch(Inquiry *inquiry, PyRef parent, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  switch (py_kind(tree, parent)) {
  case PYK_IF_STATEMENT:
    return opsets_of_if(inquiry, parent, node);
  case PYK_ELIF_CLAUSE:
    if (tree->nodes[node].field != PY_F_CONSEQUENCE)
      return ALL_OPSETS;
    return read_condition(inquiry, py_child(tree, parent, PY_F_CONDITION)).yes;
  case PYK_BOOLEAN_OPERATOR:
    return opsets_of_operand(inquiry, parent, node);
  case PYK_CONDITIONAL_EXPRESSION:
    return opsets_of_choice(inquiry, parent, node);
  case PYK_WHILE_STATEMENT:
  case PYK_MATCH_STATEMENT:
  case PYK_CASE_CLAUSE:
    if (py_first_child(tree, parent) != node)
      inquiry->is_unsure |= asks_for_opset(inquiry, py_first_child(tree, parent));
    return ALL_OPSETS;
  default:
    return ALL_OPSETS;
  }
}

OpsetSet py_model_read_opset_guard(const PyModel *model, PyRef node, bool *ret_unsure)
{
  const PyTree *tree = &model->tree;
  Inquiry inquiry = { .model = model, .steps = PY_GUARD_WORK };
  OpsetSet set = ALL_OPSETS;
  int depth = 0;
  for (PyRef at = node; at != 0 && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyRef parent = tree->nodes[at].parent;
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA)
      break;
    set &= opsets_of_branch(&inquiry, parent, at);
    if (py_kind(tree, parent) == PYK_BLOCK)
      set &= opsets_after_earlier_statements(&inquiry, at);
  }
  *ret_unsure |= inquiry.is_unsure;
  return set;
}

OpsetSet py_model_opset_guard(const PyModel *model, PyRef node)
{
  bool is_unsure = false;
  return py_model_read_opset_guard(model, node, &is_unsure);
}

// --- Versions ---

static bool has_digit(Str text)
{
  for (size_t i = 0; i < text.len; i++) {
    if (ascii_is_digit(text.data[i]))
      return true;
  }
  return false;
}

/// Whether a name tells of versions: `__version__`, `TORCH_113`, `is_torch_new`, `hasattr`.
static bool tells_version(Str name)
{
  static const char *const words[] = { "version",  "hasattr",   "signature", "find_spec",
                                       "is_torch", "old_torch", "new_torch" };
  char text[64];
  size_t len = name.len < sizeof(text) ? name.len : sizeof(text);
  for (size_t i = 0; i < len; i++)
    text[i] = ascii_to_lower(name.data[i]);
  Str lower = str_make(text, len);
  if (str_find(lower, STR("opset"), 0) != STR_NOT_FOUND)
    return false;
  if (str_contains_one_of(lower, words, COUNT(words)))
    return true;
  return str_find(lower, STR("torch"), 0) != STR_NOT_FOUND && has_digit(lower);
}

static bool asks_for_version(Inquiry *inquiry, PyRef node, int depth)
{
  return some_name_tells(inquiry, node, depth, tells_version, false);
}

/// `except ImportError:` and what else says that a name or an argument is not there.
static bool handles_absence(const PyTree *tree, PyRef try_statement)
{
  for (PY_EACH_CHILD(tree, clause, try_statement)) {
    if (py_kind(tree, clause) != PYK_EXCEPT_CLAUSE)
      continue;
    PyRef body = 0;
    for (PY_EACH_CHILD(tree, child, clause))
      body = child;
    PyRef first = py_first_child(tree, clause);
    Str text = first && first != body ? py_text(tree, first) : (Str){ 0 };
    if (str_find(text, STR("ImportError"), 0) != STR_NOT_FOUND ||
        str_find(text, STR("ModuleNotFoundError"), 0) != STR_NOT_FOUND ||
        str_find(text, STR("AttributeError"), 0) != STR_NOT_FOUND ||
        str_find(text, STR("TypeError"), 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

/// Whether what surrounds `node` directly asks.
static bool parent_asks(Inquiry *inquiry, PyRef parent, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  switch (py_kind(tree, parent)) {
  case PYK_IF_STATEMENT: {
    PyRef condition = py_child(tree, parent, PY_F_CONDITION);
    if (condition == node || !condition)
      return false;
    for (PyRef child = condition; child && child <= node; child = py_next_sibling(tree, child)) {
      PyRef other = py_kind(tree, child) == PYK_ELIF_CLAUSE ? py_child(tree, child, PY_F_CONDITION) : 0;
      if ((child == condition && asks_for_version(inquiry, child, 2)) || (other && asks_for_version(inquiry, other, 2)))
        return true;
    }
    return false;
  }
  case PYK_CONDITIONAL_EXPRESSION:
  case PYK_BOOLEAN_OPERATOR:
  case PYK_MATCH_STATEMENT:
    for (PY_EACH_CHILD(tree, child, parent)) {
      if (child != node && py_kind(tree, child) != PYK_BLOCK && asks_for_version(inquiry, child, 2))
        return true;
    }
    return false;
  case PYK_TRY_STATEMENT:
    return handles_absence(tree, parent);
  case PYK_DECORATED_DEFINITION:
    for (PY_EACH_CHILD(tree, child, parent)) {
      if (py_kind(tree, child) == PYK_DECORATOR && asks_for_version(inquiry, child, 0) &&
          str_find(py_text(tree, child), STR("skip"), 0) != STR_NOT_FOUND)
        return true;
    }
    return false;
  default:
    return false;
  }
}

/// `if version < ...: return`
static bool leaves_by_version(Inquiry *inquiry, PyRef statement)
{
  const PyTree *tree = &inquiry->model->tree;
  PyRef body = py_kind(tree, statement) == PYK_IF_STATEMENT ? py_child(tree, statement, PY_F_CONSEQUENCE) : 0;
  PyRef condition = body ? py_child(tree, statement, PY_F_CONDITION) : 0;
  return condition && ends_by_leaving(tree, body) && asks_for_version(inquiry, condition, 2);
}

void python_find_version_exit(PyModel *model)
{
  Inquiry inquiry = { .model = model, .steps = PY_GUARD_WORK };
  PyRef child = py_first_child(&model->tree, 0);
  while (child && !leaves_by_version(&inquiry, child))
    child = py_next_sibling(&model->tree, child);
  model->version_exit = child;
}

/// Whether there is one before the node in its block.
static bool earlier_asks(Inquiry *inquiry, PyRef node)
{
  const PyTree *tree = &inquiry->model->tree;
  if (tree->nodes[node].parent == 0)
    return inquiry->model->version_exit && inquiry->model->version_exit < node;
  int seen = 0;
  for (PyRef child = py_first_child(tree, tree->nodes[node].parent); child && child < node && seen < PY_STATEMENT_LIMIT;
       child = py_next_sibling(tree, child), seen++) {
    if (leaves_by_version(inquiry, child))
      return true;
  }
  return false;
}

/// As py_model_asks_version(), without looking at who calls the function around; that in `ret_function`.
static bool asks_around(const PyModel *model, PyRef node, uint32_t *ret_function)
{
  const PyTree *tree = &model->tree;
  Inquiry inquiry = { .model = model, .steps = PY_GUARD_WORK };
  int depth = 0;
  *ret_function = PY_ABSENT;
  for (PyRef at = node; at != 0 && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyRef parent = tree->nodes[at].parent;
    PyNodeKind kind = py_kind(tree, parent);
    if (*ret_function == PY_ABSENT && py_kind(tree, at) == PYK_FUNCTION_DEFINITION)
      *ret_function = py_model_function_at(model, at);
    if (parent_asks(&inquiry, parent, at) || ((kind == PYK_BLOCK || kind == PYK_MODULE) && earlier_asks(&inquiry, at)))
      return true;
  }
  return false;
}

bool py_model_asks_version(const PyModel *model, PyRef node)
{
  uint32_t function;
  if (asks_around(model, node, &function))
    return true;
  // A function whose every call asks first.
  bool is_called = false;
  int count = 0;
  uint32_t call = function == PY_ABSENT ? PY_ABSENT : model->functions.items[function].first_call;
  for (; call != PY_ABSENT; call = model->calls.items[call].next) {
    uint32_t other;
    if (count++ == PY_CALLER_LIMIT)
      return false;
    is_called = true;
    if (!asks_around(model, model->calls.items[call].node, &other))
      return false;
  }
  return is_called;
}
