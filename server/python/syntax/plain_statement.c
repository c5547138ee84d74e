// Statements of plain Python that fit on a line.

#include "python/syntax/plain_private.h"

static Str token_text(const Plain *p)
{
  return str_slice(p->text, p->token.start, p->token.end);
}

bool plain_name(Plain *p, PyField field)
{
  if (!plain_is_word(p))
    return false;
  plain_add_token(p, PYK_IDENTIFIER);
  plain_field(p, field);
  return true;
}

// --- Imports ---

static bool read_dotted_name(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  do {
    if (!plain_name(p, PY_F_NONE))
      return false;
  } while (plain_take(p, TOKEN_DOT));
  plain_add(p, PYK_DOTTED_NAME, first, start, p->end);
  return true;
}

static bool read_imported(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  if (!read_dotted_name(p))
    return false;
  plain_field(p, PY_F_NAME);
  if (!plain_take(p, TOKEN_AS))
    return true;
  if (!plain_name(p, PY_F_ALIAS))
    return false;
  plain_add(p, PYK_ALIASED_IMPORT, first, start, p->end);
  plain_field(p, PY_F_NAME);
  return true;
}

static bool read_import_list(Plain *p, TokenKind close)
{
  do {
    if (!read_imported(p))
      return false;
  } while (plain_take(p, TOKEN_COMMA) && !(close != TOKEN_BAD && plain_is(p, close)));
  return close == TOKEN_BAD || plain_take(p, close);
}

static bool read_relative_module(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  while (plain_is(p, TOKEN_DOT) || plain_is(p, TOKEN_ELLIPSIS))
    plain_next(p);
  plain_add(p, PYK_IMPORT_PREFIX, first, start, p->end);
  if (!plain_is(p, TOKEN_IMPORT) && !read_dotted_name(p))
    return false;
  plain_add(p, PYK_RELATIVE_IMPORT, first, start, p->end);
  return true;
}

static bool read_from_import(Plain *p, uint32_t first, uint32_t start)
{
  plain_next(p);
  bool is_future = plain_is(p, TOKEN_NAME) && str_equal(token_text(p), STR("__future__"));
  if (is_future) {
    plain_next(p);
  } else {
    bool is_relative = plain_is(p, TOKEN_DOT) || plain_is(p, TOKEN_ELLIPSIS);
    if (is_relative ? !read_relative_module(p) : !read_dotted_name(p))
      return false;
    plain_field(p, PY_F_MODULE_NAME);
  }
  if (!plain_take(p, TOKEN_IMPORT))
    return false;
  if (plain_is(p, TOKEN_STAR) && !is_future)
    plain_add_token(p, PYK_WILDCARD_IMPORT);
  else if (plain_take(p, TOKEN_OPEN_PAREN) ? !read_import_list(p, TOKEN_CLOSE_PAREN) : !read_import_list(p, TOKEN_BAD))
    return false;
  plain_add(p, is_future ? PYK_OTHER : PYK_IMPORT_FROM_STATEMENT, first, start, p->end);
  return true;
}

// --- Simple statements ---

/// After a comma the grammar may look for more in the next line.
static bool ends_with_comma(const Plain *p)
{
  return plain_is(p, TOKEN_NEWLINE) && p->end > 0 && p->text.data[p->end - 1] == ',';
}

/// The grammar takes `a, (b, *c)` for a target, unless what follows shows soon enough that it is a value.
static bool is_like_target(const Plain *p, uint32_t first)
{
  uint32_t item_end = plain_mark(p);  // Nodes stand after what is below them, so this goes from the last item back.
  for (uint32_t end = item_end; end > first;) {
    const PlainNode *node = &p->room->nodes.items[end - 1];
    bool is_item = end == item_end;
    if (node->kind == PYK_LIST_SPLAT && !is_item)
      return true;
    if (is_item)
      item_end = node->first;
    end = node->kind == PYK_TUPLE || node->kind == PYK_LIST ? end - 1 : node->first;
  }
  return false;
}

/// What is right of `=`, with more targets perhaps.
static bool read_assigned(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  bool has_comma;
  if (plain_is(p, TOKEN_YIELD))
    return plain_yield(p);
  if (p->level >= PY_PLAIN_DEPTH || !plain_items(p, &has_comma) || ends_with_comma(p))
    return false;
  bool is_target = plain_is(p, TOKEN_ASSIGN);
  if (has_comma && !is_target && is_like_target(p, first))
    return false;
  p->may_go_on |= has_comma;
  if (has_comma)
    plain_add(p, is_target ? PYK_TUPLE : PYK_EXPRESSION_LIST, first, start, p->end);
  if (!is_target)
    return !plain_is(p, TOKEN_AUGMENTED);
  if (!plain_to_pattern(p))
    return false;
  if (has_comma)
    vec_last(&p->room->nodes)->kind = PYK_PATTERN_LIST;
  plain_field(p, PY_F_LEFT);
  plain_next(p);
  p->level++;
  bool is_plain = read_assigned(p);
  p->level--;
  if (!is_plain)
    return false;
  plain_field(p, PY_F_RIGHT);
  plain_add(p, PYK_ASSIGNMENT, first, start, p->end);
  return true;
}

/// `: type`, `: type = value` after a target.
static bool read_annotation(Plain *p)
{
  plain_next(p);
  if (!plain_type(p))
    return false;
  plain_field(p, PY_F_TYPE);
  if (!plain_take(p, TOKEN_ASSIGN))
    return true;
  if (!read_assigned(p))
    return false;
  plain_field(p, PY_F_RIGHT);
  return plain_last_kind(p) != PYK_ASSIGNMENT;
}

/// After the targets, which are expressions yet.
static bool read_assignment(Plain *p, uint32_t first, uint32_t start, bool has_comma)
{
  TokenKind kind = p->token.kind;
  if (has_comma)
    plain_add(p, PYK_TUPLE, first, start, p->end);
  if (!plain_to_pattern(p) || (kind == TOKEN_COLON && has_comma))
    return false;
  if (has_comma)
    vec_last(&p->room->nodes)->kind = PYK_PATTERN_LIST;
  plain_field(p, PY_F_LEFT);
  if (kind == TOKEN_COLON) {
    if (!read_annotation(p))
      return false;
  } else {
    if (kind == TOKEN_AUGMENTED) {
      plain_add_token(p, PYK_OPERATOR);
      plain_field(p, PY_F_OPERATOR);
    } else {
      plain_next(p);
    }
    if (!read_assigned(p))
      return false;
    plain_field(p, PY_F_RIGHT);
  }
  plain_add(p, kind == TOKEN_AUGMENTED ? PYK_AUGMENTED_ASSIGNMENT : PYK_ASSIGNMENT, first, start, p->end);
  return true;
}

/// Words that may begin a statement of their own; `type(x).y = z` does so, too.
static bool begins_with_soft_keyword(const Plain *p)
{
  static const Str words[] = { STR_INIT("print"), STR_INIT("exec"), STR_INIT("type"), STR_INIT("match") };
  bool is_one = false;
  for (size_t i = 0; plain_is(p, TOKEN_NAME) && i < COUNT(words); i++)
    is_one |= str_equal(token_text(p), words[i]);
  return is_one;
}

/// Whether what follows shows that such a word is a name.
static bool is_soft_name(const Plain *p)
{
  size_t at = ascii_blanks_end(p->text, p->at);
  char next = at < p->text.len ? p->text.data[at] : '\0';
  bool is_type = str_equal(token_text(p), STR("type"));
  return next == '.' || next == '=' || ((next == '(' || next == '[') && !is_type);
}

static bool read_expression_statement(Plain *p, uint32_t first, uint32_t start)
{
  bool has_comma = false;
  p->may_be_print = begins_with_soft_keyword(p);
  if (p->may_be_print && !is_soft_name(p))
    return false;
  if (plain_is(p, TOKEN_YIELD) ? !plain_yield(p) : !plain_items(p, &has_comma) || ends_with_comma(p))
    return false;
  p->may_go_on |= has_comma;
  bool is_assignment = plain_is(p, TOKEN_ASSIGN) || plain_is(p, TOKEN_AUGMENTED) || plain_is(p, TOKEN_COLON);
  if (is_assignment && !read_assignment(p, first, start, has_comma))
    return false;
  p->may_be_print = false;
  plain_add(p, PYK_EXPRESSION_STATEMENT, first, start, p->end);
  return true;
}

static bool ends_statement(const Plain *p)
{
  return plain_is(p, TOKEN_NEWLINE) || plain_is(p, TOKEN_SEMICOLON);
}

static bool read_raise(Plain *p)
{
  plain_next(p);
  if (!ends_statement(p) && !plain_expressions(p))
    return false;
  return !plain_take(p, TOKEN_FROM) || plain_expression(p);
}

static bool read_assert(Plain *p)
{
  plain_next(p);
  do {
    if (!plain_expression(p))
      return false;
  } while (plain_take(p, TOKEN_COMMA));
  return true;
}

static bool read_names(Plain *p)
{
  plain_next(p);
  do {
    if (!plain_name(p, PY_F_NONE))
      return false;
  } while (plain_take(p, TOKEN_COMMA));
  return true;
}

static bool read_return(Plain *p)
{
  plain_next(p);
  return ends_statement(p) || plain_expressions(p);
}

static bool read_delete(Plain *p)
{
  plain_next(p);
  return plain_expressions(p);
}

static bool read_import(Plain *p)
{
  plain_next(p);
  return read_import_list(p, TOKEN_BAD);
}

/// A statement that begins with a keyword.
typedef struct SimpleStatement {
  PyNodeKind kind;
  bool (*read)(Plain *p);  ///< NULL if it is the keyword alone.
} SimpleStatement;

static const SimpleStatement simple_statements[TOKEN_KIND_COUNT] = {
  [TOKEN_ASSERT] = { PYK_ASSERT_STATEMENT, read_assert },    [TOKEN_BREAK] = { PYK_BREAK_STATEMENT, NULL },
  [TOKEN_CONTINUE] = { PYK_CONTINUE_STATEMENT, NULL },       [TOKEN_DEL] = { PYK_DELETE_STATEMENT, read_delete },
  [TOKEN_GLOBAL] = { PYK_GLOBAL_STATEMENT, read_names },     [TOKEN_IMPORT] = { PYK_IMPORT_STATEMENT, read_import },
  [TOKEN_NONLOCAL] = { PYK_NONLOCAL_STATEMENT, read_names }, [TOKEN_PASS] = { PYK_PASS_STATEMENT, NULL },
  [TOKEN_RAISE] = { PYK_RAISE_STATEMENT, read_raise },       [TOKEN_RETURN] = { PYK_RETURN_STATEMENT, read_return },
};

static bool read_simple(Plain *p)
{
  uint32_t first = plain_mark(p);
  uint32_t start = p->token.start;
  const SimpleStatement *statement = &simple_statements[p->token.kind];
  if (plain_is(p, TOKEN_FROM))
    return read_from_import(p, first, start);
  if (statement->kind == PYK_OTHER)
    return read_expression_statement(p, first, start);
  if (!statement->read)
    return plain_add_token(p, statement->kind);
  if (!statement->read(p))
    return false;
  plain_add(p, statement->kind, first, start, p->end);
  return true;
}

bool plain_simple_line(Plain *p)
{
  p->may_go_on = false;
  do {
    if (!read_simple(p))
      return false;
  } while (plain_take(p, TOKEN_SEMICOLON) && !plain_is(p, TOKEN_NEWLINE));
  if (!plain_take(p, TOKEN_NEWLINE))
    return false;
  return !p->may_go_on || plain_is_word(p) || plain_is(p, TOKEN_END);
}
