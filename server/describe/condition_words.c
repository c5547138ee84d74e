// A condition is read as it is evaluated, on a small stack, with each clause in its own words and in those of its
// opposite.

#include "describe/condition_words.h"

#include <math.h>

#include "base/buffer.h"
#include "outcome/condition_parts.h"

/// What holds the parts of a clause together.
typedef enum Joint { JOINT_NONE, JOINT_AND, JOINT_OR } Joint;

typedef struct Phrase {
  bool is_clause;
  bool is_sum;      ///< A value put together of others.
  ConditionOp op;   ///< Of a value what it is: an argument, a rank, a number...
  double number;    ///< Of a number.
  Str text;         ///< The value; of a clause that it holds.
  Str opposite;     ///< Of a clause that it doesn't.
  Str owner;        ///< Of a rank, length or element type what has it.
  Joint joint;      ///< In `text`.
  Joint not_joint;  ///< In `opposite`.
} Phrase;

typedef struct Speaker {
  ArgumentNames names;
  uint32_t count;  ///< How many arguments the condition asks for; 0 if it doesn't say.
  Arena *arena;
} Speaker;

// --- Names ---

static bool is_asked(const Speaker *speaker, const TorchOverload *overload, uint32_t argument)
{
  return (overload->torch_versions & speaker->names.torch_versions) && argument < overload->argument_count &&
         (speaker->count == 0 || overload->argument_count == speaker->count) &&
         !str_ends_with(overload->overload, STR("out"));
}

/// The name that all overloads have for it; with `tensors_only` those that are about tensors. False if there is none.
static bool find_name(const Speaker *speaker, uint32_t argument, bool tensors_only, Str *ret_name)
{
  const TorchOperator *op = speaker->names.op;
  *ret_name = (Str){ 0 };
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!is_asked(speaker, overload, argument) ||
        (tensors_only && !str_starts_with(overload->arguments[0].type, STR("Tensor"))))
      continue;
    Str here = overload->arguments[argument].name;
    if (ret_name->len > 0 && !str_equal(*ret_name, here))
      return false;
    *ret_name = here;
  }
  return ret_name->len > 0;
}

static Str argument_name(const Speaker *speaker, uint32_t argument)
{
  Str name;
  if (find_name(speaker, argument, true, &name) || find_name(speaker, argument, false, &name))
    return arena_printf(speaker->arena, "`%.*s`", STR_ARG(name));
  return arena_printf(speaker->arena, "argument %u", argument + 1);
}

// --- Values ---

static Phrase value_phrase(ConditionOp op, Str text)
{
  return (Phrase){ .op = op, .text = text };
}

static Str number_text(double number, Arena *arena)
{
  if (isinf(number))
    return number < 0 ? STR("minus infinity") : STR("infinity");
  return arena_printf(arena, "%.12g", number);
}

static Phrase number_phrase(double number, Arena *arena)
{
  Phrase phrase = value_phrase(CONDITION_NUMBER, number_text(number, arena));
  phrase.number = number;
  return phrase;
}

/// A value within another one.
static Str inner(const Speaker *speaker, const Phrase *value)
{
  return value->is_sum ? arena_printf(speaker->arena, "(%.*s)", STR_ARG(value->text)) : value->text;
}

static Phrase clause(const Speaker *speaker, Str subject, const char *holds, const char *fails)
{
  return (Phrase){ .is_clause = true,
                   .text = arena_printf(speaker->arena, "%.*s %s", STR_ARG(subject), holds),
                   .opposite = arena_printf(speaker->arena, "%.*s %s", STR_ARG(subject), fails) };
}

static Phrase plain_phrase(const Speaker *speaker, const ConditionToken *token)
{
  switch (token->op) {
  case CONDITION_NUMBER:
    return number_phrase(token->number, speaker->arena);
  case CONDITION_TEXT:
    return value_phrase(token->op, arena_printf(speaker->arena, "'%.*s'", STR_ARG(token->text)));
  case CONDITION_ARGUMENT:
    return value_phrase(token->op, argument_name(speaker, (uint32_t)token->number));
  case CONDITION_COUNT: {
    Phrase count = value_phrase(token->op, STR("the number of arguments"));
    count.owner = STR("the call");
    return count;
  }
  case CONDITION_IS_RETURNED:
    return clause(speaker, STR("the result"), "is a result of the graph", "is used inside of the graph only");
  case CONDITION_LOSES_WRITE:
    return clause(speaker, STR("the call"), "changes a view of a tensor in place",
                  "changes no view of a tensor in place");
  case CONDITION_VALUES_DECIDE:
    return clause(speaker, STR("the values of the tensors"), "decide", "don't matter");
  case CONDITION_WRITES_PART:
    return clause(speaker, STR("the call"), "changes a part of a tensor in place",
                  "changes no part of a tensor in place");
  case CONDITION_RESULT_TYPE: {
    Phrase type = value_phrase(CONDITION_DTYPE, STR("the element type of the result"));
    type.owner = STR("the result");
    return type;
  }
  case CONDITION_OUTPUTS:
    return value_phrase(token->op, STR("the number of values that the result is unpacked into"));
  default:
    return value_phrase(CONDITION_NONE, STR("None"));
  }
}

/// "2, 3 or 5"
static Str enumerate(const Phrase *items, uint32_t count, const char *last, Arena *arena)
{
  Buffer text = { 0 };
  for (uint32_t i = 0; i < count; i++) {
    const char *gap = i == 0 ? "" : i + 1 < count ? ", " : last;
    buffer_printf(&text, "%s%.*s", gap, STR_ARG(items[i].text));
  }
  Str kept = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return kept;
}

/// Names of element types are words.
static Str without_quotes(Str text, Arena *arena)
{
  Buffer words = { 0 };
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] != '\'')
      buffer_append_char(&words, text.data[i]);
  }
  Str kept = arena_copy(arena, buffer_str(&words));
  buffer_done(&words);
  return kept;
}

/// As a list, and in `owner` as what a value may be one of.
static Phrase list_phrase(const Speaker *speaker, const Phrase *items, uint32_t count)
{
  Str list = enumerate(items, count, ", ", speaker->arena);
  Phrase phrase = value_phrase(CONDITION_LIST, arena_printf(speaker->arena, "(%.*s)", STR_ARG(list)));
  phrase.owner = count == 0 ? STR("in an empty list") : enumerate(items, count, " or ", speaker->arena);
  return phrase;
}

static const char *sign_words(ConditionOp op)
{
  switch (op) {
  case CONDITION_ADD:
    return "plus";
  case CONDITION_SUBTRACT:
    return "minus";
  case CONDITION_MULTIPLY:
    return "times";
  case CONDITION_DIVIDE:
    return "divided by";
  case CONDITION_FLOOR_DIVIDE:
    return "divided without a rest by";
  default:
    return "modulo";
  }
}

static Phrase sum_phrase(const Speaker *speaker, ConditionOp op, const Phrase *a, const Phrase *b)
{
  Str left = inner(speaker, a), right = inner(speaker, b);
  if (op == CONDITION_MIN || op == CONDITION_MAX)
    return value_phrase(op, arena_printf(speaker->arena, "the %s of %.*s and %.*s",
                                         op == CONDITION_MIN ? "smaller" : "larger", STR_ARG(left), STR_ARG(right)));
  Phrase sum =
      value_phrase(op, arena_printf(speaker->arena, "%.*s %s %.*s", STR_ARG(left), sign_words(op), STR_ARG(right)));
  sum.is_sum = true;
  return sum;
}

static Phrase element_phrase(const Speaker *speaker, const Phrase *list, const Phrase *index)
{
  bool is_size = list->op == CONDITION_SIZES;
  Str of = is_size ? list->owner : list->text;
  Str at = inner(speaker, index);
  Phrase element = value_phrase(CONDITION_INDEX,
                                arena_printf(speaker->arena, "%s %.*s of %.*s",
                                             is_size ? "the size of dimension" : "element", STR_ARG(at), STR_ARG(of)));
  element.owner = is_size ? of : (Str){ 0 };
  return element;
}

/// What is asked of an argument: its length, its shape.
static Phrase property_phrase(const Speaker *speaker, ConditionOp op, const Phrase *of)
{
  bool is_rank = op == CONDITION_RANK || (op == CONDITION_LEN && of->op == CONDITION_SIZES);
  const char *words = is_rank                       ? "the number of dimensions of"
                      : op == CONDITION_DTYPE       ? "the element type of"
                      : op == CONDITION_SCALAR_TYPE ? "the element type that is meant by"
                      : op == CONDITION_SIZES       ? "the shape of"
                      : op == CONDITION_INT         ? "the integer part of"
                      : op == CONDITION_NDIM        ? "the number of dimensions of the value of"
                                                    : "the number of elements of";
  Str owner = of->op == CONDITION_SIZES ? of->owner : inner(speaker, of);
  Phrase phrase =
      value_phrase(is_rank ? CONDITION_RANK : op, arena_printf(speaker->arena, "%s %.*s", words, STR_ARG(owner)));
  phrase.owner = owner;
  return phrase;
}

// --- Clauses ---

/// What is asked for its truth.
static Phrase as_clause(const Speaker *speaker, Phrase phrase)
{
  return phrase.is_clause ? phrase : clause(speaker, phrase.text, "is true", "is false, 0 or empty");
}

static Phrase opposite_of(Phrase phrase)
{
  Phrase result = phrase;
  result.text = phrase.opposite;
  result.opposite = phrase.text;
  result.joint = phrase.not_joint;
  result.not_joint = phrase.joint;
  return result;
}

static Phrase none_phrase(const Speaker *speaker, const Phrase *of)
{
  if (of->op == CONDITION_OUTPUTS)
    return clause(speaker, STR("the result"), "is not unpacked at once", "is unpacked at once");
  if (of->op == CONDITION_INDEX && of->owner.len > 0)
    return clause(speaker, of->text, "is not known", "is known");
  return clause(speaker, of->text, "is None", "is not None");
}

static Phrase ask(const Speaker *speaker, ConditionOp op, Phrase of)
{
  switch (op) {
  case CONDITION_NOT:
    return opposite_of(as_clause(speaker, of));
  case CONDITION_BOOL:
  case CONDITION_TRUE:
    return as_clause(speaker, of);
  case CONDITION_NEGATIVE:
    if (of.op == CONDITION_NUMBER)
      return number_phrase(-of.number, speaker->arena);
    return value_phrase(op, arena_printf(speaker->arena, "minus %.*s", STR_ARG(inner(speaker, &of))));
  case CONDITION_FLOAT:
    return of;
  case CONDITION_IS_CONST:
    return clause(speaker, of.text, "is constant", "is computed in the graph");
  case CONDITION_IS_FLOAT:
    return clause(speaker, of.text, "is a float", "is not a float");
  case CONDITION_IS_LIST:
    return clause(speaker, of.text, "is a list", "is not a list");
  case CONDITION_IS_NONE:
    return none_phrase(speaker, &of);
  case CONDITION_IS_PACKED:
    return clause(speaker, of.text, "is a list made in the graph", "is not a list made in the graph");
  case CONDITION_IS_TENSOR:
    return clause(speaker, of.text, "is a tensor", "is not a tensor");
  case CONDITION_IS_TENSOR_LIST:
    return clause(speaker, of.text, "is a list of tensors", "is not a list of tensors");
  default:
    return property_phrase(speaker, op, &of);
  }
}

/// "`x` has 2 dimensions", with the words for each comparison and for its opposite.
static Phrase count_clause(const Speaker *speaker, ConditionOp op, const Phrase *of, double number)
{
  static const char *const words[][2] = {
    [CONDITION_EQUAL] = { "has", "doesn't have" },
    [CONDITION_UNEQUAL] = { "doesn't have", "has" },
    [CONDITION_LESS] = { "has fewer than", "has at least" },
    [CONDITION_LESS_EQUAL] = { "has at most", "has more than" },
    [CONDITION_GREATER] = { "has more than", "has at most" },
    [CONDITION_GREATER_EQUAL] = { "has at least", "has fewer than" },
  };
  const char *unit = of->op == CONDITION_COUNT ? "argument" : of->op == CONDITION_RANK ? "dimension" : "element";
  bool is_none = number == 0 && (op == CONDITION_EQUAL || op == CONDITION_LESS_EQUAL);
  bool is_some = number == 0 && (op == CONDITION_UNEQUAL || op == CONDITION_GREATER);
  if (is_none || is_some) {
    Str none = arena_printf(speaker->arena, "has no %ss", unit);
    Str some = arena_printf(speaker->arena, "has %ss", unit);
    return clause(speaker, of->owner, is_none ? none.data : some.data, is_none ? some.data : none.data);
  }
  Str count = arena_printf(speaker->arena, "%.*s %s%s", STR_ARG(number_text(number, speaker->arena)), unit,
                           number == 1 ? "" : "s");
  Str holds = arena_printf(speaker->arena, "%s %.*s", words[op][0], STR_ARG(count));
  Str fails = arena_printf(speaker->arena, "%s %.*s", words[op][1], STR_ARG(count));
  return clause(speaker, of->owner, holds.data, fails.data);
}

static bool is_counted(const Phrase *phrase)
{
  return phrase->op == CONDITION_COUNT || phrase->op == CONDITION_RANK || phrase->op == CONDITION_LEN ||
         phrase->op == CONDITION_NUMEL;
}

static Phrase compare_phrases(const Speaker *speaker, ConditionOp op, Phrase a, Phrase b)
{
  static const char *const words[][2] = {
    [CONDITION_EQUAL] = { "is", "is not" },
    [CONDITION_UNEQUAL] = { "is not", "is" },
    [CONDITION_LESS] = { "is less than", "is at least" },
    [CONDITION_LESS_EQUAL] = { "is at most", "is more than" },
    [CONDITION_GREATER] = { "is more than", "is at most" },
    [CONDITION_GREATER_EQUAL] = { "is at least", "is less than" },
  };
  if (is_counted(&a) && b.op == CONDITION_NUMBER)
    return count_clause(speaker, op, &a, b.number);
  bool is_number = a.op == CONDITION_NDIM && b.op == CONDITION_NUMBER && b.number == 0;
  if (is_number && op == CONDITION_EQUAL)
    return clause(speaker, a.owner, "is a single number", "is not a single number");
  bool is_type = a.op == CONDITION_DTYPE && b.op == CONDITION_TEXT;
  Str subject = is_type ? a.owner : a.text;
  Str object = is_type ? without_quotes(b.text, speaker->arena) : b.text;
  Str holds = arena_printf(speaker->arena, "%s %.*s", words[op][0], STR_ARG(object));
  Str fails = arena_printf(speaker->arena, "%s %.*s", words[op][1], STR_ARG(object));
  return clause(speaker, subject, holds.data, fails.data);
}

static Phrase contain_phrase(const Speaker *speaker, Phrase a, Phrase b)
{
  if (b.op == CONDITION_LIST) {
    bool is_type = a.op == CONDITION_DTYPE;
    Str items = is_type ? without_quotes(b.owner, speaker->arena) : b.owner;
    Str holds = arena_printf(speaker->arena, "is %.*s", STR_ARG(items));
    Str fails = arena_printf(speaker->arena, "is not %.*s", STR_ARG(items));
    return clause(speaker, is_type ? a.owner : a.text, holds.data, fails.data);
  }
  Str holds = arena_printf(speaker->arena, "contains %.*s", STR_ARG(a.text));
  Str fails = arena_printf(speaker->arena, "doesn't contain %.*s", STR_ARG(a.text));
  return clause(speaker, b.text, holds.data, fails.data);
}

/// A clause within one of another joint.
static Str enclose(const Speaker *speaker, Str text, Joint joint, Joint outer)
{
  return joint == JOINT_NONE || joint == outer ? text : arena_printf(speaker->arena, "(%.*s)", STR_ARG(text));
}

static Phrase join(const Speaker *speaker, Joint joint, Phrase a, Phrase b)
{
  Joint other = joint == JOINT_AND ? JOINT_OR : JOINT_AND;
  const char *word = joint == JOINT_AND ? "and" : "or", *other_word = joint == JOINT_AND ? "or" : "and";
  a = as_clause(speaker, a);
  b = as_clause(speaker, b);
  return (Phrase){
    .is_clause = true,
    .joint = joint,
    .not_joint = other,
    .text = arena_printf(speaker->arena, "%.*s %s %.*s", STR_ARG(enclose(speaker, a.text, a.joint, joint)), word,
                         STR_ARG(enclose(speaker, b.text, b.joint, joint))),
    .opposite = arena_printf(speaker->arena, "%.*s %s %.*s", STR_ARG(enclose(speaker, a.opposite, a.not_joint, other)),
                             other_word, STR_ARG(enclose(speaker, b.opposite, b.not_joint, other))),
  };
}

static Phrase combine(const Speaker *speaker, ConditionOp op, Phrase a, Phrase b)
{
  if (op == CONDITION_AND || op == CONDITION_OR)
    return join(speaker, op == CONDITION_AND ? JOINT_AND : JOINT_OR, a, b);
  if (op == CONDITION_INDEX)
    return element_phrase(speaker, &a, &b);
  if (op == CONDITION_IN)
    return contain_phrase(speaker, a, b);
  if (op >= CONDITION_EQUAL && op <= CONDITION_GREATER_EQUAL)
    return compare_phrases(speaker, op, a, b);
  if (op == CONDITION_KIND_IS)
    return clause(speaker, a.text, arena_printf(speaker->arena, "is made by %.*s", STR_ARG(b.text)).data,
                  arena_printf(speaker->arena, "is not made by %.*s", STR_ARG(b.text)).data);
  return sum_phrase(speaker, op, &a, &b);
}

/// The parser made sure that operands are there and that the stack is deep enough.
static Phrase part_phrase(const Speaker *speaker, const Condition *part)
{
  Phrase stack[CONDITION_DEPTH_LIMIT];
  uint32_t depth = 0;
  for (uint32_t i = 0; i < part->count; i++) {
    const ConditionToken *token = &part->tokens[i];
    Phrase *operands = &stack[depth - token->operands];
    Phrase phrase;
    if (token->op == CONDITION_LIST)
      phrase = list_phrase(speaker, operands, token->operands);
    else if (token->operands == 0)
      phrase = plain_phrase(speaker, token);
    else if (token->operands == 1)
      phrase = ask(speaker, token->op, operands[0]);
    else
      phrase = combine(speaker, token->op, operands[0], operands[1]);
    depth -= token->operands;
    stack[depth++] = phrase;
  }
  return as_clause(speaker, stack[0]);
}

// --- Whole conditions ---

static bool is_constant_part(const ConditionPart *part)
{
  return part->condition.count == 2 && part->condition.tokens[0].op == CONDITION_ARGUMENT &&
         part->condition.tokens[1].op == CONDITION_IS_CONST;
}

static Speaker speaker_of(const ConditionPart *parts, uint32_t count, ArgumentNames names, Arena *arena)
{
  Speaker speaker = { names, 0, arena };
  for (uint32_t i = 0; i < count; i++) {
    if (parts[i].kind == PART_COUNT)
      speaker.count = parts[i].count;
  }
  return speaker;
}

/// One clause for all arguments that have to be constant.
static Str constants_clause(const Speaker *speaker, const ConditionPart *parts, uint32_t count)
{
  Phrase *names = ARENA_ARRAY(speaker->arena, Phrase, count);
  uint32_t found = 0;
  for (uint32_t i = count; i-- > 0;) {
    if (is_constant_part(&parts[i]))
      names[found++] = value_phrase(CONDITION_ARGUMENT, argument_name(speaker, parts[i].argument));
  }
  if (found == 0)
    return (Str){ 0 };
  return arena_printf(speaker->arena, "%.*s %s constant", STR_ARG(enumerate(names, found, " and ", speaker->arena)),
                      found == 1 ? "is" : "are");
}

Str condition_words(const Condition *condition, ArgumentNames names, Arena *arena)
{
  if (condition->count == 1 && condition->tokens[0].op == CONDITION_NUMBER)
    return STR("always");
  uint32_t count, said = 0;
  const ConditionPart *parts = condition_parts(condition, arena, &count);
  Speaker speaker = speaker_of(parts, count, names, arena);
  Phrase *clauses = ARENA_ARRAY(arena, Phrase, count + 1);
  for (uint32_t i = count; i-- > 0;) {  // What a glance answers is said last.
    if (is_constant_part(&parts[i]))
      continue;
    Phrase phrase = part_phrase(&speaker, &parts[i].condition);
    clauses[said++].text = count == 1 ? phrase.text : enclose(&speaker, phrase.text, phrase.joint, JOINT_AND);
  }
  clauses[said].text = constants_clause(&speaker, parts, count);
  if (clauses[said].text.len > 0)
    said++;
  return enumerate(clauses, said, " and ", arena);
}

// --- Reasons ---

/// The element types for which the condition holds: "Half or BFloat16".
static Str dtype_words(const ConditionPart *parts, uint32_t count, uint32_t argument, Arena *arena)
{
  Phrase names[SCALAR_TYPE_COUNT];
  uint32_t found = 0, dtypes = UINT32_MAX;
  bool is_known = false;
  for (uint32_t i = 0; i < count; i++) {
    if (parts[i].kind != PART_DTYPE || parts[i].argument != argument)
      continue;
    dtypes &= parts[i].dtypes;
    is_known = true;
  }
  for (int i = 0; i < SCALAR_TYPE_COUNT && is_known; i++) {
    if (dtypes >> i & 1)
      names[found++] = value_phrase(CONDITION_TEXT, outcome_scalar_type_name(i));
  }
  return found > 0 ? enumerate(names, found, " or ", arena) : STR("of that element type");
}

/// What stands in place of `{1}`, `{0.sizes}`, `{0.dtype}`; `before` is the text up to there.
static Str place_words(const Speaker *speaker, const ConditionPart *parts, uint32_t count, Str place, Str before)
{
  size_t dot = str_find_char(place, '.', 0);
  uint64_t number;
  if (!str_to_uint(str_slice(place, 0, dot), UINT8_MAX, &number))
    return place;
  Str what = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(place, dot + 1, place.len);
  if (str_equal(what, STR("dtype")))
    return dtype_words(parts, count, (uint32_t)number, speaker->arena);
  if (str_equal(what, STR("sizes")))
    return str_ends_with(before, STR("'s ")) ? STR("shape") : STR("with its shape");
  return argument_name(speaker, (uint32_t)number);
}

Str condition_reason(const TorchOutcome *outcome, ArgumentNames names, Arena *arena)
{
  uint32_t count;
  const ConditionPart *parts = condition_parts(&outcome->condition, arena, &count);
  Speaker speaker = speaker_of(parts, count, names, arena);
  Buffer text = { 0 };
  Str rest = outcome->reason;
  for (size_t open; (open = str_find_char(rest, '{', 0)) != STR_NOT_FOUND;) {
    size_t close = str_find_char(rest, '}', open);
    if (close == STR_NOT_FOUND)
      break;
    Str before = str_slice(rest, 0, open);
    buffer_append(&text, before);
    buffer_append(&text, place_words(&speaker, parts, count, str_slice(rest, open + 1, close), before));
    rest = str_slice(rest, close + 1, rest.len);
  }
  buffer_append(&text, rest);
  Str kept = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return kept;
}
