// Whether a text can have anything to do with torch.onnx. Most Python has not, and is not parsed then.
//
// "onnx" is in nearly all that has: in an import, a call, a name. Four things need no such word: an autograd function
// with a symbolic(), a module of symbolic functions that another one registers, operators of a library of one's own,
// and programs that are captured for another file to export. "symbolic" alone says little: PyTorch and sympy speak of
// symbolic shapes everywhere.

#include "base/ascii.h"
#include "python/model/python_model.h"
#include "python/syntax/python_parts.h"

static bool has_word(Str text, Str word, size_t rare)
{
  return str_find_by(text, word, rare, 0) != STR_NOT_FOUND;
}

/// Symbolic functions take the graph first, which everybody calls g: `def elu(g, x)`, `def elu(g: GraphContext)`.
static bool has_graph_parameter(Str text)
{
  for (size_t at = 0; (at = str_find_by(text, STR("(g"), 0, at)) != STR_NOT_FOUND; at++) {
    size_t next = ascii_blanks_end(text, at + 2);
    if (next < text.len && (text.data[next] == ',' || text.data[next] == ':'))
      return true;
  }
  return false;
}

/// `symbolic` itself, as it is named where a class or a call has one, or a module of torch.onnx.
static bool is_name_of_ours(Str text, size_t start, size_t end)
{
  static const char *const modules[] = { "_helper", "_opset", "_registry", "_caffe2" };
  Str rest = str_slice(text, end, text.len);
  for (size_t i = 0; i < COUNT(modules); i++) {
    if (str_starts_with(rest, str_from(modules[i])))
      return true;
  }
  bool is_whole =
      (start == 0 || !py_is_name_char(text.data[start - 1])) && (end == text.len || !py_is_name_char(text.data[end]));
  if (!is_whole)
    return false;
  Str before = str_slice(text, 0, ascii_blanks_start(text, start));
  size_t next = ascii_blanks_end(text, end);
  bool is_line_start = before.len == 0 || *(before.data + before.len - 1) == '\n';
  return str_ends_with(before, STR("def")) || str_ends_with(before, STR(".")) || str_ends_with(before, STR("\"")) ||
         str_ends_with(before, STR("'")) || (is_line_start && next < text.len && text.data[next] == '=');
}

bool python_is_relevant(Str text)
{
  static const Str symbolic = STR_INIT("symbolic");
  if (has_word(text, STR("onnx"), 3) || has_word(text, STR("g.op("), 1))
    return true;
  if (has_word(text, STR("torch.export"), 8) || has_word(text, STR("torch.library"), 8) ||
      has_word(text, STR("TORCH_LIBRARY"), 8))
    return true;
  size_t first = str_find_by(text, symbolic, 3, 0);
  for (size_t at = first; at != STR_NOT_FOUND; at = str_find_by(text, symbolic, 3, at + 1)) {
    if (is_name_of_ours(text, at, at + symbolic.len))
      return true;
  }
  return first != STR_NOT_FOUND && has_graph_parameter(text);
}
