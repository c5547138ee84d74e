#include "python/syntax/python_parts.h"

enum { PART_SIZE = 8 * 1024 };  ///< From here on a part ends before any statement.

#define NO_MARK UINT32_MAX

typedef struct Cutter {
  Str text;
  size_t at;
  uint32_t depth;       ///< Of open brackets.
  uint32_t decorators;  ///< Where those of the next definition start.
  uint32_t decorator_depth;
  bool is_in_class;
  Str indent;                ///< Of the statements of that class; empty before the first one.
  bool has_decorated_inner;  ///< The next method has decorators above it.
  PyParts *parts;
} Cutter;

static char char_at(const Cutter *cutter, size_t at)
{
  return at < cutter->text.len ? cutter->text.data[at] : '\0';
}

/// Whether there is this word at `at`, and no longer one.
static bool has_word(const Cutter *cutter, size_t at, Str word)
{
  return str_starts_with(str_slice(cutter->text, at, cutter->text.len), word) &&
         !py_is_name_char(char_at(cutter, at + word.len));
}

static bool starts_definition(const Cutter *cutter, size_t at)
{
  if (has_word(cutter, at, STR("async"))) {
    at += strlen("async");
    while (ascii_is_blank(char_at(cutter, at)))
      at++;
    return has_word(cutter, at, STR("def"));
  }
  return has_word(cutter, at, STR("def")) || has_word(cutter, at, STR("class"));
}

/// Whether the line goes on with a statement whose first lines are above.
static bool continues_statement(const Cutter *cutter, size_t at)
{
  static const Str words[] = { STR_INIT("else"), STR_INIT("elif"), STR_INIT("except"), STR_INIT("finally") };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (has_word(cutter, at, words[i]))
      return true;
  }
  return false;
}

static void cut(Cutter *cutter, size_t at)
{
  cutter->depth = 0;
  if (at > vec_last(cutter->parts)->start)
    vec_push(cutter->parts, (PyPart){ .start = (uint32_t)at });
}

static bool is_large(const Cutter *cutter, size_t at)
{
  return at - vec_last(cutter->parts)->start >= PART_SIZE;
}

/// A line that starts with blanks.
static void begin_inner_line(Cutter *cutter)
{
  if (!cutter->is_in_class || cutter->depth > 0)
    return;
  size_t at = cutter->at;
  while (ascii_is_blank(char_at(cutter, at)))
    at++;
  char c = char_at(cutter, at);
  if (c == '\r' || c == '\n' || c == '#' || c == '\0')
    return;
  Str indent = str_slice(cutter->text, cutter->at, at);
  if (cutter->indent.len == 0)
    cutter->indent = indent;
  if (!str_equal(indent, cutter->indent))
    return;
  bool is_decorated = cutter->has_decorated_inner;
  cutter->has_decorated_inner = c == '@';
  if (!is_decorated && is_large(cutter, cutter->at) && (c == '@' || starts_definition(cutter, at)))
    vec_push(cutter->parts, (PyPart){ .start = (uint32_t)cutter->at, .is_inner = true });
}

/// In brackets it may be a product of matrices.
static void begin_decorator(Cutter *cutter)
{
  if (cutter->decorators != NO_MARK)
    return;
  cutter->decorators = (uint32_t)cutter->at;
  cutter->decorator_depth = cutter->depth;
  if (cutter->depth == 0)
    cut(cutter, cutter->at);
}

/// A line starts here, outside of strings.
static void begin_line(Cutter *cutter)
{
  size_t at = cutter->at;
  switch (char_at(cutter, at)) {
  case ' ':
  case '\t':
    begin_inner_line(cutter);
    return;
  case '\r':
  case '\n':
  case '\f':
  case '#':
  case ')':
  case ']':
  case '}':
    return;
  case '@':
    begin_decorator(cutter);
    return;
  default:
    break;
  }
  bool is_definition = starts_definition(cutter, at);
  bool is_statement = cutter->depth == 0 && !continues_statement(cutter, at);
  if (is_definition)
    cut(cutter, cutter->decorators == NO_MARK ? at : cutter->decorators);
  else if (is_statement && (is_large(cutter, at) || vec_last(cutter->parts)->is_inner))
    cut(cutter, at);
  if (!is_definition && cutter->depth > 0)
    return;
  cutter->decorators = NO_MARK;
  cutter->is_in_class = is_definition && has_word(cutter, at, STR("class"));
  cutter->indent = (Str){ 0 };
  cutter->has_decorated_inner = false;
}

static void close_bracket(Cutter *cutter)
{
  cutter->at++;
  if (cutter->depth == 0)
    return;
  if (cutter->depth == cutter->decorator_depth)
    cutter->decorators = NO_MARK;  // So it was a product.
  cutter->depth--;
}

size_t py_parts_string_end(Str text, size_t at)
{
  char quote = text.data[at];
  Str triple = str_slice(text, at, at + 3 < text.len ? at + 3 : text.len);
  bool is_long = triple.len == 3 && triple.data[1] == quote && triple.data[2] == quote;
  for (at += is_long ? 3 : 1; at < text.len; at++) {
    char c = text.data[at];
    Str rest = str_slice(text, at, text.len);
    if (c == '\\') {
      // Also in a raw string a backslash keeps the quote after it.
      at += str_starts_with(rest, STR("\\\r\n")) ? 2 : 1;
    } else if (c == '\n' && !is_long) {
      return at;
    } else if (c == quote && !is_long) {
      return at + 1;
    } else if (c == quote && str_starts_with(rest, triple)) {
      return at + 3;
    }
  }
  return text.len;
}

size_t py_parts_comment_end(Str text, size_t at)
{
  size_t end = str_find_char(text, '\n', at);
  return end == STR_NOT_FOUND ? text.len : end;
}

/// What py_parts_find() looks at.
static const bool is_sign[256] = {
  ['\n'] = true, ['\\'] = true, ['#'] = true, ['"'] = true, ['\''] = true, ['('] = true,
  ['['] = true,  ['{'] = true,  [')'] = true, [']'] = true, ['}'] = true,
};

void py_parts_find(Str text, PyParts *ret_parts)
{
  Cutter cutter = { .text = text, .decorators = NO_MARK, .parts = ret_parts };
  vec_push(ret_parts, (PyPart){ 0 });
  begin_line(&cutter);
  while (cutter.at < text.len) {
    switch (text.data[cutter.at]) {
    case '\n':
      cutter.at++;
      begin_line(&cutter);
      break;
    case '\\':
      // The next line goes on with this one.
      cutter.at += char_at(&cutter, cutter.at + 1) == '\r' ? 3 : 2;
      break;
    case '#':
      cutter.at = py_parts_comment_end(text, cutter.at);
      break;
    case '"':
    case '\'':
      cutter.at = py_parts_string_end(text, cutter.at);
      break;
    case '(':
    case '[':
    case '{':
      cutter.depth++;
      cutter.at++;
      break;
    case ')':
    case ']':
    case '}':
      close_bracket(&cutter);
      break;
    default:
      while (++cutter.at < text.len && !is_sign[(unsigned char)text.data[cutter.at]]) {
      }
      break;
    }
  }
}
