// One expression, or a statement without blocks: names from the left to the right, then what is made of them from the
// inside to the outside (nodes are in pre-order, so that is from the last to the first), then how each is reached.

#include "base/limits.h"
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

/// Of the names in an expression, from the left to the right.
typedef struct Reading {
  Frame inner;              ///< The outermost operator around that asks: what it knows of a name ends with it.
  PyRef inner_end;          ///< 0 while there is none.
  bool has_operators;       ///< Some that decide whether their parts are reached.
  bool has_comprehensions;  ///< Or lambdas that are applied to elements.
  PyRef asked;              ///< Up to here the left sides of `and` and `or` were searched.
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
  PyRef condition = py_tree_choice(in->tree, choice).condition;
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
    in->has_bound |= sparse_has(&in->bound_nodes, node);
    if (is_operator || reading.inner_end)
      read_conditions(in, &reading, node);
    reading.has_comprehensions |= kind == PYK_LAMBDA && interpret_is_applied(in, node);
    if (py_kind_is_comprehension(kind)) {
      reading.has_comprehensions = true;
      interpret_bind_comprehension(in, node);
    }
    if (!(in->meanings.items[node - in->first].hints & IS_READ))
      in->meanings.items[node - in->first] = interpret_leaf(in, node);
  }
  if (reading.inner_end)
    interpret_close_branch(in, &reading.inner, NULL);
  return reading;
}

// --- How each part is reached ---

static bool is_same_passage(const Passage *a, const Passage *b)
{
  return a->opsets == b->opsets && a->is_unsure == b->is_unsure && a->asks_version == b->asks_version;
}

uint16_t interpret_note_passage(Interpreter *in, Passage passage)
{
  struct PyFlow *flow = in->flow;
  uint64_t hash = (passage.opsets * 2 + passage.is_unsure) * 2 + passage.asks_version;
  uint16_t *noted = &in->noted[hash * UINT64_C(0x9E3779B97F4A7C15) >> 58];
  if (!is_same_passage(&flow->passages.items[*noted], &passage)) {
    if (flow->passages.count == PY_STATE_LIMIT) {
      flow->is_full = true;
      return PASSAGE_UNKNOWN;
    }
    *noted = (uint16_t)flow->passages.count;
    vec_push(&flow->passages, passage);
  }
  return *noted;
}

static uint16_t index_of_value(Interpreter *in, PyValue value)
{
  struct PyFlow *flow = in->flow;
  uint32_t hash = (value.kinds * 31 + value.elements) * 31 + (uint32_t)value.length;
  uint16_t *kept = &in->kept[hash * UINT32_C(0x9E3779B1) >> 26];
  const PyValue *met = &flow->values.items[*kept];
  if (met->kinds != value.kinds || met->elements != value.elements || met->length != value.length) {
    if (flow->values.count == PY_STATE_LIMIT) {
      flow->is_full = true;
      return 0;
    }
    *kept = (uint16_t)flow->values.count;
    vec_push(&flow->values, value);
  }
  return *kept;
}

/// Keeps what is known of the node.
static void keep_value(Interpreter *in, PyRef node, PyValue value)
{
  bool is_unknown = value.kinds == 0 && value.elements == 0;
  in->flow->value_at[node] = is_unknown ? 0 : index_of_value(in, value);
}

/// Keeps what a name was made of, where its bindings alone don't tell.
static void keep_made(Interpreter *in, PyRef node, PyRef made)
{
  const PyBinding *binding = made && py_kind(in->tree, node) == PYK_IDENTIFIER && !sparse_has(&in->bound_nodes, node)
                                 ? py_model_binding_at(in->model, node)
                                 : NULL;
  if (binding && binding->next != PY_ABSENT && !binding->is_changed)
    vec_push(&in->flow->made, ((Made){ node, made }));
}

/// What the operator around a node adds to how it is reached.
static uint32_t passage_of(Interpreter *in, PyRef node)
{
  const PyNode *at = &in->tree->nodes[node];
  uint32_t around = in->flow->reached[at->parent];
  Passage passage = in->flow->passages.items[around];
  passage.without = in->at.without;
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
  PyChoice choice = py_tree_choice(in->tree, at->parent);
  if (!choice.no || node == choice.condition)
    return around;
  return interpret_note_passage(in,
                                interpret_pass(passage, interpret_meaning(in, choice.condition), node == choice.yes));
}

/// How each part of the expression is reached: without operators that decide it, like the whole.
static void note_reached(Interpreter *in, PyRef node, bool has_operators)
{
  uint16_t *reached = in->flow->reached;
  PyRef end = in->tree->nodes[node].next;
  reached[node] = in->passage;
  for (PyRef at = node + 1; at < end; at++)
    reached[at] = has_operators ? passage_of(in, at) : reached[node];
}

/// Of these interpret_leaf() says all.
static bool is_leaf(PyNodeKind kind)
{
  return kind == PYK_IDENTIFIER || kind == PYK_STRING || kind == PYK_OPERATOR || kind == PYK_INTEGER;
}

/// Evaluates everything in it; true if a second time would know more: what comprehensions go through.
static bool evaluate(Interpreter *in, PyRef node)
{
  PyRef end = in->tree->nodes[node].next;
  in->first = node;
  vec_reserve(&in->meanings, end - node);
  in->meanings.count = end - node;
  Reading reading = read_names(in, end);
  for (PyRef at = end; at-- > node;) {
    Meaning *meaning = &in->meanings.items[at - node];
    if (!is_leaf(py_kind(in->tree, at))) {
      uint32_t hints = meaning->hints;
      *meaning = interpret_inner(in, at);
      meaning->hints |= hints & SPREADING_HINTS;
    }
    keep_value(in, at, meaning->value);
    keep_made(in, at, meaning->made);
    if (at > node && (meaning->hints & SPREADING_HINTS))
      in->meanings.items[in->tree->nodes[at].parent - node].hints |= meaning->hints & SPREADING_HINTS;
  }
  if (in->function != PY_ABSENT)
    in->results[in->function].hints |= in->meanings.items[0].hints;
  note_reached(in, node, reading.has_operators);
  return reading.has_comprehensions;
}

void interpret_expression(Interpreter *in, PyRef node)
{
  in->has_bound = in->has_changed = false;
  if (evaluate(in, node))
    evaluate(in, node);
  interpret_bind(in, node);
}
