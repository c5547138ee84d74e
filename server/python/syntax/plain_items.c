// Lists of expressions without brackets, and the targets that expressions turn out to be.

#include "python/syntax/plain_private.h"

static bool ends_items(const Plain *p)
{
  switch (p->token.kind) {
  case TOKEN_NEWLINE:
  case TOKEN_SEMICOLON:
  case TOKEN_ASSIGN:
  case TOKEN_COLON:
  case TOKEN_AUGMENTED:
  case TOKEN_CLOSE_PAREN:
  case TOKEN_CLOSE_BRACE:
  case TOKEN_IN:
    return true;
  default:
    return false;
  }
}

/// `*x` outside of brackets.
static bool read_starred(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (!plain_is(p, TOKEN_NAME))
    return false;
  plain_add_token(p, PYK_IDENTIFIER);
  plain_add(p, PYK_LIST_SPLAT, first, start, p->end);
  return plain_is(p, TOKEN_COMMA) || ends_items(p);
}

bool plain_items(Plain *p, bool *ret_has_comma)
{
  *ret_has_comma = false;
  for (;;) {
    if (plain_is(p, TOKEN_STAR) ? !read_starred(p) : !plain_expression(p))
      return false;
    if (!plain_take(p, TOKEN_COMMA))
      return true;
    *ret_has_comma = true;
    if (ends_items(p))
      return true;
  }
}

bool plain_expressions(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  bool has_comma;
  if (!plain_items(p, &has_comma))
    return false;
  if (has_comma)
    plain_add(p, PYK_EXPRESSION_LIST, first, start, p->end);
  return true;
}

bool plain_yield(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  if (plain_take(p, TOKEN_FROM) ? !plain_expression(p) : !ends_items(p) && !plain_expressions(p))
    return false;
  plain_add(p, PYK_YIELD, first, start, p->end);
  return true;
}

// --- Patterns ---

static bool to_pattern(Plain *p, uint32_t index);

static bool children_to_patterns(Plain *p, uint32_t index)
{
  uint32_t first = p->room->nodes.items[index].first;
  for (uint32_t child = index; child > first; child = p->room->nodes.items[child - 1].first) {
    if (!to_pattern(p, child - 1))
      return false;
  }
  return true;
}

/// What is inside of it was read within PY_PLAIN_DEPTH levels.
static bool to_pattern(Plain *p, uint32_t index)
{
  PlainNode *node = &p->room->nodes.items[index];
  switch (node->kind) {
  case PYK_IDENTIFIER:
  case PYK_ATTRIBUTE:
  case PYK_SUBSCRIPT:
    return true;
  case PYK_LIST_SPLAT:
    node->kind = PYK_LIST_SPLAT_PATTERN;
    return p->room->nodes.items[index - 1].kind == PYK_IDENTIFIER;
  case PYK_TUPLE:
  case PYK_PARENTHESIZED_EXPRESSION:
    node->kind = PYK_TUPLE_PATTERN;
    return children_to_patterns(p, index);
  case PYK_LIST:
    node->kind = PYK_LIST_PATTERN;
    return children_to_patterns(p, index);
  default:
    return false;
  }
}

bool plain_to_pattern(Plain *p)
{
  return to_pattern(p, plain_mark(p) - 1);
}

bool plain_targets(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  bool has_comma = false;
  for (;;) {
    if ((plain_is(p, TOKEN_STAR) ? !read_starred(p) : !plain_primary(p)) || !plain_to_pattern(p))
      return false;
    if (!plain_take(p, TOKEN_COMMA))
      break;
    has_comma = true;
    if (plain_is(p, TOKEN_IN))
      break;
  }
  if (has_comma)
    plain_add(p, PYK_PATTERN_LIST, first, start, p->end);
  return true;
}
