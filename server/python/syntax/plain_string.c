// Strings of plain Python. What stands in the braces of an f-string has to be plain, too, and its nodes are left out.

#include "python/syntax/plain_private.h"

typedef struct Quote {
  char sign;
  bool is_long;  ///< Three of them.
  bool is_raw;
  bool is_bytes;
  bool is_format;
} Quote;

static char char_at(const Plain *p, size_t at)
{
  return at < p->text.len ? p->text.data[at] : '\0';
}

static Quote begin_string(Plain *p)
{
  Quote quote = { .sign = char_at(p, p->at) };
  for (size_t i = p->token.start; i < p->at; i++) {
    char c = ascii_to_lower(p->text.data[i]);
    quote.is_raw |= c == 'r';
    quote.is_bytes |= c == 'b';
    quote.is_format |= c == 'f';
  }
  quote.is_long = char_at(p, p->at + 1) == quote.sign && char_at(p, p->at + 2) == quote.sign;
  p->at += quote.is_long ? 3 : 1;
  return quote;
}

/// What a backslash keeps from meaning something. In the rest the scanner has ways of its own.
static bool skip_escape(Plain *p, const Quote *quote)
{
  char c = char_at(p, p->at + 1);
  bool is_odd = (quote->is_format && (c == '{' || c == '}' || c == 'N')) ||
                (quote->is_bytes && !quote->is_raw && (c == 'N' || c == 'u' || c == 'U'));
  p->at += c == '\r' && char_at(p, p->at + 2) == '\n' ? 3 : 2;
  return !is_odd && p->at <= p->text.len;
}

static bool read_braces(Plain *p);

/// `:>{width}.2f` up to the brace.
static bool skip_format(Plain *p)
{
  for (;;) {
    char c = char_at(p, p->at);
    if (c == '}')
      return true;
    if (c == '\0' || c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '\\')
      return false;
    p->at++;
    if (c == '{' && (char_at(p, p->at) == '{' || !read_braces(p)))
      return false;
  }
}

/// What follows the expression in braces, up to and with the one that closes them.
static bool end_braces(Plain *p)
{
  if (plain_is(p, TOKEN_ASSIGN))
    plain_read_token(p);
  if (plain_is(p, TOKEN_BANG)) {
    char c = char_at(p, p->at);
    if (c < 'a' || c > 'z')
      return false;
    p->at++;
    plain_read_token(p);
  }
  if (plain_is(p, TOKEN_COLON)) {
    if (!skip_format(p))
      return false;
    plain_read_token(p);
  }
  return plain_is(p, TOKEN_CLOSE_BRACE);
}

/// Of `{x!r:>3}` all after the first brace.
static bool read_braces(Plain *p)
{
  if (p->level >= PY_PLAIN_DEPTH)
    return false;
  uint32_t first = plain_mark(p);
  bool has_comma;
  p->level++;
  p->depth++;
  p->format_depth++;
  plain_read_token(p);
  bool is_plain = plain_items(p, &has_comma) && end_braces(p);
  p->format_depth--;
  p->depth--;
  p->level--;
  p->room->nodes.count = first;
  return is_plain;
}

static bool skip_quote(Plain *p, const Quote *quote, bool *ret_is_end)
{
  bool is_end = !quote->is_long || (char_at(p, p->at + 1) == quote->sign && char_at(p, p->at + 2) == quote->sign);
  p->at += is_end && quote->is_long ? 3 : 1;
  *ret_is_end = is_end;
  return true;
}

/// A brace in the string.
static bool skip_brace(Plain *p, const Quote *quote, char c)
{
  p->at++;
  if (!quote->is_format)
    return true;
  if (char_at(p, p->at) == c) {
    p->at++;
    return true;
  }
  return c == '{' && read_braces(p);
}

/// What ends a run of other characters.
static const bool is_sign[256] = {
  ['"'] = true, ['\''] = true, ['\\'] = true, ['{'] = true, ['}'] = true, ['\n'] = true, ['\r'] = true,
};

bool plain_string(Plain *p)
{
  uint32_t start = p->token.start;
  Quote quote = begin_string(p);
  bool is_end = false;
  while (!is_end) {
    while (p->at < p->text.len && !is_sign[(unsigned char)p->text.data[p->at]])
      p->at++;
    char c = char_at(p, p->at);
    bool is_plain = p->at < p->text.len;
    if (c == '\\')
      is_plain = is_plain && skip_escape(p, &quote);
    else if (c == quote.sign)
      is_plain = skip_quote(p, &quote, &is_end);
    else if (c == '{' || c == '}')
      is_plain = skip_brace(p, &quote, c);
    else if (c == '\n' || c == '\r')
      is_plain = is_plain && quote.is_long && p->format_depth == 0;
    if (!is_plain)
      return false;
    p->at += c == '\n' || c == '\r' || ((c == '"' || c == '\'') && c != quote.sign);
  }
  p->token = (Token){ TOKEN_STRING, start, (uint32_t)p->at };
  return true;
}
