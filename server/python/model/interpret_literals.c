// Conditions about what never changes while a function is run: the literals that all calls of a helper pass, and
// comparisons that were true only where it is left.

#include "python/model/interpret.h"

// --- Literals ---

typedef enum LiteralKind {
  LITERAL_UNKNOWN,
  LITERAL_NONE,
  LITERAL_BOOL,
  LITERAL_INT,
  LITERAL_TEXT,
} LiteralKind;

typedef struct Literal {
  LiteralKind kind;
  int64_t number;
  Str text;
} Literal;

typedef enum Answer {
  ANSWER_UNKNOWN,
  ANSWER_YES,
  ANSWER_NO,
} Answer;

static Answer answer(bool is_so)
{
  return is_so ? ANSWER_YES : ANSWER_NO;
}

static Answer opposite(Answer to)
{
  return to == ANSWER_UNKNOWN ? to : answer(to == ANSWER_NO);
}

/// A text in one pair of quotes, with nothing in it that means something else.
static Literal literal_text(Str text)
{
  Literal unknown_text = { 0 };
  if (text.len < 2 || (text.data[0] != '"' && text.data[0] != '\''))
    return unknown_text;
  Str inner = str_slice(text, 1, text.len - 1);
  bool is_plain =
      str_find_char(inner, '\\', 0) == STR_NOT_FOUND && str_find_char(inner, text.data[0], 0) == STR_NOT_FOUND;
  return is_plain ? (Literal){ .kind = LITERAL_TEXT, .text = inner } : unknown_text;
}

static Literal read_literal(const Interpreter *in, PyRef node)
{
  Literal literal = { 0 };
  PyNodeKind kind = node ? py_kind(in->tree, node) : PYK_ERROR;
  PyRef digits = kind == PYK_UNARY_OPERATOR ? py_child(in->tree, node, PY_F_ARGUMENT) : kind == PYK_INTEGER ? node : 0;
  if (node && py_text(in->tree, node).len > PY_LITERAL_LIMIT)
    return literal;
  if (kind == PYK_STRING)
    return literal_text(py_text(in->tree, node));
  if (kind == PYK_NONE)
    literal.kind = LITERAL_NONE;
  if (kind == PYK_TRUE || kind == PYK_FALSE)
    literal = (Literal){ .kind = LITERAL_BOOL, .number = kind == PYK_TRUE };
  if (digits && py_kind(in->tree, digits) == PYK_INTEGER && py_model_int(in->model, node, &literal.number))
    literal.kind = LITERAL_INT;
  return literal;
}

static PyRef written_literal(const Interpreter *in, PyRef node)
{
  PyRef found = node ? py_model_resolve(in->model, node) : 0;
  return read_literal(in, found).kind == LITERAL_UNKNOWN ? 0 : found;
}

static bool is_number(Literal literal)
{
  return literal.kind == LITERAL_BOOL || literal.kind == LITERAL_INT;
}

static Answer are_equal(Literal a, Literal b)
{
  if (a.kind == LITERAL_UNKNOWN || b.kind == LITERAL_UNKNOWN)
    return ANSWER_UNKNOWN;
  if (is_number(a) && is_number(b))
    return answer(a.number == b.number);
  return answer(a.kind == b.kind && (a.kind == LITERAL_NONE || str_equal(a.text, b.text)));
}

/// `is`: of numbers and texts only Python knows which are one object.
static Answer are_same(Literal a, Literal b)
{
  if (a.kind == LITERAL_UNKNOWN || b.kind == LITERAL_UNKNOWN)
    return ANSWER_UNKNOWN;
  if (a.kind != b.kind)
    return ANSWER_NO;
  return a.kind == LITERAL_NONE || a.kind == LITERAL_BOOL ? answer(a.number == b.number) : ANSWER_UNKNOWN;
}

static Answer is_true(Literal literal)
{
  return literal.kind == LITERAL_UNKNOWN ? ANSWER_UNKNOWN
         : literal.kind == LITERAL_TEXT  ? answer(literal.text.len > 0)
                                         : answer(literal.number != 0);
}

// --- What calls pass ---

/// Whether nothing but the calls that are in sight runs the function: its name is its file's own, and not taken.
static bool is_private(const Interpreter *in, const PyFunction *function)
{
  if (function->parent != PY_ABSENT || function->class_node || !str_starts_with(function->name, STR("_")) ||
      function->parse_args != PY_ABSENT || function->first_decoration != PY_ABSENT || !function->name_node)
    return false;
  uint32_t slot = interpret_bound_slot(in, function->name_node);
  return !in->slots[slot].is_taken && in->model->bindings.items[slot].next == PY_ABSENT;
}

/// Whether it, or a function in it, makes nodes of a graph.
static bool is_symbolic(const Interpreter *in, uint32_t index)
{
  const uint32_t roles = PY_ROLE_REGISTERED | PY_ROLE_HELPER | PY_ROLE_AUTOGRAD;
  const PyModel *model = in->model;
  PyRef end = in->tree->nodes[model->functions.items[index].node].next;
  for (uint32_t i = index; i < model->functions.count && model->functions.items[i].node < end; i++) {
    if ((model->functions.items[i].roles & roles) || in->file->shaped_functions[i])
      return true;
  }
  return false;
}

static bool is_equal_row(const Interpreter *in, const PyRef *a, const PyRef *b)
{
  bool is_equal = true;
  for (uint32_t i = 0; i < in->rows.param_count && is_equal; i++) {
    Literal left = read_literal(in, a[i]);
    Literal right = read_literal(in, b[i]);
    is_equal = left.kind == right.kind && (left.kind == LITERAL_UNKNOWN || are_equal(left, right) == ANSWER_YES);
  }
  return is_equal;
}

/// One more row; if there are as many as count, the last one stands for both.
static void add_row(Interpreter *in, const PyRef *literals)
{
  CallRows *rows = &in->rows;
  for (uint32_t i = 0; i < rows->count; i++) {
    if (is_equal_row(in, rows->literals[i], literals))
      return;
  }
  if (rows->count < PY_CALL_KIND_LIMIT) {
    memcpy(rows->literals[rows->count++], literals, rows->param_count * sizeof(*literals));
    return;
  }
  PyRef *last = rows->literals[PY_CALL_KIND_LIMIT - 1];
  for (uint32_t i = 0; i < rows->param_count; i++) {
    if (are_equal(read_literal(in, last[i]), read_literal(in, literals[i])) != ANSWER_YES)
      last[i] = 0;
  }
}

void interpret_note_rows(Interpreter *in, uint32_t index)
{
  const PyModel *model = in->model;
  const PyFunction *function = &model->functions.items[index];
  CallRows *rows = &in->rows;
  rows->function = PY_ABSENT;
  rows->first_param = function->first_param;
  rows->param_count = function->param_count;
  rows->count = 0;
  if (!is_private(in, function) || !is_symbolic(in, index))
    return;
  int count = 0;
  for (uint32_t at = function->first_call; at != PY_ABSENT; at = model->calls.items[at].next) {
    const PyCall *call = &model->calls.items[at];
    PyRef literals[PY_HEAD_FIX_PARAMS] = { 0 };
    if (count++ == PY_CALLER_LIMIT || call->has_splat || call->has_dictionary_splat)
      return;
    for (uint32_t i = 0; i < function->param_count; i++) {
      const PyParam *param = &py_model_params(model, function)[i];
      const PyArgument *argument = py_model_argument_of(model, call, i, param->name);
      bool is_plain = param->kind != PY_PARAM_ARGS && param->kind != PY_PARAM_KWARGS;
      literals[i] = is_plain ? written_literal(in, argument ? argument->value : param->default_value) : 0;
    }
    add_row(in, literals);
  }
  rows->function = index;
}

static void note_answer(Meaning *meaning, uint32_t row, Answer to)
{
  if (to == ANSWER_YES)
    meaning->true_at |= (CallSet)(1U << row);
  if (to == ANSWER_NO)
    meaning->false_at |= (CallSet)(1U << row);
}

void interpret_pass_literals(const Interpreter *in, uint32_t param, Meaning *meaning)
{
  bool any = false;
  if (in->slots[interpret_bound(in, in->model->params.items[param].name_node)].is_global)
    return;
  for (uint32_t row = 0; row < in->rows.count; row++) {
    PyRef literal = in->rows.literals[row][param - in->rows.first_param];
    any |= literal != 0;
    note_answer(meaning, row, is_true(read_literal(in, literal)));
  }
  if (!any)
    return;
  meaning->hints |= IS_PASSED;
  meaning->number = param;
}

// --- Comparisons ---

/// `passed in ("a", "b")`
static Answer is_among(const Interpreter *in, Literal passed, PyRef list)
{
  PyNodeKind kind = py_kind(in->tree, list);
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_SET)
    return ANSWER_UNKNOWN;
  Answer any = ANSWER_NO;
  int count = 0;
  for (PY_EACH_ELEMENT(in->tree, item, list)) {
    Answer same = count++ == PY_CALL_KIND_LIMIT ? ANSWER_UNKNOWN : are_equal(passed, read_literal(in, item));
    if (same == ANSWER_YES || count > PY_CALL_KIND_LIMIT)
      return same;
    any = same == ANSWER_UNKNOWN ? same : any;
  }
  return any;
}

/// `other` is what is written out.
static Answer compare(const Interpreter *in, Literal passed, Str op, PyRef other)
{
  if (str_equal(op, STR("in")) || str_equal(op, STR("not in"))) {
    Answer among = is_among(in, passed, other);
    return op.len == 2 ? among : opposite(among);
  }
  Literal literal = read_literal(in, other);
  if (str_equal(op, STR("==")) || str_equal(op, STR("!="))) {
    Answer equal = are_equal(passed, literal);
    return op.data[0] == '=' ? equal : opposite(equal);
  }
  if (str_equal(op, STR("is")) || str_equal(op, STR("is not"))) {
    Answer same = are_same(passed, literal);
    return op.len == 2 ? same : opposite(same);
  }
  return ANSWER_UNKNOWN;
}

void interpret_compare_literals(const Interpreter *in, PyRef comparison, Meaning *meaning)
{
  if (in->rows.function == PY_ABSENT)
    return;
  PyComparison at = py_tree_comparison(in->tree, comparison);
  if (!at.right)
    return;
  Str op = py_text(in->tree, at.sign);
  Meaning passed = interpret_meaning(in, at.left);
  PyRef other = at.right;
  if (!(passed.hints & IS_PASSED) && !str_ends_with(op, STR("in"))) {
    passed = interpret_meaning(in, at.right);
    other = at.left;
  }
  // A parameter of another function can't come this far; if it does, nothing is known of it.
  uint64_t param = (uint64_t)passed.number - in->rows.first_param;
  if (!(passed.hints & IS_PASSED) || param >= in->rows.param_count)
    return;
  other = py_model_resolve(in->model, other);
  for (uint32_t row = 0; row < in->rows.count; row++) {
    PyRef literal = in->rows.literals[row][param];
    note_answer(meaning, row, compare(in, read_literal(in, literal), op, other));
  }
}

// --- Conditions that can't be true any more ---

/// `condition and always`, where the other side is true anyway: what that is; else the whole.
PyRef interpret_left_if(const Interpreter *in, PyRef condition)
{
  const PyTree *tree = in->tree;
  PyRef node = py_tree_strip(tree, condition);
  for (int i = 0; py_kind(tree, node) == PYK_BOOLEAN_OPERATOR && i < PY_RULED_OUT_LIMIT; i++) {
    PyRef left = py_child(tree, node, PY_F_LEFT);
    PyRef right = py_child(tree, node, PY_F_RIGHT);
    if (!left || !right || !interpret_is_and(tree, node))
      return 0;
    bool left_is_true = interpret_pass(in->at, interpret_meaning(in, left), false).opsets == 0;
    bool right_is_true = interpret_pass(in->at, interpret_meaning(in, right), false).opsets == 0;
    if (!left_is_true && !right_is_true)
      return 0;
    node = py_tree_strip(tree, left_is_true ? right : left);
  }
  return py_kind(tree, node) == PYK_COMPARISON_OPERATOR ? node : 0;
}

/// Whether it is the same each time that the function, or a body of a loop, asks: of names that are bound once, and of
/// their lengths.
static bool is_steady(const Interpreter *in, PyRef comparison)
{
  const PyTree *tree = in->tree;
  PyRef end = tree->nodes[comparison].next;
  for (PyRef at = comparison; at < end; at++) {
    PyNodeKind kind = py_kind(tree, at);
    PyRef called = kind == PYK_CALL ? py_child(tree, at, PY_F_FUNCTION) : 0;
    if (kind == PYK_ATTRIBUTE || kind == PYK_LAMBDA || kind == PYK_NAMED_EXPRESSION || kind == PYK_AWAIT ||
        kind == PYK_YIELD || (kind == PYK_CALL && (!called || !str_equal(py_text(tree, called), STR("len")))))
      return false;
    if (kind != PYK_IDENTIFIER)
      continue;
    uint32_t slot = interpret_slot(in, at);
    const PyBinding *binding = slot == PY_ABSENT ? NULL : &in->model->bindings.items[slot];
    bool is_builtin = !binding && tree->nodes[at].field == PY_F_FUNCTION;
    if (!is_builtin && (!binding || binding->next != PY_ABSENT || binding->is_changed))
      return false;
  }
  return true;
}

bool interpret_is_ruled_out(const Interpreter *in, PyRef comparison)
{
  Str text = py_text(in->tree, comparison);
  size_t count = in->ruled_out.count;
  if (in->tree->nodes[comparison].next - comparison > PY_STEADY_NODES)
    return false;
  for (size_t i = 0; i < PY_RULED_OUT_LIMIT && i < count; i++) {
    const RuledOut *out = &in->ruled_out.items[count - 1 - i];
    if (out->function == in->function && str_equal(py_text(in->tree, out->condition), text))
      return is_steady(in, comparison);
  }
  return false;
}
