// One expression, or a statement without blocks: names from the left to the right, then what is made of them from the
// inside to the outside (nodes are in pre-order, so that is from the last to the first), then how each is reached.

#include "python/model/interpret.h"

// --- From left to right ---

/// Of `a and b`: `a`, and where that is such an operator itself its `b`, as its `a` was asked before; 0 if `node` is
/// not the right side of one.
static PyRef asked_before(const PyTree *tree, PyRef node)
{
  const PyNode *at = &tree->nodes[node];
  if (py_kind(tree, at->parent) != PYK_BOOLEAN_OPERATOR || at->field != PY_F_RIGHT)
    return 0;
  PyRef left = py_tree_strip(tree, py_child(tree, at->parent, PY_F_LEFT));
  PyRef last = py_kind(tree, left) == PYK_BOOLEAN_OPERATOR ? py_child(tree, left, PY_F_RIGHT) : 0;
  return last ? last : left;
}

static void forget_targets(Interpreter *in, PyRef comprehension)
{
  for (PY_EACH_CHILD(in->tree, child, comprehension)) {
    PyRef left = py_kind(in->tree, child) == PYK_FOR_IN_CLAUSE ? py_child(in->tree, child, PY_F_LEFT) : 0;
    if (left)
      interpret_forget(in, left);
  }
}

/// Of the names in an expression, from the left to the right.
typedef struct Reading {
  Frame inner;         ///< The outermost operator around that asks: what it knows of a name ends with it.
  PyRef inner_end;     ///< 0 while there is none.
  bool has_operators;  ///< Some that decide whether their parts are reached.
  bool has_bound;      ///< Names are bound.
  PyRef asked;         ///< Up to here the left sides of `and` and `or` were searched.
} Reading;

static void open_operator(Interpreter *in, Reading *reading, PyRef node)
{
  reading->inner = (Frame){ .stamp = ++in->stamps };
  interpret_open_branch(in, &reading->inner);
  reading->inner_end = in->tree->nodes[node].next;
  reading->asked = node;
}

/// In `yes if condition else no` the condition is last read as it was before.
static void ask_choice(Interpreter *in, PyRef choice)
{
  PyRef condition = interpret_choice(in->tree, choice).condition;
  if (!condition || (in->meanings.items[choice - in->first].hints & IS_READ))
    return;
  PyRef end = in->tree->nodes[condition].next;
  for (PyRef node = condition; node < end; node++) {
    in->meanings.items[node - in->first] = interpret_leaf(in, node);
    in->meanings.items[node - in->first].hints |= IS_READ;
  }
  interpret_ask(in, condition, end);
}

static void ask_left(Interpreter *in, Reading *reading, PyRef left)
{
  PyRef end = in->tree->nodes[left].next;
  PyRef from = left > reading->asked ? left : reading->asked;
  if (from < end)
    interpret_ask(in, from, end);
  reading->asked = end > reading->asked ? end : reading->asked;
}

/// What a part knows of names because of the parts before it.
static void read_conditions(Interpreter *in, Reading *reading, PyRef node)
{
  PyNodeKind kind = py_kind(in->tree, node);
  PyRef left = asked_before(in->tree, node);
  uint32_t region = in->region;
  in->region = 0;  // Nothing changes by asking.
  if (!reading->inner_end)
    open_operator(in, reading, node);
  if (left)
    ask_left(in, reading, left);
  if (kind == PYK_CONDITIONAL_EXPRESSION)
    ask_choice(in, node);
  in->region = region;
}

static bool is_comprehension(PyNodeKind kind)
{
  return kind == PYK_LIST_COMPREHENSION || kind == PYK_SET_COMPREHENSION || kind == PYK_DICTIONARY_COMPREHENSION ||
         kind == PYK_GENERATOR_EXPRESSION;
}

static Reading read_names(Interpreter *in, PyRef end)
{
  Reading reading = { .asked = in->first };
  memset(in->meanings.items, 0, in->meanings.count * sizeof(*in->meanings.items));
  for (PyRef node = in->first; node < end; node++) {
    if (reading.inner_end && node >= reading.inner_end) {
      interpret_close_branch(in, &reading.inner, NULL);
      reading.inner_end = 0;
    }
    PyNodeKind kind = py_kind(in->tree, node);
    bool is_operator = kind == PYK_BOOLEAN_OPERATOR || kind == PYK_CONDITIONAL_EXPRESSION;
    reading.has_operators |= is_operator;
    reading.has_bound |= in->binding_at[node] != PY_ABSENT;
    if (is_operator || reading.inner_end)
      read_conditions(in, &reading, node);
    if (is_comprehension(kind))
      forget_targets(in, node);
    if (!(in->meanings.items[node - in->first].hints & IS_READ))
      in->meanings.items[node - in->first] = interpret_leaf(in, node);
  }
  if (reading.inner_end)
    interpret_close_branch(in, &reading.inner, NULL);
  return reading;
}

// --- How each part is reached ---

uint32_t interpret_note_passage(Interpreter *in, Passage passage)
{
  const Passage *last = vec_last(&in->flow->passages);
  bool is_same = last->opsets == passage.opsets && last->is_unsure == passage.is_unsure &&
                 last->asks_version == passage.asks_version;
  if (!is_same)
    vec_push(&in->flow->passages, passage);
  return (uint32_t)in->flow->passages.count - 1;
}

/// What the operator around a node adds to how it is reached.
static uint32_t passage_of(Interpreter *in, PyRef node)
{
  const PyNode *at = &in->tree->nodes[node];
  uint32_t around = in->flow->reached[at->parent];
  Passage passage = in->flow->passages.items[around];
  if (py_kind(in->tree, at->parent) == PYK_BOOLEAN_OPERATOR) {
    bool is_left = at->field == PY_F_LEFT;
    Meaning other = interpret_child(in, at->parent, is_left ? PY_F_RIGHT : PY_F_LEFT);
    if (at->field == PY_F_RIGHT)
      passage = interpret_pass(passage, other, interpret_is_and(in->tree, at->parent));
    passage.asks_version |= (other.hints & ASKS_VERSION) != 0;
    return interpret_note_passage(in, passage);
  }
  if (py_kind(in->tree, at->parent) != PYK_CONDITIONAL_EXPRESSION)
    return around;
  Choice choice = interpret_choice(in->tree, at->parent);
  if (!choice.no || node == choice.condition)
    return around;
  return interpret_note_passage(in,
                                interpret_pass(passage, interpret_meaning(in, choice.condition), node == choice.yes));
}

// --- What is bound ---

/// `a, b = value`: what the name gets of it.
static Meaning of_unpacked(const Interpreter *in, const PyBinding *binding)
{
  PyRef value = py_tree_strip(in->tree, binding->value);
  PyNodeKind kind = py_kind(in->tree, value);
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_EXPRESSION_LIST)
    return meaning_of(value_element(in->flow->values[value]));
  uint32_t position = 0;
  for (PyRef item = py_tree_first_element(in->tree, value); item; item = py_tree_next_element(in->tree, item)) {
    if (interpret_is_splat(in->tree, item))
      break;
    if (position++ == binding->unpack)
      return interpret_meaning(in, item);
  }
  return meaning_unknown;
}

static Meaning of_bound(const Interpreter *in, const PyBinding *binding)
{
  PyRef parent = in->tree->nodes[binding->node].parent;
  switch (binding->kind) {
  case PY_BIND_ASSIGN:
    return binding->value ? interpret_meaning(in, binding->value) : meaning_unknown;
  case PY_BIND_FUNCTION:
    return meaning_of(value_make(PY_FUNCTION));
  case PY_BIND_OTHER:
    if (!binding->value)
      return meaning_unknown;
    if (binding->unpack != PY_ABSENT)
      return of_unpacked(in, binding);
    if (py_kind(in->tree, parent) == PYK_FOR_STATEMENT)
      return meaning_of(value_element(in->flow->values[binding->value]));
    return meaning_unknown;
  default:
    return meaning_unknown;
  }
}

static void bind_names(Interpreter *in, PyRef node)
{
  for (PyRef at = node; at < in->tree->nodes[node].next; at++) {
    uint32_t index = in->binding_at[at];
    if (index == PY_ABSENT || in->model->bindings.items[index].kind == PY_BIND_PARAM)
      continue;
    interpret_assign(in, interpret_bound_slot(in, at), of_bound(in, &in->model->bindings.items[index]));
  }
}

void interpret_expression(Interpreter *in, PyRef node)
{
  PyRef end = in->tree->nodes[node].next;
  in->first = node;
  vec_reserve(&in->meanings, end - node);
  in->meanings.count = end - node;
  Reading reading = read_names(in, end);
  for (PyRef at = end; at-- > node;) {
    uint32_t hints = in->meanings.items[at - node].hints;
    Meaning meaning = interpret_inner(in, at);
    meaning.hints |= hints & (ASKS_OPSET | ASKS_VERSION);
    in->meanings.items[at - node] = meaning;
    in->flow->values[at] = meaning.value;
    if (at > node)
      in->meanings.items[in->tree->nodes[at].parent - node].hints |= meaning.hints & (ASKS_OPSET | ASKS_VERSION);
  }
  if (in->function != PY_ABSENT)
    in->results[in->function].hints |= in->meanings.items[0].hints;
  in->flow->reached[node] = in->passage;
  for (PyRef at = node + 1; at < end; at++)
    in->flow->reached[at] = reading.has_operators ? passage_of(in, at) : in->passage;
  if (reading.has_bound)
    bind_names(in, node);
}
