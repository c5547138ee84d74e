#include "graph/model/damaged_text.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "text/marker.h"

bool text_is_malformed_op(Str op)
{
  size_t colon = str_find_char(op, ':', 0);
  if (op.len == 0)
    return false;
  if (colon == 0 || op.data[op.len - 1] == ':' || (colon != STR_NOT_FOUND && op.data[colon + 1] != ':'))
    return true;
  return str_find_char(op, '@', 0) != STR_NOT_FOUND;
}

bool text_is_identifier(Str name)
{
  size_t i = 1;
  while (i < name.len && ascii_is_dotted(name.data[i]))
    i++;
  return i == name.len && i > 1;
}

size_t text_find_assignment(Str line)
{
  uint32_t depth = 0;
  for (size_t i = 0; i < line.len; i++) {
    char c = line.data[i];
    if (c == '=' && depth == 0)
      return i;
    if (c == '(' || c == '[')
      depth++;
    else if ((c == ')' || c == ']') && depth > 0)
      depth--;
  }
  return line.len;
}

bool text_is_damaged_statement(Str rest, char name_sign)
{
  if (rest.len < 2 || rest.data[0] != name_sign || rest.data[1] == ' ' || rest.data[1] == '"')
    return false;
  for (size_t colons = str_find(rest, STR("::"), 0); colons != STR_NOT_FOUND;
       colons = str_find(rest, STR("::"), colons + 2)) {
    size_t end = colons + 2;
    while (end < rest.len && ascii_is_dotted(rest.data[end]))
      end++;
    bool is_call = end > colons + 2 && end < rest.len && (rest.data[end] == '(' || rest.data[end] == '[');
    if (is_call && colons > 0 && ascii_is_dotted(rest.data[colons - 1]) &&
        (text_find_assignment(rest) < rest.len || str_contains(rest, STR(" : "))))
      return true;
  }
  return false;
}

bool text_says_gap(Str line)
{
  static const char *const words[] = { "...", "\xe2\x80\xa6", "truncated", "omitted" };
  return str_contains_one_of(line, words, COUNT(words)) && marker_find(line, 0) == STR_NOT_FOUND;
}
