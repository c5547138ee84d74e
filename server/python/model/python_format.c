// The fields of f-strings, `{alpha:.3f}`, whose insides have no nodes.

#include "base/ascii.h"
#include "python/model/python_model.h"

static Str word_at(Str text, size_t *at)
{
  size_t start = *at = ascii_blanks_end(text, *at);
  while (*at < text.len && ascii_is_word(text.data[*at]))
    (*at)++;
  Str word = str_slice(text, start, *at);
  *at = ascii_blanks_end(text, *at);
  return word;
}

/// What stands after a colon, up to the brace.
static Str format_at(Str text, size_t colon)
{
  size_t end = colon;
  while (end < text.len && text.data[end] != '}')
    end++;
  return str_slice(text, colon + 1, end);
}

/// The rest of `name.mean().item():.3f` from the member on.
static void read_calls(Str text, size_t at, PyFormatField *field)
{
  Str called = field->member;
  while (str_at(text, at) == '(' && str_at(text, at + 1) == ')') {
    at += 2;
    field->last_called = called;
    if (str_at(text, at) != '.')
      break;
    at++;
    called = word_at(text, &at);
  }
  if (field->last_called.len > 0 && str_at(text, at) == ':')
    field->member_format = format_at(text, at);
  else
    field->last_called = (Str){ 0 };
}

/// What stands after an opening brace.
static PyFormatField read_field(Str text, size_t at)
{
  PyFormatField field = { .name = word_at(text, &at) };
  if (str_at(text, at) == '(') {
    at++;
    field.function = field.name;
    field.name = word_at(text, &at);
    if (str_at(text, at) != ')')
      field.name = (Str){ 0 };
  } else if (str_at(text, at) == '.') {
    at++;
    field.member = word_at(text, &at);
    read_calls(text, at, &field);
  } else if (str_at(text, at) == ':') {
    field.specification = format_at(text, at);
  }
  return field;
}

bool py_format_field_next(Str literal, size_t *at, PyFormatField *ret_field)
{
  if (*at == 0) {
    bool is_format = false;
    for (; *at < literal.len && literal.data[*at] != '"' && literal.data[*at] != '\''; (*at)++)
      is_format |= (literal.data[*at] | 0x20) == 'f';
    if (!is_format)
      return false;
  }
  for (; *at < literal.len; (*at)++) {
    if (literal.data[*at] != '{')
      continue;
    (*at)++;
    if (str_at(literal, *at) == '{')
      continue;  // `{{` is a brace.
    *ret_field = read_field(literal, *at);
    return true;
  }
  return false;
}
