#include "python/syntax/python_depth.h"

#include "base/limits.h"
#include "base/memory.h"
#include "python/syntax/python_parts.h"

typedef struct Depth {
  Str text;
  uint32_t brackets;
  uint32_t signs;
  char *copy;  ///< NULL until something is left out.
  Unread left_out;
} Depth;

static void leave_out(Depth *depth, size_t at, size_t end)
{
  if (!depth->copy) {
    depth->copy = memcpy(xmalloc(depth->text.len), depth->text.data, depth->text.len);
    depth->left_out = (Unread){ .start = (uint32_t)at, .reason = UNREAD_DEEPER_THAN_PYTHON };
  }
  depth->left_out.end = (uint32_t)end;
  for (; at < end; at++) {
    if (depth->text.data[at] != '\n' && depth->text.data[at] != '\r')
      depth->copy[at] = ' ';
  }
}

/// A value stands for the bracket, unless it calls or indexes what is before it.
static void leave_out_bracket(Depth *depth, size_t at)
{
  char before = at > 0 ? depth->text.data[at - 1] : ' ';
  bool follows_value = py_is_name_char(before) || strchr(")]}\"'", before);
  leave_out(depth, at, at + 1);
  if (depth->brackets == PY_DEPTH_LIMIT + 1 && !follows_value)
    depth->copy[at] = '0';
}

/// Returns where the token ends, as far as tokens matter here.
static size_t pass(Depth *depth, size_t at)
{
  char c = depth->text.data[at];
  bool is_sign = c == '-' || c == '+' || c == '~';
  if (!is_sign && !ascii_is_space(c))
    depth->signs = 0;
  switch (c) {
  case '(':
  case '[':
  case '{':
    if (++depth->brackets > PY_DEPTH_LIMIT)
      leave_out_bracket(depth, at);
    return at + 1;
  case '"':
  case '\'':
    return py_parts_string_end(depth->text, at);
  case '#':
    return py_parts_comment_end(depth->text, at);
  default:
    break;
  }
  if (is_sign && ++depth->signs > PY_DEPTH_LIMIT)
    leave_out(depth, at, at + 1);
  return at + 1;
}

char *py_without_depth(Str text, Unread *ret_left_out)
{
  Depth depth = { .text = text };
  for (size_t at = 0; at < text.len;) {
    bool is_deep = depth.brackets > PY_DEPTH_LIMIT;
    size_t end = pass(&depth, at);
    if (is_deep)
      leave_out(&depth, at, end);
    bool closes = strchr(")]}", text.data[at]) && text.data[at] != '\0';
    if (closes && depth.brackets > 0)
      depth.brackets--;
    at = end;
  }
  if (depth.copy)
    *ret_left_out = depth.left_out;
  return depth.copy;
}
