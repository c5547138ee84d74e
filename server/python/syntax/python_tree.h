/// The syntax of one version of a Python file: its text and a flat list of nodes.
///
/// A file is cut at its top-level definitions (python/syntax/python_parts.h), and each part is parsed alone: on several
/// threads when a file is opened, and after an edit only where the text changed. So the nodes depend on nothing but the
/// text, and what is broken in one part leaves the others whole. Comments, punctuation and the insides of strings are
/// left out.
///
/// Ownership: reference-counted; text and nodes belong to it. A plan is consumed by finish or free.
/// Units:     offsets are bytes from the start of the text; a PyRef is an index into `nodes`.
/// Errors:    what can't be parsed is PYK_ERROR or PYK_MISSING. A file that is too large has the one node 0,
///            parts that take too much work to parse are one PYK_ERROR each, and py_syntax_unread() tells of both.
/// Threads:   immutable; retain and release from any thread. For a plan see py_syntax_plan_run().
/// Sources:   tree-sitter-python's node types.
#pragma once

#include "base/memory.h"
#include "syntax/unread.h"

typedef enum PyNodeKind {
  PYK_OTHER,
  PYK_ERROR,
  PYK_MISSING,
  PYK_OPERATOR,  ///< The sign of an operator: `+`, `<=`, `is not`; its field is PY_F_OPERATOR or PY_F_OPERATORS.
#define NODE(id, name) PYK_##id,
#include "python/syntax/python_nodes.def"
#undef NODE
  PYK_KIND_COUNT,
} PyNodeKind;

typedef enum PyField {
  PY_F_NONE,
#define FIELD(id, name) PY_F_##id,
#include "python/syntax/python_fields.def"
#undef FIELD
  PY_FIELD_COUNT,
} PyField;

/// A node; 0, which is the module, also means that there is none.
typedef uint32_t PyRef;

typedef struct PyNode {
  uint8_t kind;    ///< A PyNodeKind.
  uint8_t field;   ///< A PyField: what it is to its parent.
  bool has_error;  ///< It or something below it is an error.
  PyRef parent;
  PyRef next;  ///< Index after its subtree.
  uint32_t start;
  uint32_t end;
} PyNode;

typedef struct PySyntax PySyntax;

typedef struct PySyntaxPlan PySyntaxPlan;

/// `text` is copied. `previous` (may be NULL) is an older version of the same file: what did not change is
/// not read again.
PySyntaxPlan *py_syntax_plan(Str text, const PySyntax *previous);
/// How much there is to parse: pieces of work, and bytes.
uint32_t py_syntax_plan_count(const PySyntaxPlan *plan);
size_t py_syntax_plan_bytes(const PySyntaxPlan *plan);
/// Parses piece number `i`. Different pieces may run on different threads at once.
void py_syntax_plan_run(PySyntaxPlan *plan, uint32_t i);
/// Consumes the plan. Pieces that were not run yet are run now.
PySyntax *py_syntax_plan_finish(PySyntaxPlan *plan);
/// Gives up; NULL is fine.
void py_syntax_plan_free(PySyntaxPlan *plan);

/// All of that on this thread.
PySyntax *py_syntax_new(Str text, const PySyntax *previous);
PySyntax *py_syntax_retain(const PySyntax *syntax);
/// NULL is fine.
void py_syntax_release(PySyntax *syntax);

/// Followed by a NUL.
Str py_syntax_source(const PySyntax *syntax);
/// In pre-order; at least the module.
const PyNode *py_syntax_nodes(const PySyntax *syntax, uint32_t *ret_count);
/// What limits left out, by position.
const Unread *py_syntax_unread(const PySyntax *syntax, size_t *ret_count);

/// What most code holds: a view of a PySyntax.
typedef struct PyTree {
  Str text;
  const PyNode *nodes;
  uint32_t count;
} PyTree;

static inline PyTree py_tree(const PySyntax *syntax)
{
  PyTree tree = { .text = py_syntax_source(syntax) };
  tree.nodes = py_syntax_nodes(syntax, &tree.count);
  return tree;
}

static inline PyNodeKind py_kind(const PyTree *tree, PyRef node)
{
  return (PyNodeKind)tree->nodes[node].kind;
}

/// A function, a lambda or a class: what it holds does not run where it stands.
static inline bool py_runs_elsewhere(PyNodeKind kind)
{
  return kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA || kind == PYK_CLASS_DEFINITION;
}

static inline bool py_kind_is_comprehension(PyNodeKind kind)
{
  return kind == PYK_LIST_COMPREHENSION || kind == PYK_SET_COMPREHENSION || kind == PYK_DICTIONARY_COMPREHENSION ||
         kind == PYK_GENERATOR_EXPRESSION;
}

static inline Str py_text(const PyTree *tree, PyRef node)
{
  // Nodes of other files are after the text.
  return str_make(tree->text.data + tree->nodes[node].start, tree->nodes[node].end - tree->nodes[node].start);
}

/// 0 if there is none, as in the next two.
static inline PyRef py_first_child(const PyTree *tree, PyRef node)
{
  return node + 1 < tree->nodes[node].next ? node + 1 : 0;
}

static inline PyRef py_next_sibling(const PyTree *tree, PyRef node)
{
  PyRef next = tree->nodes[node].next;
  return node != 0 && next < tree->nodes[tree->nodes[node].parent].next ? next : 0;
}

/// The first child with this field.
static inline PyRef py_child(const PyTree *tree, PyRef node, PyField field)
{
  for (PyRef child = py_first_child(tree, node); child; child = py_next_sibling(tree, child)) {
    if (tree->nodes[child].field == field)
      return child;
  }
  return 0;
}

/// The `object` of `object.member`; 0 for other nodes.
static inline PyRef py_tree_object(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_ATTRIBUTE ? py_child(tree, node, PY_F_OBJECT) : 0;
}

/// The `member` of it,
static inline PyRef py_tree_member(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_ATTRIBUTE ? py_child(tree, node, PY_F_ATTRIBUTE) : 0;
}

/// and how that is called; empty for other nodes.
static inline Str py_tree_member_name(const PyTree *tree, PyRef node)
{
  PyRef member = py_tree_member(tree, node);
  return member ? py_text(tree, member) : (Str){ 0 };
}

/// The key of a pair in a dictionary; 0 for other nodes.
static inline PyRef py_tree_key(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_PAIR ? py_child(tree, node, PY_F_KEY) : 0;
}

/// The last name in `pkg.mod.name`: the node itself if it is no attribute.
static inline PyRef py_tree_last_name(const PyTree *tree, PyRef node)
{
  PyRef member = py_tree_member(tree, node);
  return member ? member : node;
}

/// The x of `self.x`; empty for other nodes.
static inline Str py_tree_own_name(const PyTree *tree, PyRef node)
{
  PyRef object = py_tree_object(tree, node);
  return object && str_equal(py_text(tree, object), STR("self")) ? py_tree_member_name(tree, node) : (Str){ 0 };
}

/// A name that is looked up: neither the `b` of `a.b` nor the keyword of an argument.
static inline bool py_tree_is_looked_up(const PyTree *tree, PyRef node)
{
  PyNodeKind around = py_kind(tree, tree->nodes[node].parent);
  PyField field = (PyField)tree->nodes[node].field;
  return py_kind(tree, node) == PYK_IDENTIFIER && !(around == PYK_ATTRIBUTE && field == PY_F_ATTRIBUTE) &&
         !(around == PYK_KEYWORD_ARGUMENT && field == PY_F_NAME);
}

/// What a call calls; 0 for other nodes.
static inline PyRef py_tree_callee(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
}

/// for (PY_EACH_CHILD(tree, child, node)) ...
#define PY_EACH_CHILD(tree, child, node)                                                                               \
  PyRef child = py_first_child((tree), (node));                                                                        \
  child;                                                                                                               \
  child = py_next_sibling((tree), child)

/// for (PY_EACH_NODE(tree, node, root)) ...: the root, and all below it; nothing for 0.
#define PY_EACH_NODE(tree, node, root)                                                                                 \
  PyRef node = (root);                                                                                                 \
  node != 0 && node < (tree)->nodes[root].next;                                                                        \
  node++

/// The smallest node that holds the byte at `offset`, or ends there.
PyRef py_node_at(const PyTree *tree, size_t offset);

/// `yes if condition else no`; 0 where it is not whole.
typedef struct PyChoice {
  PyRef yes, condition, no;
} PyChoice;

PyChoice py_tree_choice(const PyTree *tree, PyRef expression);

/// `left sign right`.
typedef struct PyComparison {
  PyRef left, sign, right;
} PyComparison;

/// All 0 for other nodes, and for `a < b < c`.
PyComparison py_tree_comparison(const PyTree *tree, PyRef node);
/// Whether a comparison is of values: `<`, `==`, `!=`..., not `is` or `in`.
bool py_tree_compares(const PyTree *tree, PyRef comparison);
/// The expression without the parentheses around it.
PyRef py_tree_strip(const PyTree *tree, PyRef node);
/// The element expressions of a list, tuple, set or expression_list: first and next. 0 at the end.
PyRef py_tree_first_element(const PyTree *tree, PyRef node);
PyRef py_tree_next_element(const PyTree *tree, PyRef node);

/// for (PY_EACH_ELEMENT(tree, element, list)) ...
#define PY_EACH_ELEMENT(tree, element, list)                                                                           \
  PyRef element = py_tree_first_element((tree), (list));                                                               \
  element;                                                                                                             \
  element = py_tree_next_element((tree), (element))

/// What a keyword argument gives; where it can't be read, as after a forgotten comma in `a=1 b=2`, that which can't.
PyRef py_tree_keyword_value(const PyTree *tree, PyRef argument);
/// `*x` or `**x` among elements: it stands for any number of them.
static inline bool py_tree_is_splat(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_LIST_SPLAT || py_kind(tree, node) == PYK_DICTIONARY_SPLAT;
}

const char *py_node_kind_name(PyNodeKind kind);
/// Whether a statement may return or raise, so that what comes after it may not be run.
bool py_tree_may_leave(const PyTree *tree, PyRef statement);
/// In a branch of `if False:`, `x if 0 else y`, `False and x`: nothing ever runs it.
bool py_tree_never_runs(const PyTree *tree, PyRef node);
/// The statement that a node is in, and the block that has it; 0 for none.
PyRef py_tree_statement(const PyTree *tree, PyRef node, PyRef *ret_block);
/// The arguments of `with contextlib.suppress(ImportError):`, which is a try; 0 for other statements.
PyRef py_tree_suppressed(const PyTree *tree, PyRef statement);
/// The innermost statement with try: around a node, or 0: what fails in it may be meant to.
PyRef py_tree_try_around(const PyTree *tree, PyRef node);
