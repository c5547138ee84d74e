// Whether a text can have anything to do with torch.onnx. Most Python has not, and is not parsed then.
//
// "onnx" is in nearly all that has: in an import, a call, a name. Five things need no such word: an autograd function
// with a symbolic(), a module of symbolic functions that another one registers, operators of a library of one's own,
// and models and captured programs that another file exports. "symbolic" alone says little: PyTorch and sympy speak of
// symbolic shapes everywhere. What only comments speak of is not there, but for comments to us.

#include <string.h>

#include "base/ascii.h"
#include "python/model/python_model.h"
#include "python/syntax/python_parts.h"

static bool is_in_comment(Str text, size_t at)
{
  size_t line = str_rfind_char(str_slice(text, 0, at), '\n');
  size_t first = ascii_blanks_end(text, line == STR_NOT_FOUND ? 0 : line + 1);
  return first < at && text.data[first] == '#' && !str_starts_with(str_slice(text, at, text.len), STR("onnxls"));
}

static bool has_word(Str text, Str word)
{
  size_t at = str_find(text, word, 0);
  while (at != STR_NOT_FOUND && is_in_comment(text, at))
    at = str_find(text, word, at + 1);
  return at != STR_NOT_FOUND;
}

static bool has_name_of(Str text, const Str *names, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t at = 0;
    for (; (at = str_find(text, names[i], at)) != STR_NOT_FOUND; at++) {
      size_t end = at + names[i].len;
      if ((at == 0 || !py_is_name_char(text.data[at - 1])) && (end == text.len || !py_is_name_char(text.data[end])))
        return true;
    }
  }
  return false;
}

/// What captures a program, or says which of its sizes vary: of `torch.export.export(` and `from torch.export import
/// Dim, export`. The module has much else, which compilers use.
static bool captures(Str text, size_t start, size_t end)
{
  static const Str names[] = { STR_INIT("export"),
                               STR_INIT("draft_export"),
                               STR_INIT("export_for_training"),
                               STR_INIT("export_for_inference"),
                               STR_INIT("Dim"),
                               STR_INIT("dims"),
                               STR_INIT("ShapesCollection"),
                               STR_INIT("AdditionalInputs"),
                               STR_INIT("save"),
                               STR_INIT("load"),
                               STR_INIT("*") };
  Str before = str_slice(text, 0, ascii_blanks_start(text, start));
  Str rest = str_slice(text, end, text.len);
  size_t line_end = str_find_char(rest, '\n', 0);
  Str line = str_slice(rest, 0, line_end == STR_NOT_FOUND ? rest.len : line_end);
  if (str_starts_with(line, STR("."))) {
    size_t name_end = 1;
    while (name_end < line.len && py_is_name_char(line.data[name_end]))
      name_end++;
    Str name = str_slice(line, 1, name_end);
    return has_name_of(str_equal(name, STR("dynamic_shapes")) ? line : name, names, COUNT(names) - 1);
  }
  if (str_ends_with(before, STR("import")))
    return true;
  size_t open = str_find_char(line, '(', 0);
  size_t close = open == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(rest, ')', open);
  return str_ends_with(before, STR("from")) &&
         has_name_of(close == STR_NOT_FOUND ? line : str_slice(rest, 0, close), names, COUNT(names));
}

static bool has_capture(Str text)
{
  static const Str module = STR_INIT("torch.export");
  size_t at = str_find(text, module, 0);
  while (at != STR_NOT_FOUND && (is_in_comment(text, at) || !captures(text, at, at + module.len)))
    at = str_find(text, module, at + 1);
  return at != STR_NOT_FOUND;
}

/// The name and the blanks before an offset are those of a `def`.
static bool is_defined_before(Str text, size_t at)
{
  size_t name_end = ascii_blanks_start(text, at);
  size_t name = name_end;
  while (name > 0 && py_is_name_char(text.data[name - 1]))
    name--;
  return name < name_end && str_ends_with(str_slice(text, 0, ascii_blanks_start(text, name)), STR("def"));
}

/// The annotation at an offset is of a graph in another module than torch's own: `fx.Graph`, `nx.DiGraph`.
static bool names_other_graph(Str text, size_t at)
{
  size_t start = ascii_blanks_end(text, at);
  size_t end = start;
  while (end < text.len && (py_is_name_char(text.data[end]) || text.data[end] == '.'))
    end++;
  Str name = str_slice(text, start, end);
  size_t dot = str_rfind_char(name, '.');
  bool is_graph = str_ends_with(name, STR("Graph")) || str_ends_with(name, STR("GraphModule"));
  if (!is_graph || dot == STR_NOT_FOUND)
    return false;
  Str module = str_slice(name, 0, dot);
  return !str_equal(module, STR("torch")) && !str_ends_with(module, STR("_C"));
}

/// Symbolic functions take the graph first, which everybody calls g: `def elu(g, x)`, `def elu(g: GraphContext)`.
static bool has_graph_parameter(Str text)
{
  for (size_t at = 0; (at = str_find(text, STR("(g"), at)) != STR_NOT_FOUND; at++) {
    size_t next = ascii_blanks_end(text, at + 2);
    bool is_first = next < text.len && (text.data[next] == ',' || text.data[next] == ':');
    if (is_first && !names_other_graph(text, next + 1) && is_defined_before(text, at))
      return true;
  }
  return false;
}

/// A string in a list, or a key: `setattr(R, "symbolic", helper)`, but no `mode="symbolic"`.
static bool is_item(Str text, size_t start, size_t end)
{
  bool is_string = start > 0 && end < text.len && (text.data[start - 1] == '"' || text.data[start - 1] == '\'') &&
                   text.data[end] == text.data[start - 1];
  if (!is_string)
    return false;
  size_t before = ascii_blanks_start(text, start - 1);
  size_t next = ascii_blanks_end(text, end + 1);
  return before > 0 && strchr(",{(\n", text.data[before - 1]) && next < text.len && strchr(",:", text.data[next]);
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
  return str_ends_with(before, STR("def")) || str_ends_with(before, STR(".")) || is_item(text, start, end) ||
         (is_line_start && next < text.len && text.data[next] == '=');
}

/// Anything but models.
static bool speaks_of_export(Str text)
{
  static const Str symbolic = STR_INIT("symbolic");
  if (has_word(text, STR("onnx")) || has_word(text, STR("g.op(")))
    return true;
  if (has_capture(text) || has_word(text, STR("torch.library")) || has_word(text, STR("torch import library")) ||
      has_word(text, STR("TORCH_LIBRARY")) || has_word(text, STR("capture_pre_autograd_graph")))
    return true;
  size_t first = str_find(text, symbolic, 0);
  for (size_t at = first; at != STR_NOT_FOUND; at = str_find(text, symbolic, at + 1)) {
    if (is_name_of_ours(text, at, at + symbolic.len))
      return true;
  }
  return first != STR_NOT_FOUND && has_graph_parameter(text);
}

bool python_is_relevant(Str text)
{
  return (has_word(text, STR("nn.Module)")) && has_word(text, STR("def forward("))) || speaks_of_export(text);
}

/// A module of torch under another name than its own: `from torch import export`, `th.export.export(m)`.
static bool names_module(Str text, Str module)
{
  bool is_import = false;  // `import` stands before, in the same line.
  size_t last = 0;
  for (size_t at = 0; (at = str_find(text, module, at)) != STR_NOT_FOUND; last = at++) {
    Str gap = str_slice(text, last, at);
    size_t line = str_rfind_char(gap, '\n');
    is_import = (line == STR_NOT_FOUND && is_import) ||
                str_contains(str_slice(gap, line == STR_NOT_FOUND ? 0 : line, gap.len), STR("import"));
    Str before = str_slice(text, 0, at);
    size_t end = at + module.len;
    bool is_part = at > 0 && text.data[at - 1] == '.';
    bool is_whole = at > 0 && !py_is_name_char(text.data[at - 1]) && end < text.len && !py_is_name_char(text.data[end]);
    if (!is_whole || str_ends_with(before, STR("torch.")) || str_ends_with(before, STR("jit.")))
      continue;
    if ((is_part && text.data[end] == '.') || (!is_part && is_import))
      return true;
  }
  return false;
}

bool python_is_passive(Str text)
{
  return !speaks_of_export(text) && !names_module(text, STR("export")) && !names_module(text, STR("library"));
}

/// Where what comes after a word and blanks starts; `at` itself if the word is not there.
static size_t after_word(Str text, size_t at, Str word)
{
  size_t end = at + word.len;
  size_t next = str_starts_with(str_slice(text, at, end), word) ? ascii_blanks_end(text, end) : end;
  return next > end ? next : at;
}

void python_each_definition(Str text, NameVisitor *visit, void *context)
{
  for (size_t line = 0; line < text.len;) {
    size_t keyword = after_word(text, ascii_blanks_end(text, line), STR("async"));
    size_t name = after_word(text, keyword, STR("def"));
    if (name == keyword)
      name = after_word(text, keyword, STR("class"));
    size_t end = name;
    while (end < text.len && py_is_name_char(text.data[end]))
      end++;
    if (name > keyword && end > name)
      visit(str_slice(text, name, end), context);
    size_t line_end = str_find_char(text, '\n', line);
    line = line_end == STR_NOT_FOUND ? text.len : line_end + 1;
  }
}
