// Expressions of plain Python, by the strength of their operators.

#include "python/syntax/plain_private.h"

static const uint8_t levels[TOKEN_KIND_COUNT] = {
  [TOKEN_OR] = LEVEL_OR,         [TOKEN_AND] = LEVEL_AND,         [TOKEN_COMPARE] = LEVEL_COMPARE,
  [TOKEN_IN] = LEVEL_COMPARE,    [TOKEN_IS] = LEVEL_COMPARE,      [TOKEN_NOT] = LEVEL_COMPARE,
  [TOKEN_BIT_OR] = LEVEL_BIT_OR, [TOKEN_BIT_AND] = LEVEL_BIT_AND, [TOKEN_XOR] = LEVEL_XOR,
  [TOKEN_SHIFT] = LEVEL_SHIFT,   [TOKEN_PLUS] = LEVEL_PLUS,       [TOKEN_MINUS] = LEVEL_PLUS,
  [TOKEN_STAR] = LEVEL_TIMES,    [TOKEN_SLASH] = LEVEL_TIMES,     [TOKEN_AT] = LEVEL_TIMES,
  [TOKEN_TIMES] = LEVEL_TIMES,   [TOKEN_POWER] = LEVEL_POWER,
};

/// The sign of an operator, which is stepped over.
static void add_sign(Plain *p, PyField field)
{
  plain_add_token(p, PYK_OPERATOR);
  plain_field(p, field);
}

// --- Brackets ---

/// Steps over the closing bracket and appends the node that ends with it.
static bool close_node(Plain *p, TokenKind kind, PyNodeKind node, uint32_t first, uint32_t start)
{
  if (!plain_take(p, kind))
    return false;
  plain_add(p, node, first, start, p->end);
  return true;
}

static bool begins_comprehension(const Plain *p)
{
  return plain_is(p, TOKEN_FOR) || plain_is(p, TOKEN_ASYNC);
}

/// An expression of operators that bind at least as strongly as those of `level`.
static bool read_operand(Plain *p, int level);

/// What a comprehension goes through or asks: an expression without `if`.
static bool read_clause_value(Plain *p)
{
  return !plain_is(p, TOKEN_LAMBDA) && read_operand(p, LEVEL_OR);
}

static bool read_for_clause(Plain *p, uint32_t first, uint32_t start)
{
  if (plain_is(p, TOKEN_ASYNC))
    plain_next(p);
  if (!plain_take(p, TOKEN_FOR) || !plain_targets(p))
    return false;
  plain_field(p, PY_F_LEFT);
  if (!plain_take(p, TOKEN_IN) || !read_clause_value(p))
    return false;
  plain_field(p, PY_F_RIGHT);
  plain_add(p, PYK_FOR_IN_CLAUSE, first, start, p->end);
  return true;
}

static bool read_if_clause(Plain *p, uint32_t first, uint32_t start)
{
  if (!plain_take(p, TOKEN_IF) || !read_clause_value(p))
    return false;
  plain_add(p, PYK_IF_CLAUSE, first, start, p->end);
  return true;
}

/// `for x in y if x` up to the closing bracket, after the body.
static bool read_comprehension(Plain *p)
{
  plain_field(p, PY_F_BODY);
  for (;;) {
    uint32_t first = plain_mark(p);
    uint32_t start = p->token.start;
    if (begins_comprehension(p) ? !read_for_clause(p, first, start)
                                : plain_is(p, TOKEN_IF) && !read_if_clause(p, first, start))
      return false;
    if (!begins_comprehension(p) && !plain_is(p, TOKEN_IF))
      return true;
  }
}

/// Behind the star of the last node, which begins with node `first`, is a name or what begins with none.
static bool is_plain_splat(const Plain *p, uint32_t first)
{
  return plain_mark(p) == first + 2 || p->room->nodes.items[first].kind != PYK_IDENTIFIER;
}

/// `*x` in brackets; whatever stands there may come after the star.
static bool read_splat(Plain *p, PyNodeKind kind)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (!plain_expression(p))
    return false;
  plain_add(p, kind, first, start, p->end);
  return true;
}

/// The grammar has two readings of `[*a.b]`, so of what begins with a name only the name is plain.
static bool read_element(Plain *p)
{
  uint32_t first = plain_mark(p);
  return plain_is(p, TOKEN_STAR) ? read_splat(p, PYK_LIST_SPLAT) && is_plain_splat(p, first) : plain_expression(p);
}

/// All elements after the first one.
static bool read_elements(Plain *p, TokenKind end)
{
  while (plain_take(p, TOKEN_COMMA)) {
    if (plain_is(p, end))
      return true;
    if (!read_element(p))
      return false;
  }
  return plain_is(p, end);
}

static bool read_parens(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (plain_is(p, TOKEN_CLOSE_PAREN))
    return close_node(p, TOKEN_CLOSE_PAREN, PYK_TUPLE, first, start);
  if (plain_is(p, TOKEN_YIELD))
    return plain_yield(p) && close_node(p, TOKEN_CLOSE_PAREN, PYK_PARENTHESIZED_EXPRESSION, first, start);
  bool is_splat = plain_is(p, TOKEN_STAR);
  if (!read_element(p))
    return false;
  if (!is_splat && begins_comprehension(p))
    return read_comprehension(p) && close_node(p, TOKEN_CLOSE_PAREN, PYK_GENERATOR_EXPRESSION, first, start);
  if (!is_splat && plain_is(p, TOKEN_CLOSE_PAREN))
    return close_node(p, TOKEN_CLOSE_PAREN, PYK_PARENTHESIZED_EXPRESSION, first, start);
  return plain_is(p, TOKEN_COMMA) && read_elements(p, TOKEN_CLOSE_PAREN) &&
         close_node(p, TOKEN_CLOSE_PAREN, PYK_TUPLE, first, start);
}

static bool read_list(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (plain_is(p, TOKEN_CLOSE_BRACKET))
    return close_node(p, TOKEN_CLOSE_BRACKET, PYK_LIST, first, start);
  bool is_splat = plain_is(p, TOKEN_STAR);
  if (!read_element(p))
    return false;
  if (!is_splat && begins_comprehension(p))
    return read_comprehension(p) && close_node(p, TOKEN_CLOSE_BRACKET, PYK_LIST_COMPREHENSION, first, start);
  return read_elements(p, TOKEN_CLOSE_BRACKET) && close_node(p, TOKEN_CLOSE_BRACKET, PYK_LIST, first, start);
}

/// `: value` after a key that begins with node `first`.
static bool read_pair(Plain *p, uint32_t first, uint32_t start)
{
  plain_field(p, PY_F_KEY);
  if (!plain_take(p, TOKEN_COLON) || !plain_expression(p))
    return false;
  plain_field(p, PY_F_VALUE);
  plain_add(p, PYK_PAIR, first, start, p->end);
  return true;
}

static bool read_dictionary_element(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (plain_is(p, TOKEN_POWER))
    return read_splat(p, PYK_DICTIONARY_SPLAT);
  return plain_expression(p) && read_pair(p, first, start);
}

static bool read_dictionary_elements(Plain *p)
{
  while (plain_take(p, TOKEN_COMMA)) {
    if (plain_is(p, TOKEN_CLOSE_BRACE))
      return true;
    if (!read_dictionary_element(p))
      return false;
  }
  return plain_is(p, TOKEN_CLOSE_BRACE);
}

static bool read_braces(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (plain_is(p, TOKEN_CLOSE_BRACE))
    return close_node(p, TOKEN_CLOSE_BRACE, PYK_DICTIONARY, first, start);
  bool is_splat = plain_is(p, TOKEN_STAR) || plain_is(p, TOKEN_POWER);
  bool is_dictionary = plain_is(p, TOKEN_POWER);
  uint32_t inner = plain_mark(p);
  uint32_t inner_start = p->token.start;
  if (is_dictionary ? !read_dictionary_element(p) : !read_element(p))
    return false;
  if (!is_splat && plain_is(p, TOKEN_COLON)) {
    is_dictionary = true;
    if (!read_pair(p, inner, inner_start))
      return false;
  }
  if (!is_splat && begins_comprehension(p))
    return read_comprehension(p) &&
           close_node(p, TOKEN_CLOSE_BRACE, is_dictionary ? PYK_DICTIONARY_COMPREHENSION : PYK_SET_COMPREHENSION, first,
                      start);
  if (is_dictionary)
    return read_dictionary_elements(p) && close_node(p, TOKEN_CLOSE_BRACE, PYK_DICTIONARY, first, start);
  return read_elements(p, TOKEN_CLOSE_BRACE) && close_node(p, TOKEN_CLOSE_BRACE, PYK_SET, first, start);
}

// --- Calls and subscripts ---

/// The last expression is nothing but a name.
static bool is_name(const Plain *p, uint32_t first)
{
  return plain_mark(p) == first + 1 && plain_last_kind(p) == PYK_IDENTIFIER;
}

static bool read_argument(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (plain_is(p, TOKEN_STAR))
    return read_splat(p, PYK_LIST_SPLAT) && (!p->may_be_print || is_plain_splat(p, first));
  if (plain_is(p, TOKEN_POWER))
    return read_splat(p, PYK_DICTIONARY_SPLAT);
  if (!plain_expression(p))
    return false;
  if (!plain_is(p, TOKEN_ASSIGN))
    return true;
  if (!is_name(p, first))
    return false;
  plain_field(p, PY_F_NAME);
  plain_next(p);
  if (!plain_expression(p))
    return false;
  plain_field(p, PY_F_VALUE);
  plain_add(p, PYK_KEYWORD_ARGUMENT, first, start, p->end);
  return true;
}

bool plain_arguments(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  while (!plain_is(p, TOKEN_CLOSE_PAREN)) {
    uint32_t argument = plain_mark(p);
    bool is_splat = plain_is(p, TOKEN_STAR) || plain_is(p, TOKEN_POWER);
    if (!read_argument(p))
      return false;
    bool is_only = argument == first && !is_splat && plain_last_kind(p) != PYK_KEYWORD_ARGUMENT;
    if (is_only && begins_comprehension(p))
      return read_comprehension(p) && close_node(p, TOKEN_CLOSE_PAREN, PYK_GENERATOR_EXPRESSION, first, start);
    if (!plain_take(p, TOKEN_COMMA) && !plain_is(p, TOKEN_CLOSE_PAREN))
      return false;
  }
  return close_node(p, TOKEN_CLOSE_PAREN, PYK_ARGUMENT_LIST, first, start);
}

/// A part of a slice, which may be missing.
static bool read_bound(Plain *p)
{
  return plain_is(p, TOKEN_COLON) || plain_is(p, TOKEN_COMMA) || plain_is(p, TOKEN_CLOSE_BRACKET) ||
         plain_expression(p);
}

static bool read_index(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (!plain_is(p, TOKEN_COLON) && !plain_expression(p))
    return false;
  if (plain_take(p, TOKEN_COLON)) {
    if (!read_bound(p) || (plain_take(p, TOKEN_COLON) && !read_bound(p)))
      return false;
    plain_add(p, PYK_SLICE, first, start, p->end);
  }
  plain_field(p, PY_F_SUBSCRIPT);
  return true;
}

static bool read_indices(Plain *p)
{
  plain_next(p);
  do {
    if (!read_index(p))
      return false;
  } while (plain_take(p, TOKEN_COMMA) && !plain_is(p, TOKEN_CLOSE_BRACKET));
  return plain_take(p, TOKEN_CLOSE_BRACKET);
}

/// Any word may stand after a dot.
static bool read_member(Plain *p)
{
  plain_next(p);
  bool is_word = plain_is_word(p);
  if (!is_word)
    return false;
  plain_add_token(p, PYK_IDENTIFIER);
  plain_field(p, PY_F_ATTRIBUTE);
  return true;
}

static bool read_strings(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  do {
    if (!plain_string(p))
      return false;
    plain_add_token(p, PYK_STRING);
  } while (plain_is(p, TOKEN_STRING));
  if (plain_mark(p) > first + 1)
    plain_add(p, PYK_CONCATENATED_STRING, first, start, p->end);
  return true;
}

static bool read_atom(Plain *p)
{
  switch (p->token.kind) {
  case TOKEN_NAME:
    return plain_add_token(p, PYK_IDENTIFIER);
  case TOKEN_INTEGER:
    return plain_add_token(p, PYK_INTEGER);
  case TOKEN_FLOAT:
    return plain_add_token(p, PYK_FLOAT);
  case TOKEN_STRING:
    return read_strings(p);
  case TOKEN_TRUE:
    return plain_add_token(p, PYK_TRUE);
  case TOKEN_FALSE:
    return plain_add_token(p, PYK_FALSE);
  case TOKEN_NONE:
    return plain_add_token(p, PYK_NONE);
  case TOKEN_ELLIPSIS:
    return plain_add_token(p, PYK_ELLIPSIS);
  case TOKEN_OPEN_PAREN:
    return read_parens(p);
  case TOKEN_OPEN_BRACKET:
    return read_list(p);
  case TOKEN_OPEN_BRACE:
    return read_braces(p);
  default:
    return false;
  }
}

bool plain_primary(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (!read_atom(p))
    return false;
  for (;;) {
    PyNodeKind kind;
    if (plain_is(p, TOKEN_DOT)) {
      plain_field(p, PY_F_OBJECT);
      kind = PYK_ATTRIBUTE;
      if (!read_member(p))
        return false;
    } else if (plain_is(p, TOKEN_OPEN_PAREN)) {
      plain_field(p, PY_F_FUNCTION);
      kind = PYK_CALL;
      if (!plain_arguments(p))
        return false;
      plain_field(p, PY_F_ARGUMENTS);
    } else if (plain_is(p, TOKEN_OPEN_BRACKET)) {
      plain_field(p, PY_F_VALUE);
      kind = PYK_SUBSCRIPT;
      if (!read_indices(p))
        return false;
    } else {
      return true;
    }
    plain_add(p, kind, first, start, p->end);
  }
}

// --- Operators ---

static bool read_comparison(Plain *p, uint32_t first, uint32_t start)
{
  while (levels[p->token.kind] == LEVEL_COMPARE) {
    Token sign = p->token;
    plain_next(p);
    // `not in` and `is not` are one sign.
    bool is_longer = sign.kind == TOKEN_NOT || (sign.kind == TOKEN_IS && plain_is(p, TOKEN_NOT));
    if (is_longer && !plain_take(p, sign.kind == TOKEN_NOT ? TOKEN_IN : TOKEN_NOT))
      return false;
    plain_add(p, PYK_OPERATOR, plain_mark(p), sign.start, p->end);
    plain_field(p, PY_F_OPERATORS);
    if (!read_operand(p, LEVEL_COMPARE + 1))
      return false;
  }
  plain_add(p, PYK_COMPARISON_OPERATOR, first, start, p->end);
  return true;
}

static bool read_binary(Plain *p, int level, uint32_t first, uint32_t start)
{
  plain_field(p, PY_F_LEFT);
  add_sign(p, PY_F_OPERATOR);
  if (!read_operand(p, level == LEVEL_POWER ? level : level + 1))
    return false;
  plain_field(p, PY_F_RIGHT);
  plain_add(p, level <= LEVEL_AND ? PYK_BOOLEAN_OPERATOR : PYK_BINARY_OPERATOR, first, start, p->end);
  return true;
}

static bool read_lambda(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  uint32_t params = p->token.start;
  if (!plain_is(p, TOKEN_COLON)) {
    if (!plain_params(p, TOKEN_COLON, false))
      return false;
    plain_add(p, PYK_LAMBDA_PARAMETERS, first, params, p->end);
    plain_field(p, PY_F_PARAMETERS);
  }
  if (!plain_take(p, TOKEN_COLON) || !plain_expression(p))
    return false;
  plain_field(p, PY_F_BODY);
  plain_add(p, PYK_LAMBDA, first, start, p->end);
  return true;
}

static bool read_not(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  if (!read_operand(p, LEVEL_NOT))
    return false;
  plain_field(p, PY_F_ARGUMENT);
  plain_add(p, PYK_NOT_OPERATOR, first, start, p->end);
  return true;
}

static bool read_unary(Plain *p, uint32_t first, uint32_t start)
{
  add_sign(p, PY_F_OPERATOR);
  if (!read_operand(p, LEVEL_UNARY))
    return false;
  plain_field(p, PY_F_ARGUMENT);
  plain_add(p, PYK_UNARY_OPERATOR, first, start, p->end);
  return true;
}

static bool read_await(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  if (!read_operand(p, LEVEL_UNARY))
    return false;
  plain_add(p, PYK_AWAIT, first, start, p->end);
  return true;
}

static bool read_first_operand(Plain *p, int level, uint32_t first, uint32_t start)
{
  switch (p->token.kind) {
  case TOKEN_NOT:
    return level <= LEVEL_NOT && read_not(p, first, start);
  case TOKEN_LAMBDA:
    return level <= LEVEL_NOT && read_lambda(p);
  case TOKEN_PLUS:
  case TOKEN_MINUS:
  case TOKEN_TILDE:
    return read_unary(p, first, start);
  case TOKEN_AWAIT:
    return read_await(p, first, start);
  default:
    return plain_primary(p);
  }
}

static bool read_operators(Plain *p, int level)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (!read_first_operand(p, level, first, start))
    return false;
  for (;;) {
    int found = levels[p->token.kind];
    if (found < level || found == 0)
      return true;
    bool is_plain = found == LEVEL_COMPARE ? read_comparison(p, first, start) : read_binary(p, found, first, start);
    if (!is_plain)
      return false;
  }
}

static bool read_operand(Plain *p, int level)
{
  if (p->level >= PY_PLAIN_DEPTH)
    return false;
  p->level++;
  bool is_plain = read_operators(p, level);
  p->level--;
  return is_plain;
}

/// `:= value` after the name; what is conditional has another reading there.
static bool read_named(Plain *p, uint32_t first, uint32_t start)
{
  plain_field(p, PY_F_NAME);
  plain_next(p);
  if (!read_operand(p, LEVEL_OR) || plain_is(p, TOKEN_IF))
    return false;
  plain_field(p, PY_F_VALUE);
  plain_add(p, PYK_NAMED_EXPRESSION, first, start, p->end);
  return true;
}

bool plain_expression(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (!read_operand(p, LEVEL_OR))
    return false;
  if (plain_is(p, TOKEN_WALRUS))
    return is_name(p, first) && read_named(p, first, start);
  if (!plain_is(p, TOKEN_IF))
    return true;
  plain_next(p);
  if (plain_is(p, TOKEN_LAMBDA) || !read_operand(p, LEVEL_OR) || !plain_take(p, TOKEN_ELSE))
    return false;
  if (p->level >= PY_PLAIN_DEPTH)
    return false;
  p->level++;
  bool is_plain = plain_expression(p);
  p->level--;
  if (is_plain)
    plain_add(p, PYK_CONDITIONAL_EXPRESSION, first, start, p->end);
  return is_plain;
}
