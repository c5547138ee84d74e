// Evaluates a condition on a small stack, with three truth values.

#include <math.h>
#include <string.h>

#include "base/buffer.h"
#include "outcome/outcome.h"

const ArgumentFacts argument_unknown = {
  .is_const = TRUTH_UNKNOWN,
  .is_none = TRUTH_UNKNOWN,
  .is_packed = TRUTH_UNKNOWN,
  .is_list = TRUTH_UNKNOWN,
  .is_tensor = TRUTH_UNKNOWN,
  .is_tensor_list = TRUTH_UNKNOWN,
  .rank = RANK_UNKNOWN,
};

enum { POOL_SIZE = 96 };  ///< Elements of the lists that are in one condition.

typedef struct Evaluator {
  NodeView *view;
  bool infers_sizes;  ///< Else those that are printed count.
  Value stack[CONDITION_DEPTH_LIMIT];
  uint32_t depth;
  Value pool[POOL_SIZE];
  uint32_t pool_count;
} Evaluator;

static const Value unknown = { .kind = VALUE_UNKNOWN };

static const Str scalar_types[SCALAR_TYPE_COUNT] = {
  // In the order of c10::ScalarType.
  STR_INIT("Byte"),        STR_INIT("Char"),         STR_INIT("Short"),         STR_INIT("Int"),
  STR_INIT("Long"),        STR_INIT("Half"),         STR_INIT("Float"),         STR_INIT("Double"),
  STR_INIT("ComplexHalf"), STR_INIT("ComplexFloat"), STR_INIT("ComplexDouble"), STR_INIT("Bool"),
  STR_INIT("QInt8"),       STR_INIT("QUInt8"),       STR_INIT("QInt32"),        STR_INIT("BFloat16"),
};

Str outcome_scalar_type_name(double number)
{
  bool is_one = number >= 0 && number < SCALAR_TYPE_COUNT && number == floor(number);
  return is_one ? scalar_types[(size_t)number] : (Str){ 0 };
}

int outcome_scalar_type_number(Str name)
{
  for (int i = 0; i < SCALAR_TYPE_COUNT && name.len > 0; i++) {
    if (scalar_types[i].data[0] == name.data[0] && str_equal(scalar_types[i], name))
      return i;
  }
  return -1;
}

bool outcome_is_float(Str number)
{
  for (size_t i = 0; i < number.len; i++) {
    if (strchr(".einfa", number.data[i]))
      return true;
  }
  return false;
}

static Value number_value(double number)
{
  return (Value){ .kind = VALUE_NUMBER, .number = number };
}

static Value truth_value(Truth truth)
{
  return truth == TRUTH_UNKNOWN ? unknown : number_value(truth == TRUTH_YES);
}

static uint32_t element_number(const Value *argument)
{
  return argument->count > 0 ? argument->count - 1 : WHOLE_ARGUMENT;
}

static const ArgumentFacts *facts_of(Evaluator *evaluator, const Value *value)
{
  return evaluator->view->argument(evaluator->view, (uint32_t)value->number, element_number(value));
}

/// The value of an argument instead of the argument.
static Value force(Evaluator *evaluator, Value value)
{
  return value.kind == VALUE_ARGUMENT ? facts_of(evaluator, &value)->value : value;
}

static Truth truth_of(Value value)
{
  switch (value.kind) {
  case VALUE_NONE:
    return TRUTH_NO;
  case VALUE_NUMBER:
    return value.number != 0 ? TRUTH_YES : TRUTH_NO;
  case VALUE_TEXT:
    return value.text.len > 0 ? TRUTH_YES : TRUTH_NO;
  case VALUE_LIST:
    return value.count > 0 ? TRUTH_YES : TRUTH_NO;
  default:
    return TRUTH_UNKNOWN;
  }
}

static Truth negate(Truth truth)
{
  return truth == TRUTH_UNKNOWN ? truth : truth == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

static Truth both(Truth a, Truth b)
{
  if (a == TRUTH_NO || b == TRUTH_NO)
    return TRUTH_NO;
  return a == TRUTH_YES && b == TRUTH_YES ? TRUTH_YES : TRUTH_UNKNOWN;
}

static bool is_unknown(Value value)
{
  return value.kind == VALUE_UNKNOWN || value.kind == VALUE_DYNAMIC;
}

static bool is_zero(Value value)
{
  return value.kind == VALUE_NUMBER && value.number == 0;
}

/// Values that are not lists.
static Truth are_same(Value a, Value b)
{
  if ((a.kind == VALUE_DYNAMIC && is_zero(b)) || (b.kind == VALUE_DYNAMIC && is_zero(a)))
    return TRUTH_NO;  // What may be any size is not always 0.
  if (is_unknown(a) || is_unknown(b) || a.kind == VALUE_LIST || b.kind == VALUE_LIST)
    return TRUTH_UNKNOWN;
  if (a.kind != b.kind)  // A number is not a text: what the condition asks doesn't fit what is there.
    return a.kind == VALUE_NONE || b.kind == VALUE_NONE ? TRUTH_NO : TRUTH_UNKNOWN;
  if (a.kind == VALUE_TEXT)
    return str_equal(a.text, b.text) ? TRUTH_YES : TRUTH_NO;
  return a.kind == VALUE_NONE || a.number == b.number ? TRUTH_YES : TRUTH_NO;
}

static Truth are_equal(Value a, Value b)
{
  if (a.kind != VALUE_LIST || b.kind != VALUE_LIST)
    return are_same(a, b);
  if (a.count != b.count)
    return TRUTH_NO;
  Truth truth = TRUTH_YES;
  for (uint32_t i = 0; i < a.count; i++)
    truth = both(truth, are_same(a.items[i], b.items[i]));
  return truth;
}

static Truth is_in(Value a, Value b)
{
  if (a.kind == VALUE_TEXT && b.kind == VALUE_TEXT)
    return str_find(b.text, a.text, 0) != STR_NOT_FOUND ? TRUTH_YES : TRUTH_NO;
  if (b.kind != VALUE_LIST)
    return TRUTH_UNKNOWN;
  Truth truth = TRUTH_NO;
  for (uint32_t i = 0; i < b.count && truth != TRUTH_YES; i++) {
    Truth here = are_same(a, b.items[i]);
    truth = here == TRUTH_NO ? truth : here;
  }
  return truth;
}

static Value compare(ConditionOp op, Value a, Value b)
{
  if (op == CONDITION_IN)
    return truth_value(is_in(a, b));
  if (op == CONDITION_EQUAL)
    return truth_value(are_equal(a, b));
  if (op == CONDITION_UNEQUAL)
    return truth_value(negate(are_equal(a, b)));
  if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
    return unknown;
  switch (op) {
  case CONDITION_LESS:
    return number_value(a.number < b.number);
  case CONDITION_LESS_EQUAL:
    return number_value(a.number <= b.number);
  case CONDITION_GREATER:
    return number_value(a.number > b.number);
  default:
    return number_value(a.number >= b.number);
  }
}

static Value calculate(ConditionOp op, Value a, Value b)
{
  if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
    return unknown;
  bool divides = op == CONDITION_DIVIDE || op == CONDITION_FLOOR_DIVIDE || op == CONDITION_MODULO;
  if (divides && b.number == 0)
    return unknown;
  switch (op) {
  case CONDITION_ADD:
    return number_value(a.number + b.number);
  case CONDITION_SUBTRACT:
    return number_value(a.number - b.number);
  case CONDITION_MULTIPLY:
    return number_value(a.number * b.number);
  case CONDITION_DIVIDE:
    return number_value(a.number / b.number);
  case CONDITION_FLOOR_DIVIDE:
    return number_value(floor(a.number / b.number));
  case CONDITION_MIN:
    return number_value(b.number < a.number ? b.number : a.number);
  case CONDITION_MAX:
    return number_value(b.number > a.number ? b.number : a.number);
  default:  // As Python does it: with the sign of the divisor.
    return number_value(a.number - b.number * floor(a.number / b.number));
  }
}

static Value element_of(Evaluator *evaluator, Value list, Value index)
{
  index = force(evaluator, index);
  if (index.kind != VALUE_NUMBER || index.number != floor(index.number))
    return unknown;
  if (list.kind == VALUE_ARGUMENT && list.count == 0 && index.number >= 0 && index.number < 1000000)
    return (Value){ .kind = VALUE_ARGUMENT, .number = list.number, .count = (uint32_t)index.number + 1 };
  list = force(evaluator, list);
  double at = index.number < 0 ? index.number + list.count : index.number;
  bool is_there = list.kind == VALUE_LIST && at >= 0 && at < list.count;
  return is_there ? list.items[(uint32_t)at] : unknown;
}

static Value make_list(Evaluator *evaluator, const Value *items, uint32_t count)
{
  if (evaluator->pool_count + count > POOL_SIZE)
    return unknown;
  Value *start = &evaluator->pool[evaluator->pool_count];
  evaluator->pool_count += count;
  for (uint32_t i = 0; i < count; i++)
    start[i] = force(evaluator, items[i]);
  return (Value){ .kind = VALUE_LIST, .items = start, .count = count };
}

// --- Functions ---

static Value length_of(Evaluator *evaluator, Value value)
{
  if (value.kind == VALUE_ARGUMENT) {
    const ArgumentFacts *facts = facts_of(evaluator, &value);
    if (facts->has_length)
      return number_value(facts->length);
  }
  value = force(evaluator, value);
  return value.kind == VALUE_LIST ? number_value(value.count) : unknown;
}

static Value element_count(Value value)
{
  if (value.kind == VALUE_LIST)
    return number_value(value.count);
  return value.kind == VALUE_NUMBER ? number_value(1) : unknown;
}

static Value dimension_count(Value value)
{
  if (is_unknown(value) || value.kind == VALUE_NONE)
    return unknown;
  return number_value(value.kind == VALUE_LIST);
}

static Value ask_argument(const ArgumentFacts *facts, ConditionOp op)
{
  switch (op) {
  case CONDITION_IS_CONST:
    return truth_value(facts->is_const);
  case CONDITION_IS_LIST:
    return truth_value(facts->is_list);
  case CONDITION_IS_NONE:
    return truth_value(facts->is_none);
  case CONDITION_IS_PACKED:
    return truth_value(facts->is_packed);
  case CONDITION_IS_TENSOR:
    return truth_value(facts->is_tensor);
  case CONDITION_IS_TENSOR_LIST:
    return truth_value(facts->is_tensor_list);
  case CONDITION_DTYPE:
    return facts->dtype.len > 0 ? (Value){ .kind = VALUE_TEXT, .text = facts->dtype } : unknown;
  case CONDITION_RANK:
    return facts->rank == RANK_UNKNOWN ? unknown : number_value(facts->rank);
  case CONDITION_SIZES:
    return facts->sizes;
  default:
    return unknown;
  }
}

static Value convert(ConditionOp op, Value value)
{
  if (op == CONDITION_TRUE || op == CONDITION_BOOL)
    return truth_value(truth_of(value));
  if (value.kind != VALUE_NUMBER || !isfinite(value.number))
    return unknown;
  if (op == CONDITION_FLOAT)
    return value;
  if (op == CONDITION_INT)
    return number_value(trunc(value.number));
  Str name = outcome_scalar_type_name(value.number);
  return name.len > 0 ? (Value){ .kind = VALUE_TEXT, .text = name } : unknown;
}

static Value is_float(Value value)
{
  bool is_known = value.kind == VALUE_NUMBER || value.kind == VALUE_NONE;
  return is_known ? number_value(value.is_float) : unknown;
}

static Value call(Evaluator *evaluator, ConditionOp op, Value value)
{
  switch (op) {
  case CONDITION_NOT:
    return truth_value(negate(truth_of(force(evaluator, value))));
  case CONDITION_NEGATIVE:
    value = force(evaluator, value);
    return value.kind == VALUE_NUMBER ? number_value(-value.number) : unknown;
  case CONDITION_LEN:
    return length_of(evaluator, value);
  case CONDITION_NUMEL:
    return element_count(force(evaluator, value));
  case CONDITION_IS_FLOAT:
    return is_float(force(evaluator, value));
  case CONDITION_NDIM:
    return dimension_count(force(evaluator, value));
  case CONDITION_BOOL:
  case CONDITION_FLOAT:
  case CONDITION_INT:
  case CONDITION_SCALAR_TYPE:
  case CONDITION_TRUE:
    return convert(op, force(evaluator, value));
  default:
    break;
  }
  if (value.kind == VALUE_ARGUMENT && op == CONDITION_SIZES && evaluator->infers_sizes)
    return evaluator->view->sizes(evaluator->view, (uint32_t)value.number, element_number(&value));
  if (value.kind == VALUE_ARGUMENT)
    return ask_argument(facts_of(evaluator, &value), op);
  bool asks_none = op == CONDITION_IS_NONE && value.kind != VALUE_UNKNOWN;
  return asks_none ? number_value(value.kind == VALUE_NONE || value.kind == VALUE_DYNAMIC) : unknown;
}

static Value combine(Evaluator *evaluator, ConditionOp op, Value a, Value b)
{
  if (op == CONDITION_INDEX)
    return element_of(evaluator, a, b);
  if (op == CONDITION_KIND_IS)
    return unknown;
  a = force(evaluator, a);
  b = force(evaluator, b);
  if (op == CONDITION_AND)
    return truth_value(both(truth_of(a), truth_of(b)));
  if (op == CONDITION_OR)
    return truth_value(negate(both(negate(truth_of(a)), negate(truth_of(b)))));
  return op >= CONDITION_ADD ? calculate(op, a, b) : compare(op, a, b);
}

static Value unpacked_count(NodeView *view)
{
  uint32_t count;
  Truth is_unpacked = view->is_unpacked ? view->is_unpacked(view, &count) : TRUTH_UNKNOWN;
  if (is_unpacked == TRUTH_UNKNOWN)
    return unknown;
  return is_unpacked == TRUTH_YES ? number_value(count) : (Value){ .kind = VALUE_NONE };
}

static Value result_type(NodeView *view)
{
  Str name = view->result_type ? view->result_type(view) : (Str){ 0 };
  return name.len > 0 ? (Value){ .kind = VALUE_TEXT, .text = name } : unknown;
}

static Value plain(Evaluator *evaluator, const ConditionToken *token)
{
  NodeView *view = evaluator->view;
  switch (token->op) {
  case CONDITION_NUMBER:
    return number_value(token->number);
  case CONDITION_TEXT:
    return (Value){ .kind = VALUE_TEXT, .text = token->text };
  case CONDITION_NONE:
    return (Value){ .kind = VALUE_NONE };
  case CONDITION_ARGUMENT:
    return (Value){ .kind = VALUE_ARGUMENT, .number = token->number };
  case CONDITION_COUNT:
    return number_value(view->argument_count);
  case CONDITION_OUTPUTS:
    return unpacked_count(view);
  case CONDITION_IS_RETURNED:
    return view->is_returned ? truth_value(view->is_returned(view)) : unknown;
  case CONDITION_RESULT_TYPE:
    return result_type(view);
  case CONDITION_VALUES_DECIDE:
    return truth_value(TRUTH_YES);
  case CONDITION_LOSES_WRITE:
    return view->loses_write ? truth_value(view->loses_write(view)) : unknown;
  case CONDITION_WRITES_PART:
    return view->writes_part ? truth_value(view->writes_part(view)) : unknown;
  default:
    return unknown;
  }
}

/// The parser made sure that operands are there and that the stack is deep enough.
static void step(Evaluator *evaluator, const ConditionToken *token)
{
  Value *operands = &evaluator->stack[evaluator->depth - token->operands];
  Value result;
  if (token->op == CONDITION_LIST)
    result = make_list(evaluator, operands, token->operands);
  else if (token->operands == 0)
    result = plain(evaluator, token);
  else if (token->operands == 1)
    result = call(evaluator, token->op, operands[0]);
  else
    result = combine(evaluator, token->op, operands[0], operands[1]);
  evaluator->depth -= token->operands;
  evaluator->stack[evaluator->depth++] = result;
}

static Truth evaluate(const Condition *condition, NodeView *view, bool infers_sizes)
{
  Evaluator evaluator;
  evaluator.view = view;
  evaluator.infers_sizes = infers_sizes;
  evaluator.depth = 0;
  evaluator.pool_count = 0;
  for (uint32_t i = 0; i < condition->count; i++)
    step(&evaluator, &condition->tokens[i]);
  return evaluator.depth == 1 ? truth_of(force(&evaluator, evaluator.stack[0])) : TRUTH_UNKNOWN;
}

/// Whether it may be true because a size is not known.
static bool wants_unknown_sizes(const Condition *condition)
{
  bool has_none = false, has_sizes = false;
  for (uint32_t i = 0; i < condition->count; i++) {
    has_none |= condition->tokens[i].op == CONDITION_IS_NONE;
    has_sizes |= condition->tokens[i].op == CONDITION_SIZES;
  }
  return has_none && has_sizes;
}

/// Inferring sizes costs more than all else, and sizes that turn out to be unknown mostly make nothing true.
Truth outcome_condition_holds(const Condition *condition, NodeView *view)
{
  bool infers_sizes = view->sizes && wants_unknown_sizes(condition);
  Truth truth = evaluate(condition, view, infers_sizes);
  return truth == TRUTH_YES && view->sizes && !infers_sizes ? evaluate(condition, view, true) : truth;
}

bool outcome_is_certain(const TorchOutcome *outcome)
{
  for (uint32_t i = 0; i < outcome->condition.count; i++) {
    if (outcome->condition.tokens[i].op == CONDITION_VALUES_DECIDE)
      return false;
  }
  return true;
}

uint32_t outcome_group(const TorchOutcome *outcome)
{
  return outcome->kind + (outcome_is_certain(outcome) ? 0 : OUTCOME_NO_KERNEL + 1);
}

/// Is the version among those of "onnxruntime-1.21,1.23"?
static bool names_version(Str runtimes, Str version)
{
  Str rest = str_after_last(runtimes, '-');
  while (rest.len > 0) {
    size_t end = str_find_char(rest, ',', 0);
    if (str_equal(str_slice(rest, 0, end), version))
      return true;
    rest = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, end + 1, rest.len);
  }
  return false;
}

bool outcome_applies(const TorchOutcome *outcome, uint32_t torch, int opset, Str runtime)
{
  if (!(outcome->torch_versions >> torch & 1) || !(outcome->opsets >> opset & 1))
    return false;
  return outcome->runtime.len == 0 || (runtime.len > 0 && names_version(outcome->runtime, runtime));
}

// --- Words ---

static void print_value(Buffer *text, Value value, int depth)
{
  if (value.kind == VALUE_NUMBER)
    buffer_printf(text, "%.12g", value.number);
  else if (value.kind == VALUE_TEXT)
    buffer_printf(text, "'%.*s'", STR_ARG(value.text));
  else if (value.kind == VALUE_NONE)
    buffer_printf(text, "None");
  else if (value.kind != VALUE_LIST || depth > 0)
    buffer_printf(text, "?");
  else if (value.count == 0)
    buffer_printf(text, "[]");
  for (uint32_t i = 0; value.kind == VALUE_LIST && depth == 0 && i < value.count; i++) {
    buffer_printf(text, i > 0 ? "x" : "");
    print_value(text, value.items[i], depth + 1);
  }
}

/// `{1}`, `{0.sizes}`, `{0.dtype}`
static void print_place(Buffer *text, NodeView *view, Str place)
{
  size_t dot = str_find_char(place, '.', 0);
  uint64_t number;
  if (!str_to_uint(str_slice(place, 0, dot), UINT8_MAX, &number)) {
    buffer_append(text, place);
    return;
  }
  const ArgumentFacts *facts = view->argument(view, (uint32_t)number, WHOLE_ARGUMENT);
  Str what = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(place, dot + 1, place.len);
  if (str_equal(what, STR("sizes")))
    print_value(text, facts->sizes, 0);
  else if (str_equal(what, STR("dtype")))
    buffer_append(text, facts->dtype.len > 0 ? facts->dtype : STR("?"));
  else
    print_value(text, facts->value, 0);
}

Str outcome_reason(const TorchOutcome *outcome, NodeView *view, Arena *arena)
{
  Buffer text = { 0 };
  Str rest = outcome->reason;
  for (size_t open; (open = str_find_char(rest, '{', 0)) != STR_NOT_FOUND;) {
    size_t close = str_find_char(rest, '}', open);
    if (close == STR_NOT_FOUND)
      break;
    buffer_append(&text, str_slice(rest, 0, open));
    print_place(&text, view, str_slice(rest, open + 1, close));
    rest = str_slice(rest, close + 1, rest.len);
  }
  buffer_append(&text, rest);
  Str kept = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return kept;
}
