/// The interpreter of Python: what is known when a place is reached, found once for a whole file. Private to model/.
///
/// A function is gone through once, statement by statement, with what names stand for (`Meaning`) and what conditions
/// left (`Passage`). Each branch starts from what was known before it, and where branches meet the two are joined.
/// Loops and `try` start from what may have changed in them. Functions come after those that they call, so that the
/// results of these are known. What each node is, and how it is reached, is kept in tables for whoever asks
/// (PyFile.flow); the work is linear in the text.
///
/// Ownership: the tables belong to the PyFile; everything else lives while it is made.
/// Units:     a *slot* is the index of the first binding of a name in its scope, see py_model_lookup().
/// Errors:    whatever is not sure is `meaning_unknown`.
/// Threads:   one interpreter is one thread's; the tables are immutable.
/// Sources:   torch.onnx.symbolic_helper for what @parse_args and the helpers return; the Python language reference.
#pragma once

#include "base/limits.h"
#include "base/sparse.h"
#include "python/model/python_file.h"

/// What an expression is said to be beside its kind.
enum {
  IS_OPSET = 1,      ///< It is the opset of the export: g.opset.
  HAS_NUMBER = 2,    ///< It is the int `number`.
  ASKS_OPSET = 4,    ///< Something in it speaks of the opset,
  ASKS_VERSION = 8,  ///< or of the version of torch.
  IS_READ = 16,      ///< Private to interpret_expression.c.
  IS_FOREIGN = 32,   ///< Something in it is known of another file.
  IS_PASSED = 64,    ///< It is what the calls pass for the parameter `number`, an index into PyModel.params.
};

/// Some of the calls of a helper, see CallRows.
typedef uint8_t CallSet;
enum { CALL_SET_ALL = 0xFF };

/// What is known of an expression.
typedef struct Meaning {
  PyValue value;
  uint16_t hints;
  CallSet true_at;   ///< The calls at which it is surely true,
  CallSet false_at;  ///< and those at which it is surely false.
  int64_t number;
  OpsetSet yes;  ///< The opsets at which it may be true,
  OpsetSet no;   ///< and those at which it may be false.
  PyRef made;    ///< What a name was assigned that is this; 0 if it may be several things.
} Meaning;

/// Hints that what is around an expression has, too.
enum { SPREADING_HINTS = ASKS_OPSET | ASKS_VERSION | IS_FOREIGN };

static const PyValue unknown = { 0, 0, -1 };
static const Meaning meaning_unknown = { .value = { 0, 0, -1 }, .yes = OPSET_SET_ALL, .no = OPSET_SET_ALL };

/// How a place is reached.
typedef struct Passage {
  OpsetSet opsets;     ///< At these, as far as conditions tell. None: never.
  CallSet without;     ///< At these calls surely not. Only where the interpreter is: what is noted lacks it.
  bool is_unsure;      ///< One of them asks for the opset in a way that can't be read.
  bool asks_version;   ///< One asks which torch it runs with.
  bool has_left;       ///< By `return`, `raise`, `break` or `continue`: nothing after it in its block counts.
  bool may_have_left;  ///< In a loop, in a `try`, or by a function that is not known.
} Passage;

/// The passage that stands for all above PY_STATE_LIMIT: rules that it could speak for are silent.
enum { PASSAGE_UNKNOWN = 1 };

/// What a name that has several bindings was assigned where it is read.
typedef struct Made {
  PyRef name;
  PyRef value;
} Made;

/// What the interpreter found out.
struct PyFlow {
  uint16_t *reached;   ///< By node: an index into `passages`, of which there are few; 0 is any.
  uint16_t *value_at;  ///< By node: an index into `values`, as most nodes are one of a few things; 0 is unknown.
  PyEnding *endings;   ///< By function,
  PyValue *results;    ///< and what it gives back, whoever calls it, as far as this file alone tells.
  Vec(Passage) passages;
  Vec(PyValue) values;
  Vec(Made) made;  ///< By name.
  bool is_full;    ///< PY_STATE_LIMIT was reached: there are places of which nothing is known because of it.
};

/// A name while a function is gone through. The stamps tell where it is noted already.
typedef struct Slot {
  Meaning meaning;
  uint32_t branch;  ///< The branch that keeps its old meaning.
  uint32_t meeting;
  uint32_t meeting_index;  ///< In `joined`.
  uint32_t region;
  uint32_t region_index;  ///< In `changed`.
  bool is_taken;          ///< Something else than a call takes what it is.
  bool is_global;         ///< A function says `global` or `nonlocal` of it: what it calls may change it anywhere.
} Slot;

/// What a name was before a branch changed it.
typedef struct Undo {
  uint32_t slot;
  uint32_t branch;
  Meaning meaning;
} Undo;

/// What the branches of one statement left of a name.
typedef struct Joined {
  uint32_t slot;
  uint32_t branches;  ///< So many changed it.
  uint32_t meeting, meeting_index;
  Meaning meaning;
} Joined;

/// All that a region, which may be left anywhere or run again, made of a name.
typedef struct Changed {
  uint32_t slot;
  Meaning meaning;
} Changed;

/// What a function gives back.
typedef struct Result {
  Meaning meaning;
  uint32_t hints;  ///< Of all its expressions.
  bool has_return;
  bool has_value;     ///< A `return` gives one.
  bool is_generator;  ///< It gives something else.
  bool is_done;       ///< It was gone through.
} Result;

/// The literals that a helper is called with, of which its conditions ask: each row is a call, or several that pass the
/// same. So it is known of a condition at which calls it is true, as it is known at which opsets.
typedef struct CallRows {
  uint32_t function;     ///< The helper; PY_ABSENT for none.
  uint32_t first_param;  ///< Of it,
  uint32_t param_count;  ///< and so many.
  uint32_t count;
  PyRef literals[PY_CALL_KIND_LIMIT][PY_HEAD_FIX_PARAMS];  ///< By row and parameter; 0 if it may be anything.
} CallRows;

/// A condition that was true only where the function is left by now.
typedef struct RuledOut {
  PyRef condition;
  uint32_t function;
} RuledOut;

/// A statement that is open. `if`, `for`, `try`... hold branches, which are frames of their own.
typedef struct Frame {
  PyRef node;
  PyRef end;
  bool is_branch, is_function, is_plain;  ///< Else it holds branches.
  bool is_loop, is_region, has_else;
  Passage before;
  Passage rest;                                    ///< What remains for the branches that come.
  Passage chosen;                                  ///< For the next block: what its condition leaves.
  Passage out;                                     ///< Of all branches that were passed to their ends.
  uint32_t passed;                                 ///< How many these are.
  bool has_left;                                   ///< One is left before its end,
  bool may_leave;                                  ///< and one may be.
  uint32_t stamp;                                  ///< Different for each frame.
  uint32_t outer, region, function, loops, exits;  ///< What Interpreter has around it.
  size_t first_undo, first_joined, first_changed, first_ruled_out;
  PyRef left_if;      ///< Of `if`: what holds if the first block is run, and so not after it if that is left; 0.
  uint32_t narrowed;  ///< A slot that the condition tells more about in the next block; PY_ABSENT for none.
  Meaning narrowing;
} Frame;

typedef struct Interpreter {
  PyFile *file;
  const PyModel *model;
  const PyTree *tree;
  struct PyFlow *flow;
  Sparse bound_nodes;  ///< Nodes of names that are bound there.
  uint32_t *bound;     ///< By these: the binding.
  Slot *slots;         ///< By binding.
  Result *results;     ///< By function.
  PyValue *passed;     ///< By parameter: what the calls of the file pass, of functions that nobody else calls.
  CallRows rows;
  Passage at;         ///< Where it is.
  uint16_t passage;   ///< The index of `at`.
  uint32_t function;  ///< That is gone through; PY_ABSENT for the module.
  uint32_t branch, region, stamps;
  uint32_t loops;               ///< Around.
  uint32_t exits;               ///< So many `return` and `raise` of this function were met.
  bool has_other_float;         ///< The file sets what torch makes of floats: torch.set_default_dtype().
  bool has_bound, has_changed;  ///< The expression that was evaluated last binds names, or may change what they hold.
  Vec(Frame) frames;
  Vec(Undo) undo;
  Vec(Joined) joined;
  Vec(Changed) changed;
  Vec(RuledOut) ruled_out;
  Vec(Meaning) meanings;  ///< Of the expression that is evaluated, by node after `first`.
  PyRef first;
  uint64_t other_members[64];  ///< Bits of hashes of names, see interpret_file.c,
  bool has_other_members;      ///< once it is asked.
  uint16_t kept[64];           ///< Values that were met lately, by a hash of them: their index in PyFlow.values.
  uint16_t noted[64];          ///< The same of passages.
} Interpreter;

// --- Values ---

static inline PyValue interpret_value(uint32_t kinds)
{
  return (PyValue){ .kinds = kinds, .length = -1 };
}

static inline PyValue interpret_list(uint32_t elements, int length)
{
  return (PyValue){ .kinds = PY_LIST, .elements = elements, .length = length };
}

/// What it is if it may be either.
PyValue interpret_join(PyValue a, PyValue b);
/// Any element of a list.
PyValue interpret_element(PyValue list);
/// What a letter of @parse_args makes of a constant; unknown if there is no such letter.
PyValue interpret_letter(Str letter);
/// What a name of another module stands for, such as torch.float32.
PyValue interpret_qualified(const PyModel *model, PyRef node);
/// Whether the name is `torch.X` with one of these X.
bool interpret_is_torch_name(Str name, const char *const *names, size_t count);

// --- interpret.c: statements ---

void interpret_move_to(Interpreter *in, Passage passage);
/// Those among the nodes from `node` to before `end`. Functions are only noted.
void interpret_statements(Interpreter *in, PyRef node, PyRef end);
/// The body of a function that is in none; nothing for a lambda.
void interpret_function(Interpreter *in, uint32_t index);

// --- interpret_names.c: what names stand for ---

Meaning meaning_join(Meaning a, Meaning b);
/// The slot of an identifier; PY_ABSENT if the file does not bind it.
uint32_t interpret_slot(const Interpreter *in, PyRef identifier);
/// The slot of what is bound at a node.
uint32_t interpret_bound_slot(const Interpreter *in, PyRef node);
/// The name of that slot, where `node` stands; unknown for PY_ABSENT.
Meaning interpret_name(const Interpreter *in, PyRef node, uint32_t slot);
void interpret_assign(Interpreter *in, uint32_t slot, Meaning meaning);
/// What the node, which is run again, may bind is unknown from here on, and lists that it changes have any length.
void interpret_forget(Interpreter *in, PyRef node);
/// From here on a condition, which are the nodes from `first` to before `end`, knows more about the names that it asks
/// about: what they are is unknown.
void interpret_ask(Interpreter *in, PyRef first, PyRef end);
/// `x is None`, `x is not None`: notes in the frame what x is if it is true, and makes it what it is else. False for
/// other conditions.
bool interpret_narrow(Interpreter *in, Frame *frame, PyRef condition);
/// A branch: what is changed in it is taken back at its end,
void interpret_open_branch(Interpreter *in, Frame *branch);
/// and joined into `meeting` unless that is NULL.
void interpret_close_branch(Interpreter *in, Frame *branch, Frame *meeting);
/// After the last branch.
void interpret_meet(Interpreter *in, Frame *meeting);
/// What changes until the region is closed is noted; then each name may be what it was, or any of that.
void interpret_open_region(Interpreter *in, Frame *region);
void interpret_close_region(Interpreter *in, Frame *region);

// --- interpret_expression.c ---

/// Evaluates all that `node`, which has no block, is made of, and then binds the names in it.
void interpret_expression(Interpreter *in, PyRef node);
/// `a + b`, `a += b`
PyValue interpret_binary(const Interpreter *in, PyRef node);
/// Of a node of the expression that was evaluated last.
static inline Meaning interpret_meaning(const Interpreter *in, PyRef node)
{
  return node >= in->first && node - in->first < in->meanings.count ? in->meanings.items[node - in->first]
                                                                    : meaning_unknown;
}

static inline Meaning meaning_of(PyValue value)
{
  Meaning meaning = meaning_unknown;
  meaning.value = value;
  return meaning;
}

static inline Meaning interpret_child(const Interpreter *in, PyRef node, PyField field)
{
  PyRef child = py_child(in->tree, node, field);
  return child ? interpret_meaning(in, child) : meaning_unknown;
}

/// The binding of a name that is bound at the node; PY_ABSENT.
static inline uint32_t interpret_bound(const Interpreter *in, PyRef node)
{
  return sparse_has(&in->bound_nodes, node) ? in->bound[sparse_upto(&in->bound_nodes, node) - 1] : PY_ABSENT;
}

/// What was found out about a node,
static inline PyValue interpret_known(const Interpreter *in, PyRef node)
{
  return in->flow->values.items[in->flow->value_at[node]];
}

/// The index of a passage.
uint16_t interpret_note_passage(Interpreter *in, Passage passage);

// --- interpret_nodes.c ---

/// `and`, and not `or`.
bool interpret_is_and(const PyTree *tree, PyRef operator);
/// Of a node that nothing is in.
Meaning interpret_leaf(Interpreter *in, PyRef node);
/// Of a node whose children are known.
Meaning interpret_inner(Interpreter *in, PyRef node);

// --- interpret_bind.c ---

/// Binds the names in the expression that was evaluated last, and changes what they hold.
void interpret_bind(Interpreter *in, PyRef node);
/// The names that the clauses of a comprehension bind.
void interpret_bind_comprehension(Interpreter *in, PyRef comprehension);
/// If the node changes a list in place, it may have any length; the first time through a loop it has the elements that
/// it had before.
void interpret_lengthen(Interpreter *in, PyRef node);

// --- interpret_conditions.c ---

/// What a name tells of: versions, as __version__, TORCH_113, is_torch_new and hasattr do, or opsets.
uint32_t interpret_hints(Str name);
/// Whether a call is given a version as text, `requires("2.6")`, or asks what torch has.
bool interpret_names_release(const Interpreter *in, const PyCall *call);
/// Whether it is True or False only as the version of torch is: what is assigned in a branch on that.
bool interpret_is_flag(const Interpreter *in, Meaning meaning);
/// `a OP b OP c`. What it is: a bool if only objects are compared; of graph values it would raise.
Meaning interpret_comparison(const Interpreter *in, PyRef node);
/// The passage after a condition that is true (or false).
Passage interpret_pass(Passage passage, Meaning condition, bool is_true);
/// Whether nothing comes there any more.
static inline bool interpret_is_left(Passage passage)
{
  return passage.has_left || (passage.opsets == 0 && !passage.may_have_left);
}

// --- interpret_literals.c: conditions about what never changes ---

/// What a helper's calls pass; `in->rows` is none if something that is not in sight may call it.
void interpret_note_rows(Interpreter *in, uint32_t function);
/// A parameter of the helper, as a condition: at which calls it is true.
void interpret_pass_literals(const Interpreter *in, uint32_t param, Meaning *meaning);
/// The calls at which a comparison is true or false.
void interpret_compare_literals(const Interpreter *in, PyRef comparison, Meaning *meaning);
/// What is not true any more once the branch of this condition, which was evaluated last, is left; 0.
PyRef interpret_left_if(const Interpreter *in, PyRef condition);
/// Whether a comparison was true only where the function is left by now.
bool interpret_is_ruled_out(const Interpreter *in, PyRef comparison);

// --- interpret_calls.c, interpret_parameters.c ---

PyValue interpret_call(const Interpreter *in, const PyCall *call, uint32_t *ret_hints);
/// interpret_elements.c: the element types of what `torch.zeros(...)` makes, of what `tensor.long()` makes of those
/// that the tensor had, and of what g.op() makes.
uint32_t interpret_tensor_elements(const Interpreter *in, const PyCall *call);
uint32_t interpret_converted_elements(const Interpreter *in, const PyCall *call, Str method, uint32_t before);
uint32_t interpret_op_elements(const Interpreter *in, const PyOp *op);
/// Whether a lambda is given to map() or functools.reduce(), which call it with the elements of what they are given.
bool interpret_is_applied(const Interpreter *in, PyRef lambda);
/// A parameter when its function is called.
PyValue interpret_parameter(const Interpreter *in, const PyBinding *binding);
