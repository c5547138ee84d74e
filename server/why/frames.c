// One line of a traceback, in the forms that Python, IPython, rich, pytest and pybind11 print.

#include "why/cut.h"

#include "base/ascii.h"

/// The decimal number at `at`; 0 if there is none or it is not a line number.
static uint32_t number_at(Str s, size_t at, size_t *ret_end)
{
  size_t end = ascii_digits_end(s, at);
  uint64_t value = 0;
  *ret_end = end;
  return end > at && str_to_uint(str_slice(s, at, end), INT32_MAX, &value) ? (uint32_t)value : 0;
}

/// "forward" of "in forward(self, x)", "in Net.forward", "in <module>".
static Str function_name(Str s)
{
  size_t end = 0;
  while (end < s.len && s.data[end] != '(' && s.data[end] != ',' && s.data[end] != ' ')
    end++;
  return str_slice(s, 0, end);
}

/// What comes after ", in " or " in ".
static Str function_after(Str s, size_t at, Str word)
{
  Str rest = str_slice(s, at, s.len);
  return str_starts_with(rest, word) ? function_name(str_slice(rest, word.len, rest.len)) : (Str){ 0 };
}

/// File "model.py", line 12, in forward
static bool read_python(Str s, WhyFrame *frame)
{
  Str head = STR("File \"");
  size_t close = str_starts_with(s, head) ? str_find_char(s, '"', head.len) : STR_NOT_FOUND;
  if (close == STR_NOT_FOUND)
    return false;
  size_t end = close + 1;
  frame->path = str_slice(s, head.len, close);
  Str line = STR(", line ");
  if (str_starts_with(str_slice(s, end, s.len), line))
    frame->line = number_at(s, end + line.len, &end);
  frame->function = function_after(s, end, STR(", in "));
  return frame->path.len > 0;
}

/// Where ".py" ends in `s`; STR_NOT_FOUND if no file of Python is named.
static size_t python_file_end(Str s)
{
  for (size_t at = str_find(s, STR(".py"), 0); at != STR_NOT_FOUND; at = str_find(s, STR(".py"), at + 1)) {
    char next = at + 3 < s.len ? s.data[at + 3] : '\0';
    if (next == ':' || next == '(' || next == ' ' || next == '\0')
      return at + 3;
  }
  return STR_NOT_FOUND;
}

/// A path has no blank before its last part, unless it begins like one.
static bool is_path(Str path)
{
  bool is_rooted = path.len > 2 && (path.data[0] == '/' || path.data[0] == '~' || path.data[1] == ':');
  return path.len > 3 && path.len < 1024 && (is_rooted || str_find_char(path, ' ', 0) == STR_NOT_FOUND);
}

/// File ~/model.py:12, in forward(self, x); model.py:12: in forward; model.py:12 in forward; model.py(12): forward
static bool read_colon(Str s, WhyFrame *frame)
{
  if (str_starts_with(s, STR("File ")))
    s = str_slice(s, 5, s.len);
  size_t end = python_file_end(s);
  if (end == STR_NOT_FOUND || end + 1 >= s.len || !ascii_is_digit(s.data[end + 1]))
    return false;
  frame->path = str_slice(s, 0, end);
  bool is_call = s.data[end] == '(';
  frame->line = number_at(s, end + 1, &end);
  Str rest = str_slice(s, end, s.len);
  if (is_call) {
    frame->function = function_after(rest, 0, STR("): "));
    frame->is_inner_first = true;
    return frame->function.len > 0 && is_path(frame->path);
  }
  frame->function = function_after(rest, 0, STR(", in "));
  if (frame->function.len == 0)
    frame->function = function_after(rest, 0, STR(": in "));
  if (frame->function.len == 0)
    frame->function = function_after(rest, 0, STR(" in "));
  return frame->function.len > 0 && is_path(frame->path);
}

/// ~/model.py in forward(self, x); <ipython-input-3-abc> in <module>; Cell In[3], line 5
static bool read_notebook(Str s, WhyFrame *frame)
{
  size_t in = str_find(s, STR(" in "), 0);
  size_t line = str_find(s, STR(", line "), 0);
  bool is_cell = str_starts_with(s, STR("Cell In")) && line != STR_NOT_FOUND;
  size_t end = 0;
  if (is_cell) {
    frame->path = str_slice(s, 0, line);
    frame->line = number_at(s, line + 7, &end);
    frame->function = function_after(s, end, STR(", in "));
    return frame->line > 0;
  }
  bool is_input = str_starts_with(s, STR("<ipython-input-"));
  if (in == STR_NOT_FOUND || (!is_input && python_file_end(s) != in))
    return false;
  frame->path = str_slice(s, 0, in);
  frame->function = function_after(s, in, STR(" in "));
  return is_input || is_path(frame->path);
}

/// [~/model.py](https://...) in forward(self, x), File [~/model.py:12](https://...), in forward: links of notebooks.
static bool read_link(Str s, WhyFrame *frame)
{
  size_t open = str_starts_with(s, STR("File [")) ? 6 : 1;
  size_t middle = str_find(s, STR("]("), 0);
  size_t close = middle == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(s, ')', middle);
  if (close == STR_NOT_FOUND || s.data[open - 1] != '[')
    return false;
  Str path = str_slice(s, open, middle);
  size_t end = python_file_end(path);
  Str rest = str_slice(s, close + 1, s.len);
  frame->function = function_after(rest, 0, STR(" in "));
  if (frame->function.len == 0)
    frame->function = function_after(rest, 0, STR(", in "));
  if (end == STR_NOT_FOUND || frame->function.len == 0)
    return false;
  frame->path = str_slice(path, 0, end);
  frame->line = number_at(path, end + 1, &end);
  return true;
}

/// (node defined in /home/model.py(12): forward; Caused by: (torchvision/ops/boxes.py:97 in forward). Files of torch
/// itself are written relative to its folder there: _ops.py.
static bool read_remark(Str s, WhyFrame *frame)
{
  static const Str heads[] = { STR_INIT("(node defined in "), STR_INIT("Caused by: (") };
  for (size_t i = 0; i < COUNT(heads); i++) {
    Str rest = str_slice(s, heads[i].len, s.len);
    if (str_starts_with(s, heads[i]) && !str_starts_with(rest, STR("_")) &&
        read_colon(str_ends_with(rest, STR(")")) ? str_slice(rest, 0, rest.len - 1) : rest, frame))
      return true;
  }
  return false;
}

bool why_read_frame(Str line, WhyFrame *ret_frame)
{
  Str s = str_trim(line);
  WhyFrame frame = { 0 };
  if (s.len == 0 || s.len > 4096)
    return false;
  bool is_frame = read_python(s, &frame) || read_remark(s, &frame) || read_link(s, &frame) || read_colon(s, &frame) ||
                  read_notebook(s, &frame);
  if (is_frame)
    *ret_frame = frame;
  return is_frame;
}

bool why_read_source(Str line, WhyFrame *ret_frame)
{
  Str s = str_trim(line);
  Str sign = STR("File: ");
  size_t at = s.len > 0 && s.data[0] == '#' ? str_find(s, sign, 0) : STR_NOT_FOUND;
  WhyFrame frame = { 0 };
  if (at == STR_NOT_FOUND || !read_colon(str_slice(s, at + sign.len, s.len), &frame))
    return false;
  *ret_frame = frame;
  return true;
}

static bool path_has_at(Str path, size_t at, Str words)
{
  for (size_t i = 0; i < words.len; i++) {
    char c = path.data[at + i];
    if (c != words.data[i] && !(c == '\\' && words.data[i] == '/'))
      return false;
  }
  return true;
}

bool why_path_holds(Str path, Str words)
{
  for (size_t at = 0; at + words.len <= path.len; at++) {
    if (path_has_at(path, at, words))
      return true;
  }
  return false;
}

static bool holds_any(Str path, const Str *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (why_path_holds(path, words[i]))
      return true;
  }
  return false;
}

bool why_is_installed(Str path)
{
  static const Str words[] = {
    STR_INIT("site-packages"), STR_INIT("dist-packages"), STR_INIT("/lib/python"), STR_INIT("\\lib\\"),
    STR_INIT("<frozen"),       STR_INIT("<string>"),      STR_INIT("<eval_with"),  STR_INIT("<attrs"),
    STR_INIT("importlib"),     STR_INIT("\\Lib\\"),       STR_INIT("<__array"),    STR_INIT("runpy.py"),
  };
  return holds_any(path, words, COUNT(words)) || why_is_exporter(path);
}

bool why_is_exporter(Str path)
{
  static const Str words[] = {
    STR_INIT("/torch/"),     STR_INIT("/onnx/"),        STR_INIT("/onnxscript/"),
    STR_INIT("/onnx_ir/"),   STR_INIT("/onnxruntime/"), STR_INIT("/torchgen/"),
    STR_INIT("/functorch/"), STR_INIT("/sympy/"),       STR_INIT("/numpy/"),
  };
  static const Str starts[] = { STR_INIT("torch/"), STR_INIT("onnxscript/"), STR_INIT("onnxruntime/"),
                                STR_INIT("_export/") };
  for (size_t i = 0; i < COUNT(starts); i++) {
    if (path.len >= starts[i].len && path_has_at(path, 0, starts[i]))
      return true;
  }
  return holds_any(path, words, COUNT(words));
}
