// At which opsets a node can be reached: the `if g.opset >= N` around and before it.

#include "model/python_private.h"

#define ALL_OPSETS UINT64_MAX

/// Is the expression the opset of the export: g.opset, GLOBALS.export_onnx_opset_version...?
static bool is_opset(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  node = py_resolve(model, node);
  if (py_kind(tree, node) != PYK_ATTRIBUTE)
    return false;
  PyRef name = py_child(tree, node, PY_F_ATTRIBUTE);
  Str text = name ? py_text(tree, name) : (Str){ 0 };
  return str_equal(text, STR("opset")) || str_equal(text, STR("export_onnx_opset_version")) ||
         str_equal(text, STR("_export_onnx_opset_version"));
}

/// Opsets n for which `n OP value` holds.
static uint64_t compare_set(Str op, int64_t value)
{
  uint64_t set = 0;
  for (int n = 0; n < 64; n++) {
    bool holds = str_equal(op, STR("<"))    ? n < value
                 : str_equal(op, STR("<=")) ? n <= value
                 : str_equal(op, STR(">"))  ? n > value
                 : str_equal(op, STR(">=")) ? n >= value
                 : str_equal(op, STR("==")) ? n == value
                 : str_equal(op, STR("!=")) ? n != value
                                            : true;
    if (holds)
      set |= UINT64_C(1) << n;
  }
  return set;
}

static Str flip(Str op)
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
  uint64_t yes;
  uint64_t no;
} Branches;

static const Branches both = { ALL_OPSETS, ALL_OPSETS };

/// `a OP b OP c`, where one side of each sign is the opset.
static Branches of_comparison(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  uint64_t yes = ALL_OPSETS;
  PyRef left = 0;
  Str op = { 0 };
  for (PY_EACH_CHILD(tree, child, node)) {
    if (py_kind(tree, child) == PYK_OPERATOR) {
      op = py_text(tree, child);
      continue;
    }
    if (left) {
      int64_t value;
      if (is_opset(model, left) && py_int(model, child, &value))
        yes &= compare_set(op, value);
      else if (is_opset(model, child) && py_int(model, left, &value))
        yes &= compare_set(flip(op), value);
      else
        return both;
    }
    left = child;
  }
  return (Branches){ yes, ~yes };
}

/// `symbolic_helper.is_caffe2_aten_fallback()`: only for Caffe2, which no torch package has been built with since 1.13.
static bool is_caffe2(const PyModel *model, PyRef node)
{
  uint32_t call = py_call_at(model, node);
  return call != PY_ABSENT && str_ends_with(model->calls.items[call].qualified, STR("is_caffe2_aten_fallback"));
}

/// A condition without nested ones: `not`, `and` and `or` are taken apart one level, more is unknown.
static Branches of_simple(const PyModel *model, PyRef node)
{
  node = py_strip(&model->tree, node);
  if (py_kind(&model->tree, node) == PYK_COMPARISON_OPERATOR)
    return of_comparison(model, node);
  if (is_caffe2(model, node))
    return (Branches){ 0, ALL_OPSETS };
  return both;
}

static Branches of_condition(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  node = py_strip(tree, node);
  if (py_kind(tree, node) == PYK_NOT_OPERATOR) {
    Branches inner = of_simple(model, py_child(tree, node, PY_F_ARGUMENT));
    return (Branches){ inner.no, inner.yes };
  }
  if (py_kind(tree, node) == PYK_BOOLEAN_OPERATOR) {
    PyRef sign = py_child(tree, node, PY_F_OPERATOR);
    Branches left = of_simple(model, py_child(tree, node, PY_F_LEFT));
    Branches right = of_simple(model, py_child(tree, node, PY_F_RIGHT));
    if (sign && str_equal(py_text(tree, sign), STR("and")))
      return (Branches){ left.yes & right.yes, left.no | right.no };
    return (Branches){ left.yes | right.yes, left.no & right.no };
  }
  return of_simple(model, node);
}

/// Does the block end in every case by leaving the function or the loop?
static bool leaves(const PyTree *tree, PyRef block)
{
  PyRef last = 0;
  for (PY_EACH_CHILD(tree, child, block))
    last = child;
  PyNodeKind kind = py_kind(tree, last);
  return last && (kind == PYK_RETURN_STATEMENT || kind == PYK_RAISE_STATEMENT);
}

/// What the statements before `node` in its block leave: `if g.opset < 13: return ...`.
static uint64_t of_earlier(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  uint64_t set = ALL_OPSETS;
  int seen = 0;
  for (PyRef child = py_first_child(tree, tree->nodes[node].parent); child && child < node && seen < STATEMENT_LIMIT;
       child = py_next_sibling(tree, child), seen++) {
    if (py_kind(tree, child) != PYK_IF_STATEMENT || py_child(tree, child, PY_F_ALTERNATIVE))
      continue;
    PyRef body = py_child(tree, child, PY_F_CONSEQUENCE);
    PyRef condition = py_child(tree, child, PY_F_CONDITION);
    if (body && condition && leaves(tree, body))
      set &= of_condition(model, condition).no;
  }
  return set;
}

/// What the branch of `parent` that `node` is in tells.
static uint64_t of_branch(const PyModel *model, PyRef parent, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, parent);
  if (kind == PYK_IF_STATEMENT) {
    PyRef condition = py_child(tree, parent, PY_F_CONDITION);
    if (!condition || node == condition)
      return ALL_OPSETS;
    Branches branches = of_condition(model, condition);
    if (tree->nodes[node].field == PY_F_CONSEQUENCE)
      return branches.yes;
    // An elif or else: all conditions before it were false.
    uint64_t set = branches.no;
    for (PyRef child = py_next_sibling(tree, condition); child && child < node; child = py_next_sibling(tree, child)) {
      PyRef other = py_kind(tree, child) == PYK_ELIF_CLAUSE ? py_child(tree, child, PY_F_CONDITION) : 0;
      if (other)
        set &= of_condition(model, other).no;
    }
    return set;
  }
  if (kind == PYK_ELIF_CLAUSE && tree->nodes[node].field == PY_F_CONSEQUENCE)
    return of_condition(model, py_child(tree, parent, PY_F_CONDITION)).yes;
  if (kind == PYK_CONDITIONAL_EXPRESSION) {
    PyRef yes = py_first_child(tree, parent);
    PyRef condition = yes ? py_next_sibling(tree, yes) : 0;
    PyRef no = condition ? py_next_sibling(tree, condition) : 0;
    if (no && node == yes)
      return of_condition(model, condition).yes;
    if (no && node == no)
      return of_condition(model, condition).no;
  }
  return ALL_OPSETS;
}

uint64_t py_opset_guard(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  uint64_t set = ALL_OPSETS;
  int depth = 0;
  for (PyRef at = node; at != 0 && depth < NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyRef parent = tree->nodes[at].parent;
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA)
      break;
    set &= of_branch(model, parent, at);
    if (py_kind(tree, parent) == PYK_BLOCK)
      set &= of_earlier(model, at);
  }
  return set;
}
