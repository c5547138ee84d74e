// Edits that several Python rules offer as fixes.

#include "python/rules/python_edit.h"

#include "base/ascii.h"

/// The text between the quotes of a literal that is in the source as it is; false for an f-string.
static bool string_body(Str text, size_t *ret_start, size_t *ret_end)
{
  size_t start = 0;
  for (; start < text.len && text.data[start] != '"' && text.data[start] != '\''; start++) {
    if ((text.data[start] | 0x20) == 'f')
      return false;
  }
  Str rest = str_slice(text, start, text.len);
  size_t quote = str_starts_with(rest, STR("\"\"\"")) || str_starts_with(rest, STR("'''")) ? 3 : 1;
  if (rest.len < 2 * quote || str_find_char(text, '\\', 0) != STR_NOT_FOUND)
    return false;
  *ret_start = start + quote;
  *ret_end = text.len - quote;
  return true;
}

const Fix *py_edit_string(DiagSink *sink, bool is_safe, PyRef node, Str text)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  size_t start;
  size_t end;
  if (!node || py_kind(tree, node) != PYK_STRING || !string_body(py_text(tree, node), &start, &end))
    return NULL;
  Range at = py_range(sink, node);
  return py_fix(sink, is_safe, arena_printf(sink->arena, "Write '%.*s'", STR_ARG(text)),
                (Range){ at.start + start, at.start + end }, text);
}

const Fix *py_edit_replace(DiagSink *sink, bool is_safe, PyRef node, Str text)
{
  return py_fix(sink, is_safe, arena_printf(sink->arena, "Write %.*s", STR_ARG(text)), py_range(sink, node), text);
}

const Fix *py_edit_after(DiagSink *sink, bool is_safe, Str title, PyRef node, Str text)
{
  size_t end = py_range(sink, node).end;
  return py_fix(sink, is_safe, title, (Range){ end, end }, text);
}

/// Comments belong to the user: where one is between an element and its comma or neighbour, it stays.
static Range removal(const PyTree *tree, PyRef element)
{
  size_t start = tree->nodes[element].start;
  size_t end = tree->nodes[element].end;
  PyRef next = py_next_sibling(tree, element);
  size_t comma = end;
  while (comma < tree->text.len && ascii_is_space(tree->text.data[comma]))
    comma++;
  if (comma < tree->text.len && tree->text.data[comma] == ',') {
    size_t after = comma + 1;
    while (after < tree->text.len && ascii_is_space(tree->text.data[after]))
      after++;
    if (next && after == tree->nodes[next].start)
      return (Range){ start, after };
    if (next)
      return (Range){ start, comma + 1 };
  }
  size_t before = start;
  while (before > 0 && ascii_is_space(tree->text.data[before - 1]))
    before--;
  if (before > 0 && tree->text.data[before - 1] == ',')
    start = before - 1;
  return (Range){ start, end };
}

const Fix *py_edit_remove(DiagSink *sink, bool is_safe, Str title, PyRef element)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyNodeKind list = py_kind(tree, tree->nodes[element].parent);
  bool is_element = list == PYK_ARGUMENT_LIST || list == PYK_DICTIONARY || list == PYK_LIST || list == PYK_TUPLE;
  return is_element ? py_fix(sink, is_safe, title, removal(tree, element), STR("")) : NULL;
}

const Fix *py_edit_append(DiagSink *sink, bool is_safe, Str title, PyRef list, Str text)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef last = 0;
  for (PY_EACH_CHILD(tree, child, list))
    last = child;
  size_t close = tree->nodes[list].end - 1;
  if (!last || tree->nodes[list].has_error)
    return last ? NULL : py_fix(sink, is_safe, title, (Range){ close, close }, text);
  size_t end = tree->nodes[last].end;
  size_t comma = end;
  while (comma < close && ascii_is_space(tree->text.data[comma]))
    comma++;
  Str with_comma = arena_printf(sink->arena, ", %.*s", STR_ARG(text));
  if (comma < close && tree->text.data[comma] == ',')
    return py_fix(sink, is_safe, title, (Range){ comma, comma }, with_comma);
  return py_fix(sink, is_safe, title, (Range){ end, end }, with_comma);
}

Str py_edit_plain_words(Str words, Arena *arena)
{
  Str text = arena_copy(arena, words);
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '`')
      ((char *)text.data)[i] = '\'';
  }
  return text;
}
