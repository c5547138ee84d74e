// Names of a @script function that have no value where they are read. A graph has no "maybe": what a branch or a loop
// assigns comes out of it only if every branch assigns it, or if it had a value before. The function is walked once;
// what a branch changes is taken back at its end (the log), and what is left of it is decided when all branches are
// known.

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/script/script.h"

typedef enum NameState {
  NAME_UNBOUND,
  NAME_BOUND,
  NAME_IN_A_BRANCH,  ///< Not every branch gave it a value.
  NAME_IN_A_LOOP,    ///< Only the loop, which may not run at all.
} NameState;

typedef struct NameValue {
  NameState state;
  uint32_t branching;  ///< Number of the outermost `if` whose output it is; 0 for none.
} NameValue;

typedef struct ScriptName {
  NameValue value;
  uint32_t touched;  ///< Its place in Walk.touched, from 1 on; 0 for none.
  bool is_said;      ///< That it has no value: once is enough.
} ScriptName;

typedef struct Change {
  uint32_t name;
  NameValue before;
} Change;

/// A name that the branches of one statement assign.
typedef struct Touched {
  uint32_t name;
  uint32_t outer;     ///< Its place for the statement around this one.
  uint32_t branch;    ///< The last one that assigned it.
  uint32_t bound_by;  ///< So many branches left it with a value.
} Touched;

typedef struct Branching {
  PyRef node;
  bool is_used;
} Branching;

typedef struct Walk {
  const ScriptCheck *check;
  ScriptName *names;  ///< By first binding.
  Vec(Change) log;
  Vec(Touched) touched;
  Vec(Branching) branchings;  ///< The outermost ones; number 0 stands for none.
  uint32_t depth;             ///< Of branches and loops.
  uint32_t silent;            ///< In a branch that onnxscript may leave alone.
  bool has_given_up;          ///< At a statement that onnxscript doesn't know.
} Walk;

static void walk_block(Walk *walk, PyRef block);

// --- What names hold ---

static uint32_t name_of(const Walk *walk, const PyBinding *binding)
{
  return (uint32_t)(binding - walk->check->model->bindings.items);
}

static void set_value(Walk *walk, uint32_t name, NameValue value)
{
  vec_push(&walk->log, (Change){ name, walk->names[name].value });
  walk->names[name].value = value;
}

static void bind(Walk *walk, PyRef node)
{
  const PyBinding *binding =
      script_kind(walk->check, node) == PYK_IDENTIFIER ? script_binding(walk->check, node) : NULL;
  if (script_is_local(walk->check, binding))
    set_value(walk, name_of(walk, binding), (NameValue){ .state = NAME_BOUND });
  else
    walk->has_given_up = true;
}

static void say(const Walk *walk, PyRef node, const char *what)
{
  if (walk->silent == 0)
    script_say(walk->check, node,
               arena_printf(walk->check->sink->arena, what, STR_ARG(py_text(walk->check->tree, node))).data);
}

static void read_local(Walk *walk, PyRef node, uint32_t name)
{
  static const char *const faults[] = {
    [NAME_UNBOUND] = "nothing gives '%.*s' a value before",
    [NAME_IN_A_BRANCH] = "not every branch before gives '%.*s' a value, and it has none before them",
    [NAME_IN_A_LOOP] = "'%.*s' has no value before the loop, so it has none after it",
  };
  NameValue value = walk->names[name].value;
  walk->branchings.items[value.branching].is_used = true;
  if (value.state == NAME_BOUND || walk->names[name].is_said)
    return;
  say(walk, node, faults[value.state]);
  set_value(walk, name, value);  // So that it is among what is put back at the end.
  walk->names[name].is_said = true;
}

/// The decorator runs before the rest of the module, so it finds only what stands above.
static bool comes_later(const Walk *walk, const PyBinding *binding)
{
  const PyModel *model = walk->check->model;
  const PyFunction *function = &model->functions.items[walk->check->function];
  bool is_of_module = py_kind(walk->check->tree, walk->check->tree->nodes[function->outer].parent) == PYK_MODULE;
  return is_of_module && binding->scope == PY_ABSENT && binding->node > function->node;
}

static void read_name(Walk *walk, PyRef node)
{
  const PyBinding *binding = script_binding(walk->check, node);
  if (script_is_local(walk->check, binding))
    read_local(walk, node, name_of(walk, binding));
  else if (walk->check->model->star_imports.count > 0 || str_starts_with(py_text(walk->check->tree, node), STR("__")))
    return;
  else if (!binding)
    say(walk, node, "nothing has the name '%.*s'");
  else if (comes_later(walk, binding))
    say(walk, node, "'%.*s' is not there yet when @script() reads the function: move it above");
}

/// Inside of it names have a scope of their own, or the expression is no value anyway.
static bool is_left_alone(PyNodeKind kind)
{
  switch (kind) {
  case PYK_LAMBDA:
  case PYK_LIST_COMPREHENSION:
  case PYK_SET_COMPREHENSION:
  case PYK_DICTIONARY_COMPREHENSION:
  case PYK_GENERATOR_EXPRESSION:
  case PYK_NAMED_EXPRESSION:
  case PYK_STRING:
  case PYK_CONCATENATED_STRING:
    return true;
  default:
    return false;
  }
}

/// `float` of `float("inf")`, `alpha` of `alpha=1.0`, `Exp` of `op.Exp`: names that are no values.
static bool is_label(const PyTree *tree, PyRef node)
{
  PyNodeKind parent = py_kind(tree, tree->nodes[node].parent);
  uint8_t field = tree->nodes[node].field;
  return field == PY_F_ATTRIBUTE || (parent == PYK_CALL && field == PY_F_FUNCTION) ||
         (parent == PYK_KEYWORD_ARGUMENT && field == PY_F_NAME);
}

static void read_names(Walk *walk, PyRef expression)
{
  const PyTree *tree = walk->check->tree;
  for (PyRef node = expression; expression && node < tree->nodes[expression].next;) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_IDENTIFIER && !is_label(tree, node))
      read_name(walk, node);
    node = is_left_alone(kind) ? tree->nodes[node].next : node + 1;
  }
}

// --- Branches ---

/// The note about a name that the statement whose names begin at `first` has.
static Touched *touch(Walk *walk, uint32_t name, size_t first)
{
  if (walk->names[name].touched <= first) {
    vec_push(&walk->touched, (Touched){ .name = name, .outer = walk->names[name].touched });
    walk->names[name].touched = (uint32_t)walk->touched.count;
  }
  return &walk->touched.items[walk->names[name].touched - 1];
}

/// Takes back what was changed since `mark`, in branch number `branch` (from 1 on), and notes it.
static void leave_branch(Walk *walk, size_t mark, size_t first, uint32_t branch)
{
  while (walk->log.count > mark) {
    Change change = *vec_last(&walk->log);
    walk->log.count--;
    Touched *touched = touch(walk, change.name, first);
    if (touched->branch != branch) {
      touched->branch = branch;
      touched->bound_by += walk->names[change.name].value.state == NAME_BOUND;
    }
    walk->names[change.name].value = change.before;
  }
}

/// What names hold after all branches.
static void join(Walk *walk, size_t first, uint32_t branches, NameState otherwise, uint32_t branching)
{
  for (size_t i = first; i < walk->touched.count; i++) {
    const Touched *touched = &walk->touched.items[i];
    NameValue value = { .state = otherwise, .branching = branching };
    if (walk->names[touched->name].value.state == NAME_BOUND || touched->bound_by == branches)
      value.state = NAME_BOUND;
    walk->names[touched->name].touched = touched->outer;
    set_value(walk, touched->name, value);
  }
  walk->touched.count = first;
}

static void walk_branch(Walk *walk, PyRef block, size_t first, uint32_t branch)
{
  size_t mark = walk->log.count;
  walk_block(walk, block);
  leave_branch(walk, mark, first, branch);
}

static bool is_break(const ScriptCheck *check, PyRef block)
{
  return script_kind(check, py_first_child(check->tree, block)) == PYK_BREAK_STATEMENT;
}

/// The `if` itself, and each `elif` and `else`, which are nested in a graph.
static void walk_branches(Walk *walk, PyRef node, uint32_t branching)
{
  const PyTree *tree = walk->check->tree;
  size_t first = walk->touched.count;
  uint32_t branches = 1;
  bool has_else = false;
  walk_branch(walk, py_child(tree, node, PY_F_CONSEQUENCE), first, branches);
  for (PY_EACH_CHILD(tree, child, node)) {
    PyNodeKind kind = py_kind(tree, child);
    if (kind != PYK_ELIF_CLAUSE && kind != PYK_ELSE_CLAUSE)
      continue;
    has_else |= kind == PYK_ELSE_CLAUSE;
    read_names(walk, py_child(tree, child, PY_F_CONDITION));
    walk_branch(walk, py_child(tree, child, kind == PYK_ELSE_CLAUSE ? PY_F_BODY : PY_F_CONSEQUENCE), first, ++branches);
  }
  // Of a decided `if` one branch is as if it stood there alone; nobody knows which.
  join(walk, first, branches + !has_else, walk->silent > 0 ? NAME_BOUND : NAME_IN_A_BRANCH, branching);
}

static void walk_if(Walk *walk, PyRef node)
{
  bool is_outermost = walk->depth == 0;
  bool is_decided = script_is_decided_outside(walk->check, node);
  read_names(walk, py_child(walk->check->tree, node, PY_F_CONDITION));
  if (is_break(walk->check, py_child(walk->check->tree, node, PY_F_CONSEQUENCE)))
    return;
  if (is_outermost && !is_decided)
    vec_push(&walk->branchings, (Branching){ .node = node });
  walk->depth++;
  walk->silent += is_decided;
  walk_branches(walk, node, is_outermost && !is_decided ? (uint32_t)walk->branchings.count - 1 : 0);
  walk->silent -= is_decided;
  walk->depth--;
}

static void walk_loop(Walk *walk, PyRef node)
{
  const PyTree *tree = walk->check->tree;
  bool is_for = py_kind(tree, node) == PYK_FOR_STATEMENT;
  size_t first = walk->touched.count;
  read_names(walk, py_child(tree, node, is_for ? PY_F_RIGHT : PY_F_CONDITION));
  size_t mark = walk->log.count;
  if (is_for)
    bind(walk, py_child(tree, node, PY_F_LEFT));
  walk->depth++;
  walk_block(walk, py_child(tree, node, PY_F_BODY));
  walk->depth--;
  leave_branch(walk, mark, first, 1);
  join(walk, first, UINT32_MAX, NAME_IN_A_LOOP, 0);
}

// --- Statements ---

static void walk_assignment(Walk *walk, PyRef node)
{
  const PyTree *tree = walk->check->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  if (!right)
    return;
  read_names(walk, right);
  if (py_kind(tree, left) == PYK_PATTERN_LIST || py_kind(tree, left) == PYK_TUPLE_PATTERN) {
    for (PY_EACH_CHILD(tree, target, left))
      bind(walk, target);
  } else {
    bind(walk, left);
  }
}

static void walk_statement(Walk *walk, PyRef node)
{
  const PyTree *tree = walk->check->tree;
  PyRef first = py_first_child(tree, node);
  switch (py_kind(tree, node)) {
  case PYK_EXPRESSION_STATEMENT:
    if (script_kind(walk->check, first) == PYK_ASSIGNMENT)
      walk_assignment(walk, first);
    break;
  case PYK_RETURN_STATEMENT:
    read_names(walk, first);
    break;
  case PYK_IF_STATEMENT:
    walk_if(walk, node);
    break;
  case PYK_FOR_STATEMENT:
  case PYK_WHILE_STATEMENT:
    walk_loop(walk, node);
    break;
  case PYK_BREAK_STATEMENT:
  case PYK_OTHER:  // A comment.
    break;
  default:
    walk->has_given_up = true;
  }
}

static void walk_block(Walk *walk, PyRef block)
{
  if (walk->depth > PY_NESTING_LIMIT)
    walk->has_given_up = true;
  if (!block)
    return;
  for (PY_EACH_CHILD(walk->check->tree, statement, block)) {
    if (walk->has_given_up)
      return;
    walk_statement(walk, statement);
  }
}

// --- The function ---

static void say_unused_branches(const Walk *walk)
{
  for (size_t i = 1; i < walk->branchings.count; i++) {
    const Branching *branching = &walk->branchings.items[i];
    if (!branching->is_used)
      script_say(walk->check, py_child(walk->check->tree, branching->node, PY_F_CONDITION),
                 "nothing that the branches assign is used after them, so there is nothing to decide");
  }
}

static void bind_parameters(Walk *walk)
{
  const PyModel *model = walk->check->model;
  const PyFunction *function = &model->functions.items[walk->check->function];
  for (uint32_t i = 0; i < function->param_count; i++) {
    Str name = py_model_params(model, function)[i].name;
    uint32_t binding = py_model_lookup(model, walk->check->function, name);
    if (binding != PY_ABSENT)
      set_value(walk, binding, (NameValue){ .state = NAME_BOUND });
  }
}

struct ScriptName *script_names_new(const PyModel *model, Arena *arena)
{
  ScriptName *names = ARENA_ARRAY(arena, ScriptName, model->bindings.count);
  if (model->bindings.count > 0)
    memset(names, 0, model->bindings.count * sizeof(*names));
  return names;
}

void script_check_names(const ScriptCheck *check)
{
  Walk walk = { .check = check, .names = check->names };
  vec_push(&walk.branchings, (Branching){ .is_used = true });
  bind_parameters(&walk);
  walk_block(&walk, check->body);
  if (!walk.has_given_up)
    say_unused_branches(&walk);
  while (walk.log.count > 0) {
    Change change = *vec_last(&walk.log);
    walk.names[change.name] = (ScriptName){ .value = change.before };
    walk.log.count--;
  }
  vec_free(&walk.log);
  vec_free(&walk.touched);
  vec_free(&walk.branchings);
}
