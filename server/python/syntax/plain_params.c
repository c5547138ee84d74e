// Parameters and types of plain Python.

#include "python/syntax/plain_private.h"

// --- Types ---

/// `[int, str]` after the name of a generic type.
static bool read_type_arguments(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_next(p);
  do {
    if (!plain_type(p))
      return false;
  } while (plain_take(p, TOKEN_COMMA) && !plain_is(p, TOKEN_CLOSE_BRACKET));
  if (!plain_take(p, TOKEN_CLOSE_BRACKET))
    return false;
  plain_add(p, PYK_OTHER, first, start, p->end);
  return true;
}

/// Whether a name is at the token and a bracket after it, which the grammar takes for a generic type.
static bool begins_generic(const Plain *p)
{
  return plain_is(p, TOKEN_NAME) && p->at < p->text.len && p->text.data[p->at] == '[';
}

/// The same of an expression that was read, where more is between the two.
static bool is_generic(const Plain *p, uint32_t first)
{
  const PlainNode *node = &p->room->nodes.items[first];
  return node->kind == PYK_IDENTIFIER && node->field == PY_F_VALUE;
}

static bool read_generic(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  plain_add_token(p, PYK_IDENTIFIER);
  if (!read_type_arguments(p))
    return false;
  plain_add(p, PYK_OTHER, first, start, p->end);
  plain_add(p, PYK_TYPE, first, start, p->end);
  return true;
}

/// The other types of a union that begins with a generic one; it is a union of the grammar's types, not an operator.
static bool read_union(Plain *p, uint32_t first, uint32_t start)
{
  while (plain_take(p, TOKEN_BIT_OR)) {
    uint32_t other = plain_mark(p);
    uint32_t other_start = p->token.start;
    if (begins_generic(p)) {
      if (!read_generic(p))
        return false;
    } else {
      if (!plain_primary(p) || plain_is(p, TOKEN_BIT_OR))
        return false;
      plain_add(p, PYK_TYPE, other, other_start, p->end);
    }
    plain_add(p, PYK_OTHER, first, start, p->end);
    plain_add(p, PYK_TYPE, first, start, p->end);
  }
  return true;
}

static bool ends_type(const Plain *p)
{
  switch (p->token.kind) {
  case TOKEN_COMMA:
  case TOKEN_COLON:
  case TOKEN_ASSIGN:
  case TOKEN_NEWLINE:
  case TOKEN_SEMICOLON:
  case TOKEN_CLOSE_PAREN:
  case TOKEN_CLOSE_BRACKET:
    return true;
  default:
    return false;
  }
}

bool plain_type(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (p->level >= PY_PLAIN_DEPTH)
    return false;
  p->level++;
  bool is_plain;
  if (begins_generic(p)) {
    is_plain = read_generic(p) && read_union(p, first, start);
  } else {
    is_plain = plain_expression(p) && !is_generic(p, first);
    plain_add(p, PYK_TYPE, first, start, p->end);
  }
  p->level--;
  return is_plain && ends_type(p);
}

// --- Parameters ---

/// `: type` and `= value` after the name, a node from `first` on.
static bool read_param_rest(Plain *p, bool has_types, bool is_starred, uint32_t first, uint32_t start)
{
  uint32_t name = plain_mark(p) - 1;
  bool has_type = has_types && plain_take(p, TOKEN_COLON);
  if (has_type && !plain_type(p))
    return false;
  if (has_type)
    plain_field(p, PY_F_TYPE);
  bool has_value = !is_starred && plain_take(p, TOKEN_ASSIGN);
  if (has_value) {
    p->room->nodes.items[name].field = PY_F_NAME;
    if (!plain_expression(p))
      return false;
    plain_field(p, PY_F_VALUE);
  }
  if (has_type || has_value)
    plain_add(p,
              !has_value ? PYK_TYPED_PARAMETER
              : has_type ? PYK_TYPED_DEFAULT_PARAMETER
                         : PYK_DEFAULT_PARAMETER,
              first, start, p->end);
  return true;
}

/// `*`, `*args` or `**kwargs`
static bool read_starred_param(Plain *p, TokenKind close, bool has_types)
{
  uint32_t first = plain_mark(p);
  Token star = p->token;
  plain_next(p);
  if (star.kind == TOKEN_STAR && (plain_is(p, TOKEN_COMMA) || plain_is(p, close))) {
    plain_add(p, PYK_KEYWORD_SEPARATOR, first, star.start, star.end);
    return true;
  }
  if (!plain_is(p, TOKEN_NAME))
    return false;
  plain_add_token(p, PYK_IDENTIFIER);
  plain_add(p, star.kind == TOKEN_STAR ? PYK_LIST_SPLAT_PATTERN : PYK_DICTIONARY_SPLAT_PATTERN, first, star.start,
            p->end);
  return read_param_rest(p, has_types, true, first, star.start);
}

static bool read_param(Plain *p, TokenKind close, bool has_types)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  switch (p->token.kind) {
  case TOKEN_NAME:
    plain_add_token(p, PYK_IDENTIFIER);
    return read_param_rest(p, has_types, false, first, start);
  case TOKEN_STAR:
  case TOKEN_POWER:
    return read_starred_param(p, close, has_types);
  case TOKEN_SLASH:
    return plain_add_token(p, PYK_POSITIONAL_SEPARATOR);
  default:
    return false;
  }
}

bool plain_params(Plain *p, TokenKind close, bool has_types)
{
  while (!plain_is(p, close)) {
    if (!read_param(p, close, has_types) || (!plain_take(p, TOKEN_COMMA) && !plain_is(p, close)))
      return false;
  }
  return true;
}
