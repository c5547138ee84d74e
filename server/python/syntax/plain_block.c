// Blocks of plain Python, what has them, and where they end.

#include "python/syntax/plain_private.h"

// --- Blocks ---

/// A block ends after the comments that are indented as far as it.
static void end_block(Plain *p)
{
  for (; p->comment_at < p->room->comments.count; p->comment_at++) {
    const PlainComment *comment = &p->room->comments.items[p->comment_at];
    if (comment->indent < p->block_indent)
      return;
    p->end = comment->end;
  }
}

static bool read_block(Plain *p)
{
  uint32_t outer = p->block_indent;
  if (plain_is(p, TOKEN_END) || p->indent <= outer || p->level >= PY_PLAIN_DEPTH)
    return false;
  p->block_indent = p->indent;
  p->level++;
  while (p->indent >= p->block_indent) {
    if (!plain_statement(p))
      return false;
  }
  end_block(p);
  p->level--;
  p->block_indent = outer;
  return true;
}

/// `:` and a block.
static bool read_suite(Plain *p, PyField field)
{
  if (!plain_take(p, TOKEN_COLON))
    return false;
  uint32_t first = plain_mark(p);
  bool is_block = plain_take(p, TOKEN_NEWLINE);
  uint32_t start = p->token.start;
  if (is_block ? !read_block(p) : !plain_simple_line(p))
    return false;
  plain_add(p, PYK_BLOCK, first, start, p->end);
  plain_field(p, field);
  return true;
}

/// A clause at the line's beginning goes on with the statement, unless it is the end of the block.
static bool is_clause(const Plain *p, TokenKind kind)
{
  return plain_is(p, kind) && p->indent >= p->block_indent;
}

static bool read_clause(Plain *p, PyNodeKind kind, PyField body, PyField field)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (!read_suite(p, body))
    return false;
  plain_add(p, kind, first, start, p->end);
  plain_field(p, field);
  return true;
}

/// `else` of an if or a loop, which may be missing.
static bool read_else(Plain *p, PyField field)
{
  return !is_clause(p, TOKEN_ELSE) || read_clause(p, PYK_ELSE_CLAUSE, PY_F_BODY, field);
}

/// `condition:` and its block, after the keyword.
static bool read_condition(Plain *p, PyField body)
{
  plain_next(p);
  if (!plain_expression(p))
    return false;
  plain_field(p, PY_F_CONDITION);
  return read_suite(p, body);
}

static bool read_if(Plain *p, uint32_t first, uint32_t start)
{
  if (!read_condition(p, PY_F_CONSEQUENCE))
    return false;
  while (is_clause(p, TOKEN_ELIF)) {
    uint32_t clause = plain_mark(p);
    uint32_t clause_start = p->token.start;
    if (!read_condition(p, PY_F_CONSEQUENCE))
      return false;
    plain_add(p, PYK_ELIF_CLAUSE, clause, clause_start, p->end);
    plain_field(p, PY_F_ALTERNATIVE);
  }
  if (!read_else(p, PY_F_ALTERNATIVE))
    return false;
  plain_add(p, PYK_IF_STATEMENT, first, start, p->end);
  return true;
}

static bool read_while(Plain *p, uint32_t first, uint32_t start)
{
  if (!read_condition(p, PY_F_BODY) || !read_else(p, PY_F_ALTERNATIVE))
    return false;
  plain_add(p, PYK_WHILE_STATEMENT, first, start, p->end);
  return true;
}

static bool read_for(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  if (!plain_targets(p))
    return false;
  plain_field(p, PY_F_LEFT);
  if (!plain_take(p, TOKEN_IN) || !plain_expressions(p))
    return false;
  plain_field(p, PY_F_RIGHT);
  if (!read_suite(p, PY_F_BODY) || !read_else(p, PY_F_ALTERNATIVE))
    return false;
  plain_add(p, PYK_FOR_STATEMENT, first, start, p->end);
  return true;
}

/// What `as` takes the end of.
static bool is_open_ended(PyNodeKind kind)
{
  return kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_LAMBDA || kind == PYK_NAMED_EXPRESSION ||
         kind == PYK_NOT_OPERATOR || kind == PYK_BOOLEAN_OPERATOR || kind == PYK_COMPARISON_OPERATOR;
}

/// `as target` after an expression, which begins with node `first`, if it is there.
static bool read_as(Plain *p, uint32_t first, uint32_t start)
{
  if (!plain_is(p, TOKEN_AS))
    return true;
  if (is_open_ended(plain_last_kind(p)))
    return false;
  plain_next(p);
  uint32_t target = plain_mark(p);
  uint32_t target_start = p->token.start;
  if (!plain_primary(p))
    return false;
  plain_add(p, PYK_AS_PATTERN_TARGET, target, target_start, p->end);
  plain_field(p, PY_F_ALIAS);
  plain_add(p, PYK_AS_PATTERN, first, start, p->end);
  return true;
}

static bool read_except(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (!plain_is(p, TOKEN_COLON)) {
    uint32_t value_start = p->token.start;
    if (!plain_expression(p) || !read_as(p, first, value_start))
      return false;
    plain_field(p, PY_F_VALUE);
  }
  if (!read_suite(p, PY_F_NONE))
    return false;
  plain_add(p, PYK_EXCEPT_CLAUSE, first, start, p->end);
  return true;
}

static bool read_try(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  if (!read_suite(p, PY_F_BODY))
    return false;
  bool has_except = is_clause(p, TOKEN_EXCEPT);
  while (is_clause(p, TOKEN_EXCEPT)) {
    if (!read_except(p))
      return false;
  }
  if (has_except && !read_else(p, PY_F_NONE))
    return false;
  bool has_finally = is_clause(p, TOKEN_FINALLY);
  if (has_finally ? !read_clause(p, PYK_FINALLY_CLAUSE, PY_F_NONE, PY_F_NONE) : !has_except)
    return false;
  plain_add(p, PYK_TRY_STATEMENT, first, start, p->end);
  return true;
}

/// Brackets around all of it have two readings.
static bool read_with_items(Plain *p)
{
  if (plain_is(p, TOKEN_OPEN_PAREN))
    return false;
  do {
    uint32_t item = plain_mark(p);
    uint32_t start = p->token.start;
    if (!plain_expression(p) || !read_as(p, item, start))
      return false;
    plain_field(p, PY_F_VALUE);
    plain_add(p, PYK_WITH_ITEM, item, start, p->end);
  } while (plain_take(p, TOKEN_COMMA));
  return true;
}

static bool read_with(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  uint32_t clause_start = p->token.start;
  if (!read_with_items(p))
    return false;
  plain_add(p, PYK_WITH_CLAUSE, first, clause_start, p->end);
  if (!read_suite(p, PY_F_BODY))
    return false;
  plain_add(p, PYK_WITH_STATEMENT, first, start, p->end);
  return true;
}

// --- Definitions ---

/// The grammar may take `a: b[c]` of `-> a: b[c]` for a type, too, where the body does not begin with a keyword.
static bool may_be_constrained(const Plain *p)
{
  static const Str words[] = { STR_INIT("..."), STR_INIT("return "), STR_INIT("pass"), STR_INIT("raise ") };
  Str body = str_slice(p->text, ascii_blanks_end(p->text, p->at), p->text.len);
  bool is_plain = body.len > 0 && (body.data[0] == '\n' || body.data[0] == '\r' || body.data[0] == '#');
  for (size_t i = 0; i < COUNT(words); i++)
    is_plain |= str_starts_with(body, words[i]);
  return !is_plain;
}

static bool read_function(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  if (!plain_name(p, PY_F_NAME) || !plain_is(p, TOKEN_OPEN_PAREN))
    return false;
  uint32_t params = plain_mark(p);
  uint32_t params_start = p->token.start;
  plain_next(p);
  if (!plain_params(p, TOKEN_CLOSE_PAREN, true))
    return false;
  plain_next(p);
  plain_add(p, PYK_PARAMETERS, params, params_start, p->end);
  plain_field(p, PY_F_PARAMETERS);
  if (plain_take(p, TOKEN_ARROW)) {
    if (!plain_type(p))
      return false;
    plain_field(p, PY_F_RETURN_TYPE);
    if (may_be_constrained(p))
      return false;
  }
  if (!read_suite(p, PY_F_BODY))
    return false;
  plain_add(p, PYK_FUNCTION_DEFINITION, first, start, p->end);
  return true;
}

static bool read_class(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  if (!plain_name(p, PY_F_NAME))
    return false;
  if (plain_is(p, TOKEN_OPEN_PAREN)) {
    if (!plain_arguments(p) || plain_last_kind(p) != PYK_ARGUMENT_LIST)
      return false;
    plain_field(p, PY_F_SUPERCLASSES);
  }
  if (!read_suite(p, PY_F_BODY))
    return false;
  plain_add(p, PYK_CLASS_DEFINITION, first, start, p->end);
  return true;
}

static bool read_async(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  switch (p->token.kind) {
  case TOKEN_DEF:
    return read_function(p, first, start);
  case TOKEN_FOR:
    return read_for(p, first, start);
  case TOKEN_WITH:
    return read_with(p, first, start);
  default:
    return false;
  }
}

static bool read_definition(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (plain_is(p, TOKEN_CLASS))
    return read_class(p, first, start);
  if (plain_is(p, TOKEN_DEF))
    return read_function(p, first, start);
  return plain_is(p, TOKEN_ASYNC) && read_async(p, first, start) && plain_last_kind(p) == PYK_FUNCTION_DEFINITION;
}

/// Below a decorator the scanner takes a comment that is further left than the block for the block's end.
static bool are_comments_inside(const Plain *p)
{
  bool are_inside = true;
  for (size_t i = 0; i < p->room->comments.count; i++)
    are_inside &= p->room->comments.items[i].indent >= p->block_indent;
  return are_inside;
}

static bool read_decorated(Plain *p, uint32_t first, uint32_t start)
{
  uint32_t indent = p->indent;
  while (plain_is(p, TOKEN_AT)) {
    uint32_t decorator = plain_mark(p);
    uint32_t decorator_start = p->token.start;
    plain_next(p);
    if (!plain_expression(p) || !plain_take(p, TOKEN_NEWLINE) || p->indent != indent || !are_comments_inside(p))
      return false;
    plain_add(p, PYK_DECORATOR, decorator, decorator_start, p->end);
  }
  if (!read_definition(p))
    return false;
  plain_field(p, PY_F_DEFINITION);
  plain_add(p, PYK_DECORATED_DEFINITION, first, start, p->end);
  return true;
}

bool plain_statement(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  switch (p->token.kind) {
  case TOKEN_IF:
    return read_if(p, first, start);
  case TOKEN_FOR:
    return read_for(p, first, start);
  case TOKEN_WHILE:
    return read_while(p, first, start);
  case TOKEN_TRY:
    return read_try(p, first, start);
  case TOKEN_WITH:
    return read_with(p, first, start);
  case TOKEN_DEF:
    return read_function(p, first, start);
  case TOKEN_CLASS:
    return read_class(p, first, start);
  case TOKEN_AT:
    return read_decorated(p, first, start);
  case TOKEN_ASYNC:
    return read_async(p, first, start);
  default:
    return plain_simple_line(p);
  }
}
