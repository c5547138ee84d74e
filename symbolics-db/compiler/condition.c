// Operators wait on a stack of their own until what follows binds looser, so that no nesting is walked by recursion.

#include "condition.h"

#include <math.h>
#include <stdlib.h>

/// What waits: an operator, or an open bracket.
typedef enum Waiting {
  WAIT_OPERATOR,
  WAIT_PARENTHESIS,
  WAIT_LIST,
  WAIT_INDEX,
  WAIT_CALL,
} Waiting;

typedef struct Open {
  Waiting kind;
  ConditionOp op;
  int strength;
  uint32_t operands;  ///< Of a list or a call, so far.
} Open;

typedef struct Parser {
  Str text;
  size_t at;
  ConditionToken *tokens;  ///< Room for CONDITION_TOKEN_LIMIT.
  uint32_t count;
  uint32_t depth;  ///< Of the evaluator's stack here.
  Open *open;      ///< Room for CONDITION_DEPTH_LIMIT.
  uint32_t open_count;
  bool wants_operand;
  const char *mistake;
} Parser;

enum { STRENGTH_NOT = 3, STRENGTH_NEGATIVE = 8 };

typedef struct Word {
  Str text;
  ConditionOp op;
  uint32_t number;  ///< An operator's strength, or a function's operands.
} Word;

static const Word operators[] = {
  // The longer ones first where one begins like another.
  { STR_INIT("or"), CONDITION_OR, 1 },      { STR_INIT("and"), CONDITION_AND, 2 },
  { STR_INIT("in"), CONDITION_IN, 4 },      { STR_INIT("=="), CONDITION_EQUAL, 4 },
  { STR_INIT("!="), CONDITION_UNEQUAL, 4 }, { STR_INIT("<="), CONDITION_LESS_EQUAL, 4 },
  { STR_INIT("<"), CONDITION_LESS, 4 },     { STR_INIT(">="), CONDITION_GREATER_EQUAL, 4 },
  { STR_INIT(">"), CONDITION_GREATER, 4 },  { STR_INIT("+"), CONDITION_ADD, 6 },
  { STR_INIT("-"), CONDITION_SUBTRACT, 6 }, { STR_INIT("//"), CONDITION_FLOOR_DIVIDE, 7 },
  { STR_INIT("*"), CONDITION_MULTIPLY, 7 }, { STR_INIT("/"), CONDITION_DIVIDE, 7 },
  { STR_INIT("%"), CONDITION_MODULO, 7 },
};

static const Word functions[] = {
  // Keep alphabetized.
  { STR_INIT("bool"), CONDITION_BOOL, 1 },
  { STR_INIT("dtype"), CONDITION_DTYPE, 1 },
  { STR_INIT("float"), CONDITION_FLOAT, 1 },
  { STR_INIT("int"), CONDITION_INT, 1 },
  { STR_INIT("is_const"), CONDITION_IS_CONST, 1 },
  { STR_INIT("is_float"), CONDITION_IS_FLOAT, 1 },
  { STR_INIT("is_list"), CONDITION_IS_LIST, 1 },
  { STR_INIT("is_none"), CONDITION_IS_NONE, 1 },
  { STR_INIT("is_packed"), CONDITION_IS_PACKED, 1 },
  { STR_INIT("is_returned"), CONDITION_IS_RETURNED, 0 },
  { STR_INIT("is_tensor"), CONDITION_IS_TENSOR, 1 },
  { STR_INIT("is_tensor_list"), CONDITION_IS_TENSOR_LIST, 1 },
  { STR_INIT("kind_is"), CONDITION_KIND_IS, 2 },
  { STR_INIT("len"), CONDITION_LEN, 1 },
  { STR_INIT("loses_write"), CONDITION_LOSES_WRITE, 0 },
  { STR_INIT("max"), CONDITION_MAX, 2 },
  { STR_INIT("min"), CONDITION_MIN, 2 },
  { STR_INIT("ndim"), CONDITION_NDIM, 1 },
  { STR_INIT("numel"), CONDITION_NUMEL, 1 },
  { STR_INIT("outputs"), CONDITION_OUTPUTS, 0 },
  { STR_INIT("rank"), CONDITION_RANK, 1 },
  { STR_INIT("result_type"), CONDITION_RESULT_TYPE, 0 },
  { STR_INIT("scalar_type"), CONDITION_SCALAR_TYPE, 1 },
  { STR_INIT("sizes"), CONDITION_SIZES, 1 },
  { STR_INIT("true"), CONDITION_TRUE, 1 },
  { STR_INIT("values_decide"), CONDITION_VALUES_DECIDE, 0 },
  { STR_INIT("writes_part"), CONDITION_WRITES_PART, 0 },
};

static bool is_word_char(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void fail(Parser *parser, const char *mistake)
{
  if (!parser->mistake)
    parser->mistake = mistake;
}

static void emit(Parser *parser, ConditionToken token)
{
  uint32_t takes = token.operands;
  if (parser->count == CONDITION_TOKEN_LIMIT || parser->depth < takes ||
      parser->depth - takes + 1 > CONDITION_DEPTH_LIMIT) {
    fail(parser, parser->depth < takes ? "an operand is missing" : "too long");
    return;
  }
  parser->depth -= takes;
  parser->depth++;
  parser->tokens[parser->count++] = token;
}

static void push(Parser *parser, Open open)
{
  if (parser->open_count == CONDITION_DEPTH_LIMIT)
    fail(parser, "too deep");
  else
    parser->open[parser->open_count++] = open;
}

/// Emits the operators on top that bind at least as strongly.
static void settle(Parser *parser, int strength)
{
  while (parser->open_count > 0) {
    Open top = parser->open[parser->open_count - 1];
    if (top.kind != WAIT_OPERATOR || top.strength < strength)
      return;
    parser->open_count--;
    bool is_prefix = top.op == CONDITION_NOT || top.op == CONDITION_NEGATIVE;
    emit(parser, (ConditionToken){ .op = top.op, .operands = is_prefix ? 1 : 2 });
  }
}

/// The bracket that is open; NULL, with a message, if there is none.
static Open *open_bracket(Parser *parser)
{
  settle(parser, 0);
  if (parser->open_count == 0) {
    fail(parser, "a bracket that nothing opens");
    return NULL;
  }
  return &parser->open[parser->open_count - 1];
}

static void close_bracket(Parser *parser, char c)
{
  Open *open = open_bracket(parser);
  if (!open)
    return;
  bool is_round = open->kind == WAIT_PARENTHESIS || open->kind == WAIT_CALL;
  if (is_round != (c == ')')) {
    fail(parser, "brackets that don't match");
    return;
  }
  if (open->kind == WAIT_INDEX)
    emit(parser, (ConditionToken){ .op = CONDITION_INDEX, .operands = 2 });
  else if (open->kind == WAIT_LIST || open->kind == WAIT_CALL)
    emit(parser, (ConditionToken){ .op = open->op, .operands = open->operands });
  if (open->kind == WAIT_LIST && open->operands > CONDITION_LIST_LIMIT)
    fail(parser, "too long a list");
  for (size_t i = 0; open->kind == WAIT_CALL && i < COUNT(functions); i++) {
    if (functions[i].op == open->op && functions[i].number != open->operands)
      fail(parser, "a function with another number of arguments");
  }
  parser->open_count--;
}

static void next_element(Parser *parser)
{
  Open *open = open_bracket(parser);
  if (open && open->kind != WAIT_LIST && open->kind != WAIT_CALL)
    fail(parser, "a comma where no list is");
  else if (open)
    open->operands++;
  parser->wants_operand = true;
}

static const Word *find_word(const Word *words, size_t count, Str text)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(words[i].text, text))
      return &words[i];
  }
  return NULL;
}

static Str take_word(Parser *parser)
{
  size_t start = parser->at;
  while (parser->at < parser->text.len && is_word_char(parser->text.data[parser->at]))
    parser->at++;
  return str_slice(parser->text, start, parser->at);
}

static void read_word(Parser *parser)
{
  Str word = take_word(parser);
  parser->wants_operand = false;
  if (str_equal(word, STR("not"))) {
    push(parser, (Open){ WAIT_OPERATOR, CONDITION_NOT, STRENGTH_NOT, 0 });
    parser->wants_operand = true;
  } else if (str_equal(word, STR("none"))) {
    emit(parser, (ConditionToken){ .op = CONDITION_NONE });
  } else if (str_equal(word, STR("count"))) {
    emit(parser, (ConditionToken){ .op = CONDITION_COUNT });
  } else if (str_equal(word, STR("always"))) {
    emit(parser, (ConditionToken){ .op = CONDITION_NUMBER, .number = 1 });
  } else if (str_equal(word, STR("inf"))) {
    emit(parser, (ConditionToken){ .op = CONDITION_NUMBER, .number = INFINITY });
  } else {
    const Word *function = find_word(functions, COUNT(functions), word);
    bool is_call = function && parser->at < parser->text.len && parser->text.data[parser->at] == '(';
    if (!is_call) {
      fail(parser, "an unknown word");
      return;
    }
    parser->at++;
    bool is_empty = parser->at < parser->text.len && parser->text.data[parser->at] == ')';
    push(parser, (Open){ WAIT_CALL, function->op, 0, is_empty ? 0 : 1 });
    parser->wants_operand = !is_empty;
  }
}

static void read_number(Parser *parser)
{
  char digits[64];
  size_t len = 0;
  while (parser->at < parser->text.len && len + 1 < sizeof(digits)) {
    char c = parser->text.data[parser->at];
    bool is_sign = (c == '-' || c == '+') && len > 0 && digits[len - 1] == 'e';
    if (!(c >= '0' && c <= '9') && c != '.' && c != 'e' && !is_sign)
      break;
    digits[len++] = c;
    parser->at++;
  }
  digits[len] = '\0';
  emit(parser, (ConditionToken){ .op = CONDITION_NUMBER, .number = strtod(digits, NULL) });
  parser->wants_operand = false;
}

static void read_argument(Parser *parser)
{
  parser->at++;
  uint64_t number;
  if (!str_to_uint(take_word(parser), UINT8_MAX, &number))
    fail(parser, "'$' wants the number of an argument");
  else
    emit(parser, (ConditionToken){ .op = CONDITION_ARGUMENT, .number = (double)number });
  parser->wants_operand = false;
}

static void read_text(Parser *parser)
{
  size_t end = str_find_char(parser->text, '"', parser->at + 1);
  if (end == STR_NOT_FOUND) {
    fail(parser, "a text without its end");
    return;
  }
  emit(parser, (ConditionToken){ .op = CONDITION_TEXT, .text = str_slice(parser->text, parser->at + 1, end) });
  parser->at = end + 1;
  parser->wants_operand = false;
}

static void read_operand(Parser *parser)
{
  char c = parser->text.data[parser->at];
  if (c == '$') {
    read_argument(parser);
  } else if (c == '"') {
    read_text(parser);
  } else if (c >= '0' && c <= '9') {
    read_number(parser);
  } else if (c == '-') {
    parser->at++;
    push(parser, (Open){ WAIT_OPERATOR, CONDITION_NEGATIVE, STRENGTH_NEGATIVE, 0 });
  } else if (c == '(') {
    parser->at++;
    push(parser, (Open){ WAIT_PARENTHESIS, CONDITION_NONE, 0, 0 });
  } else if (c == '[') {
    parser->at++;
    bool is_empty = parser->at < parser->text.len && parser->text.data[parser->at] == ']';
    push(parser, (Open){ WAIT_LIST, CONDITION_LIST, 0, is_empty ? 0 : 1 });
    parser->wants_operand = !is_empty;
  } else if (is_word_char(c)) {
    read_word(parser);
  } else {
    fail(parser, "an operand is missing");
  }
}

static void read_operator(Parser *parser)
{
  char c = parser->text.data[parser->at];
  if (c == ')' || c == ']') {
    parser->at++;
    close_bracket(parser, c);
    return;
  }
  if (c == ',') {
    parser->at++;
    next_element(parser);
    return;
  }
  parser->wants_operand = true;
  if (c == '[') {
    parser->at++;
    push(parser, (Open){ WAIT_INDEX, CONDITION_INDEX, 0, 0 });
    return;
  }
  for (size_t i = 0; i < COUNT(operators); i++) {
    if (!str_starts_with(str_slice(parser->text, parser->at, parser->text.len), operators[i].text))
      continue;
    settle(parser, (int)operators[i].number);
    push(parser, (Open){ WAIT_OPERATOR, operators[i].op, (int)operators[i].number, 0 });
    parser->at += operators[i].text.len;
    return;
  }
  fail(parser, "an operator is missing");
}

bool condition_parse(Str text, Arena *arena, Condition *ret_condition, Str *ret_message)
{
  ConditionToken tokens[CONDITION_TOKEN_LIMIT];
  Open open[CONDITION_DEPTH_LIMIT];
  Parser start = { .text = text, .tokens = tokens, .open = open, .wants_operand = true };
  Parser *parser = &start;
  while (parser->at < text.len && !parser->mistake) {
    if (text.data[parser->at] == ' ')
      parser->at++;
    else if (parser->wants_operand)
      read_operand(parser);
    else
      read_operator(parser);
  }
  settle(parser, 0);
  if (parser->open_count > 0 || parser->wants_operand || parser->depth != 1)
    fail(parser, parser->wants_operand ? "an operand is missing" : "a bracket that nothing closes");
  bool is_good = !parser->mistake;
  if (is_good) {
    ConditionToken *kept = ARENA_ARRAY(arena, ConditionToken, parser->count);
    memcpy(kept, tokens, parser->count * sizeof(*kept));
    *ret_condition = (Condition){ kept, parser->count };
  } else {
    *ret_message = arena_printf(arena, "%s near character %zu of '%.*s'", parser->mistake, parser->at, STR_ARG(text));
  }
  return is_good;
}
