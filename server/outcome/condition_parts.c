#include "outcome/condition_parts.h"

enum { FORM_SLOTS = 4, ALL_DTYPES = (1 << SCALAR_TYPE_COUNT) - 1 };

/// A form of a part whose operands are an argument and what is fixed.
typedef struct Form {
  ConditionPartKind kind;
  uint32_t count;
  ConditionOp ops[FORM_SLOTS];
} Form;

static const Form forms[] = {
  { PART_COUNT, 3, { CONDITION_COUNT, CONDITION_NUMBER, CONDITION_EQUAL } },
  { PART_VARIABLE, 3, { CONDITION_ARGUMENT, CONDITION_IS_CONST, CONDITION_NOT } },
  { PART_NOT_NONE, 3, { CONDITION_ARGUMENT, CONDITION_IS_NONE, CONDITION_NOT } },
  { PART_NONE, 2, { CONDITION_ARGUMENT, CONDITION_IS_NONE } },
  { PART_RANK, 4, { CONDITION_ARGUMENT, CONDITION_RANK, CONDITION_NUMBER, CONDITION_EQUAL } },
  { PART_WRITE, 1, { CONDITION_WRITES_PART } },
  { PART_WRITE, 1, { CONDITION_LOSES_WRITE } },
  { PART_NO_LIST, 4, { CONDITION_ARGUMENT, CONDITION_NDIM, CONDITION_NUMBER, CONDITION_EQUAL } },
};

static bool has_form(const Condition *part, const Form *form)
{
  if (part->count != form->count)
    return false;
  for (uint32_t i = 0; i < form->count; i++) {
    if (part->tokens[i].op != form->ops[i])
      return false;
  }
  return form->kind != PART_NO_LIST || part->tokens[2].number == 0;
}

static uint32_t dtype_bit(Str name)
{
  int number = outcome_scalar_type_number(name);
  return number < 0 ? 0 : 1u << number;
}

/// `dtype($0) == "Bool"`, `dtype($0) in ["Int", "Long"]`, and their opposites.
static bool read_dtypes(ConditionPart *part)
{
  const ConditionToken *tokens = part->condition.tokens;
  uint32_t count = part->condition.count;
  bool is_negated = tokens[count - 1].op == CONDITION_NOT;
  if (is_negated)
    count--;
  if (count < 4 || tokens[0].op != CONDITION_ARGUMENT || tokens[1].op != CONDITION_DTYPE)
    return false;
  ConditionOp last = tokens[count - 1].op;
  bool is_list = last == CONDITION_IN && tokens[count - 2].op == CONDITION_LIST;
  if (!is_list && (count != 4 || (last != CONDITION_EQUAL && last != CONDITION_UNEQUAL)))
    return false;
  uint32_t end = is_list ? count - 2 : count - 1;
  for (uint32_t i = 2; i < end; i++) {
    if (tokens[i].op != CONDITION_TEXT)
      return false;
    part->dtypes |= dtype_bit(tokens[i].text);
  }
  if (is_negated != (last == CONDITION_UNEQUAL))
    part->dtypes = ALL_DTYPES & ~part->dtypes;
  return true;
}

/// `$1 == 0`
static bool is_equality(const Condition *part)
{
  const ConditionToken *tokens = part->tokens;
  return part->count == 3 && tokens[0].op == CONDITION_ARGUMENT && tokens[1].op == CONDITION_NUMBER &&
         tokens[2].op == CONDITION_EQUAL;
}

static ConditionPart make_part(Condition condition)
{
  ConditionPart part = { .kind = PART_OTHER, .condition = condition };
  const ConditionToken *tokens = condition.tokens;
  if (tokens[0].op == CONDITION_ARGUMENT)
    part.argument = (uint32_t)tokens[0].number;
  for (size_t i = 0; i < COUNT(forms); i++) {
    if (has_form(&condition, &forms[i]))
      part.kind = forms[i].kind;
  }
  if (part.kind == PART_COUNT || part.kind == PART_RANK)
    part.count = (uint32_t)tokens[part.kind == PART_RANK ? 2 : 1].number;
  else if (part.kind == PART_OTHER && read_dtypes(&part))
    part.kind = PART_DTYPE;
  part.wants_number = is_equality(&condition);
  part.number = part.wants_number ? tokens[1].number : 0;
  return part;
}

/// Where the operand begins that ends with each token.
static void find_starts(const Condition *condition, uint32_t *starts)
{
  uint32_t stack[CONDITION_DEPTH_LIMIT];
  uint32_t depth = 0;
  for (uint32_t i = 0; i < condition->count; i++) {
    uint32_t operands = condition->tokens[i].operands;
    starts[i] = operands == 0 ? i : stack[depth - operands];
    depth -= operands;
    stack[depth++] = starts[i];
  }
}

static void sort_by_kind(ConditionPart *parts, uint32_t count)
{
  for (uint32_t i = 1; i < count; i++) {
    ConditionPart part = parts[i];
    uint32_t at = i;
    for (; at > 0 && parts[at - 1].kind > part.kind; at--)
      parts[at] = parts[at - 1];
    parts[at] = part;
  }
}

const ConditionPart *condition_parts(const Condition *condition, Arena *arena, uint32_t *ret_count)
{
  uint32_t starts[CONDITION_TOKEN_LIMIT];
  uint32_t ends[CONDITION_TOKEN_LIMIT];
  ConditionPart *parts = ARENA_ARRAY(arena, ConditionPart, condition->count);
  uint32_t open = 0, count = 0;
  find_starts(condition, starts);
  ends[open++] = condition->count - 1;
  while (open > 0) {
    uint32_t end = ends[--open];
    if (condition->tokens[end].op == CONDITION_AND) {
      ends[open++] = starts[end - 1] - 1;
      ends[open++] = end - 1;
    } else {
      parts[count++] = make_part((Condition){ condition->tokens + starts[end], end - starts[end] + 1 });
    }
  }
  sort_by_kind(parts, count);
  *ret_count = count;
  return parts;
}
