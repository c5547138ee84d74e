// One expression, or a statement without blocks: names from the left to the right, then what is made of them from the
// inside to the outside (nodes are in pre-order, so that is from the last to the first), then how each is reached.

#include "base/limits.h"
#include "python/model/interpret.h"

static Meaning of_value(PyValue value)
{
  Meaning meaning = meaning_unknown;
  meaning.value = value;
  return meaning;
}

static Meaning child_meaning(const Interpreter *in, PyRef node, PyField field)
{
  PyRef child = py_child(in->tree, node, field);
  return child ? interpret_meaning(in, child) : meaning_unknown;
}

static PyValue child_value(const Interpreter *in, PyRef node, PyField field)
{
  return child_meaning(in, node, field).value;
}

/// `*x` or `**x`: it stands for any number of elements.
static bool is_splat(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_LIST_SPLAT || py_kind(tree, node) == PYK_DICTIONARY_SPLAT;
}

// --- Names and literals ---

/// Whether the identifier is a name whose value is taken, and no member, keyword or target.
static bool is_used(const Interpreter *in, PyRef node)
{
  const PyNode *at = &in->tree->nodes[node];
  PyNodeKind parent = py_kind(in->tree, at->parent);
  if (in->binding_at[node] != PY_ABSENT)
    return false;
  return !(parent == PYK_ATTRIBUTE && at->field == PY_F_ATTRIBUTE) &&
         !(parent == PYK_KEYWORD_ARGUMENT && at->field == PY_F_NAME);
}

static bool is_lambda_parameter(const Interpreter *in, PyRef node)
{
  uint32_t function = in->model->bindings.items[in->binding_at[node]].scope;
  return py_kind(in->tree, in->model->functions.items[function].node) == PYK_LAMBDA;
}

static Meaning of_identifier(Interpreter *in, PyRef node)
{
  uint32_t hints = interpret_hints(py_text(in->tree, node));
  uint32_t bound = in->binding_at[node];
  Meaning meaning = meaning_unknown;
  if (bound != PY_ABSENT && in->model->bindings.items[bound].kind == PY_BIND_PARAM && is_lambda_parameter(in, node))
    interpret_assign(in, bound, of_value(interpret_parameter(in, &in->model->bindings.items[bound])));
  if (is_used(in, node)) {
    uint32_t slot = interpret_slot(in, node);
    bool is_foreign =
        slot == PY_ABSENT ? in->model->star_imports.count > 0 : in->model->bindings.items[slot].kind == PY_BIND_IMPORT;
    meaning = is_foreign ? of_value(value_of_qualified(in->model, node)) : interpret_name(in, node);
  }
  meaning.hints |= hints;
  return meaning;
}

static Meaning of_integer(const Interpreter *in, PyRef node)
{
  Meaning meaning = of_value(value_make(PY_INT));
  if (py_model_int(in->model, node, &meaning.number))
    meaning.hints |= HAS_NUMBER;
  return meaning;
}

static Meaning of_leaf(Interpreter *in, PyRef node)
{
  switch (py_kind(in->tree, node)) {
  case PYK_IDENTIFIER:
    return of_identifier(in, node);
  case PYK_INTEGER:
    return of_integer(in, node);
  case PYK_FLOAT:
    return of_value(value_make(PY_FLOAT));
  case PYK_TRUE:
  case PYK_FALSE:
    return of_value(value_make(PY_BOOL));
  case PYK_NONE:
    return of_value(value_make(PY_NONE));
  case PYK_STRING: {  // `config["opset_version"]`
    Meaning meaning = of_value(value_make(PY_STRING));
    meaning.hints = interpret_hints(py_text(in->tree, node));
    return meaning;
  }
  default:
    return meaning_unknown;
  }
}

// --- Conditions ---

static bool is_and(const PyTree *tree, PyRef operator)
{
  PyRef sign = py_child(tree, operator, PY_F_OPERATOR);
  return sign && str_equal(py_text(tree, sign), STR("and"));
}

static Meaning of_boolean(const Interpreter *in, PyRef node)
{
  Meaning left = child_meaning(in, node, PY_F_LEFT);
  Meaning right = child_meaning(in, node, PY_F_RIGHT);
  Meaning meaning = of_value(value_join(left.value, right.value));
  bool both = is_and(in->tree, node);
  meaning.yes = both ? left.yes & right.yes : left.yes | right.yes;
  meaning.no = both ? left.no | right.no : left.no & right.no;
  return meaning;
}

static Meaning of_not(const Interpreter *in, PyRef node)
{
  Meaning inner = child_meaning(in, node, PY_F_ARGUMENT);
  Meaning meaning = of_value(value_make(PY_BOOL));
  meaning.yes = inner.no;
  meaning.no = inner.yes;
  return meaning;
}

/// `yes if condition else no`
typedef struct Choice {
  PyRef yes, condition, no;
} Choice;

static Choice choice_of(const PyTree *tree, PyRef expression)
{
  PyRef yes = py_first_child(tree, expression);
  PyRef condition = yes ? py_next_sibling(tree, yes) : 0;
  return (Choice){ yes, condition, condition ? py_next_sibling(tree, condition) : 0 };
}

static Meaning of_choice(const Interpreter *in, PyRef node)
{
  Choice choice = choice_of(in->tree, node);
  return choice.no ? meaning_join(interpret_meaning(in, choice.yes), interpret_meaning(in, choice.no))
                   : meaning_unknown;
}

// --- Operators ---

static PyValue of_sequence(const Interpreter *in, PyRef node)
{
  uint32_t elements = 0;
  int length = 0;
  bool is_sure = true;
  for (PyRef item = py_tree_first_element(in->tree, node); item; item = py_tree_next_element(in->tree, item)) {
    if (++length > PY_ELEMENT_LIMIT || is_splat(in->tree, item))
      return value_list(0, -1);
    PyValue value = interpret_meaning(in, item).value;
    is_sure &= value.kinds != 0;
    elements |= value.kinds;
  }
  return value_list(is_sure ? elements : 0, length);
}

static bool is_numeric(PyValue value)
{
  return py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL);
}

static PyValue of_lists(PyValue left, PyValue right)
{
  PyValue joined = value_join(left, right);
  joined.length = left.length >= 0 && right.length >= 0 ? left.length + right.length : -1;
  if (left.length == 0)
    joined.elements = right.elements;
  if (right.length == 0)
    joined.elements = left.elements;
  return joined;
}

static PyValue of_binary(const Interpreter *in, PyRef node)
{
  PyRef sign = py_child(in->tree, node, PY_F_OPERATOR);
  PyValue left = child_value(in, node, PY_F_LEFT);
  PyValue right = child_value(in, node, PY_F_RIGHT);
  Str op = sign ? py_text(in->tree, sign) : (Str){ 0 };
  bool is_plus = str_equal(op, STR("+"));
  if (py_file_is_only(left, PY_STRING) && (is_plus || str_equal(op, STR("%"))))
    return value_make(PY_STRING);
  if (is_plus && py_file_is_only(left, PY_LIST) && py_file_is_only(right, PY_LIST))
    return of_lists(left, right);
  if (py_file_is_only(left, PY_LIST) && str_equal(op, STR("*")))
    return value_list(left.elements, -1);
  if (!is_numeric(left) || !is_numeric(right))
    return unknown;
  if (str_equal(op, STR("/")))
    return value_make(PY_FLOAT);
  if (str_equal(op, STR("**")))
    return value_make(PY_INT | PY_FLOAT);
  uint32_t kinds = (left.kinds | right.kinds) & (PY_INT | PY_FLOAT);
  return value_make(kinds != 0 ? kinds : PY_INT);
}

static Meaning of_unary(const Interpreter *in, PyRef node)
{
  PyRef sign = py_child(in->tree, node, PY_F_OPERATOR);
  Meaning inner = child_meaning(in, node, PY_F_ARGUMENT);
  Meaning meaning = of_value(is_numeric(inner.value) ? inner.value : unknown);
  if ((inner.hints & HAS_NUMBER) && sign && str_equal(py_text(in->tree, sign), STR("-"))) {
    meaning.hints = HAS_NUMBER;
    meaning.number = -inner.number;
  }
  return meaning;
}

static PyValue of_subscript(const Interpreter *in, PyRef node)
{
  PyRef index = py_child(in->tree, node, PY_F_SUBSCRIPT);
  PyValue value = child_value(in, node, PY_F_VALUE);
  if (!index || !py_file_is_only(value, PY_LIST))
    return unknown;
  return py_kind(in->tree, index) == PYK_SLICE ? value_list(value.elements, -1) : value_element(value);
}

/// A chain `a.b.c` is asked about once, at its end.
static Meaning of_attribute(const Interpreter *in, PyRef node)
{
  static const char *const opsets[] = { "opset", "export_onnx_opset_version", "_export_onnx_opset_version" };
  const PyNode *at = &in->tree->nodes[node];
  PyRef name = py_child(in->tree, node, PY_F_ATTRIBUTE);
  static const char *const methods[] = { "type", "node", "uses", "toIValue", "setType", "debugName" };
  bool is_called = at->field == PY_F_FUNCTION;
  Meaning meaning = meaning_unknown;
  if (name && str_is_one_of(py_text(in->tree, name), opsets, COUNT(opsets)))
    meaning.hints = IS_OPSET;
  else if (name && !is_called && py_file_is_only(child_value(in, node, PY_F_OBJECT), PY_VALUE) &&
           str_is_one_of(py_text(in->tree, name), methods, COUNT(methods)))
    meaning.value = value_make(PY_FUNCTION);
  else if (at->field != PY_F_OBJECT && !is_called)
    meaning.value = value_of_qualified(in->model, node);
  return meaning;
}

static Meaning of_call(const Interpreter *in, PyRef node)
{
  Meaning meaning = meaning_unknown;
  meaning.value = interpret_call(in, node, &meaning.hints);
  uint32_t call = py_model_call_at(in->model, node);
  // No torch package has been built with Caffe2 since 1.13.
  if (call != PY_ABSENT && str_ends_with(in->model->calls.items[call].qualified, STR("is_caffe2_aten_fallback")))
    meaning.yes = 0;
  return meaning;
}

static Meaning of_lambda(Interpreter *in, PyRef node)
{
  uint32_t function = py_model_function_at(in->model, node);
  if (function != PY_ABSENT)
    in->results[function] = (Result){ .meaning = child_meaning(in, node, PY_F_BODY), .is_done = true };
  return of_value(value_make(PY_FUNCTION));
}

/// Of a node whose children are known.
static Meaning of_inner(Interpreter *in, PyRef node)
{
  switch (py_kind(in->tree, node)) {
  case PYK_PARENTHESIZED_EXPRESSION: {
    PyRef inner = py_first_child(in->tree, node);
    return inner ? interpret_meaning(in, inner) : meaning_unknown;
  }
  case PYK_CONCATENATED_STRING:
    return of_value(value_make(PY_STRING));
  case PYK_DICTIONARY:
  case PYK_DICTIONARY_COMPREHENSION:
    return of_value(value_make(PY_DICT));
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_EXPRESSION_LIST:
    return of_value(of_sequence(in, node));
  case PYK_LIST_COMPREHENSION:
    return of_value(value_list(child_value(in, node, PY_F_BODY).kinds, -1));
  case PYK_UNARY_OPERATOR:
    return of_unary(in, node);
  case PYK_BINARY_OPERATOR:
    return of_value(of_binary(in, node));
  case PYK_BOOLEAN_OPERATOR:
    return of_boolean(in, node);
  case PYK_NOT_OPERATOR:
    return of_not(in, node);
  case PYK_COMPARISON_OPERATOR:
    return interpret_comparison(in, node);
  case PYK_CONDITIONAL_EXPRESSION:
    return of_choice(in, node);
  case PYK_NAMED_EXPRESSION:
    return child_meaning(in, node, PY_F_VALUE);
  case PYK_ASSIGNMENT:
    return child_meaning(in, node, PY_F_RIGHT);
  case PYK_CALL:
    return of_call(in, node);
  case PYK_SUBSCRIPT:
    return of_value(of_subscript(in, node));
  case PYK_ATTRIBUTE:
    return of_attribute(in, node);
  case PYK_LAMBDA:
    return of_lambda(in, node);
  default:
    return interpret_meaning(in, node);
  }
}

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
  PyRef condition = choice_of(in->tree, choice).condition;
  if (!condition || (in->meanings.items[choice - in->first].hints & IS_READ))
    return;
  PyRef end = in->tree->nodes[condition].next;
  for (PyRef node = condition; node < end; node++) {
    in->meanings.items[node - in->first] = of_leaf(in, node);
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
      in->meanings.items[node - in->first] = of_leaf(in, node);
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
    Meaning other = child_meaning(in, at->parent, is_left ? PY_F_RIGHT : PY_F_LEFT);
    if (at->field == PY_F_RIGHT)
      passage = interpret_pass(passage, other, is_and(in->tree, at->parent));
    passage.asks_version |= (other.hints & ASKS_VERSION) != 0;
    return interpret_note_passage(in, passage);
  }
  if (py_kind(in->tree, at->parent) != PYK_CONDITIONAL_EXPRESSION)
    return around;
  Choice choice = choice_of(in->tree, at->parent);
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
    return of_value(value_element(in->flow->values[value]));
  uint32_t position = 0;
  for (PyRef item = py_tree_first_element(in->tree, value); item; item = py_tree_next_element(in->tree, item)) {
    if (is_splat(in->tree, item))
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
    return of_value(value_make(PY_FUNCTION));
  case PY_BIND_OTHER:
    if (!binding->value)
      return meaning_unknown;
    if (binding->unpack != PY_ABSENT)
      return of_unpacked(in, binding);
    if (py_kind(in->tree, parent) == PYK_FOR_STATEMENT)
      return of_value(value_element(in->flow->values[binding->value]));
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
    Meaning meaning = of_inner(in, at);
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
