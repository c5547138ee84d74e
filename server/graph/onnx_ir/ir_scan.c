#include "graph/onnx_ir/ir_scan.h"

#include "base/ascii.h"

Str ir_text(const IrScan *scan, OnnxSpan at)
{
  return str_slice(scan->text, at.start, at.end);
}

void ir_skip_space(IrScan *scan)
{
  for (bool is_comment = false; scan->at < scan->end; scan->at++) {
    char c = scan->text.data[scan->at];
    is_comment = c != '\n' && (is_comment || c == '#');
    if (!is_comment && !ascii_is_space(c))
      return;
  }
}

char ir_peek(IrScan *scan)
{
  ir_skip_space(scan);
  return scan->at < scan->end ? scan->text.data[scan->at] : '\0';
}

bool ir_take(IrScan *scan, char c)
{
  if (c == '\0' || ir_peek(scan) != c)
    return false;
  scan->at++;
  return true;
}

bool ir_take_word(IrScan *scan, Str word)
{
  ir_skip_space(scan);
  if (!str_starts_with(str_slice(scan->text, scan->at, scan->end), word))
    return false;
  scan->at += (uint32_t)word.len;
  return true;
}

bool ir_take_arrow(IrScan *scan)
{
  if (!ir_take_word(scan, STR("\xe2\xac\x85")))
    return false;
  ir_take_word(scan, STR("\xef\xb8\x8f"));
  return true;
}

static void skip_string(IrScan *scan)
{
  char quote = scan->text.data[scan->at++];
  while (scan->at < scan->end && scan->text.data[scan->at] != quote && scan->text.data[scan->at] != '\n')
    scan->at += scan->text.data[scan->at] == '\\' && scan->at + 1 < scan->end ? 2 : 1;
  scan->at += scan->at < scan->end;
}

/// Moves after the bracket that closes the one here; false, and to the end, if none does. Strings of Python count as
/// one.
static bool skip_brackets(IrScan *scan)
{
  uint32_t depth = 0;
  while (scan->at < scan->end) {
    char c = scan->text.data[scan->at];
    if (c == '\'' || c == '"') {
      skip_string(scan);
      continue;
    }
    scan->at++;
    depth += c == '{' || c == '[' || c == '(';
    depth -= depth > 0 && (c == '}' || c == ']' || c == ')');
    if (depth == 0)
      return true;
  }
  return false;
}

// --- Values ---

/// After the quote that ends a name: names may hold quotes, so it is one before what may follow a name.
static bool find_name_end(const IrScan *scan, uint32_t from, uint32_t *ret_end)
{
  for (uint32_t i = from; i < scan->end && scan->text.data[i] != '\n'; i++) {
    char next = i + 1 < scan->end ? scan->text.data[i + 1] : '\n';
    if (scan->text.data[i] == '"' && next != '\0' && strchr("<{,) \n\r", next)) {
      *ret_end = i;
      return true;
    }
  }
  return false;
}

/// `"x"`, or without quotes as older versions print it.
static bool take_name(IrScan *scan, IrValue *value)
{
  if (scan->at < scan->end && scan->text.data[scan->at] == '"') {
    uint32_t end;
    if (!find_name_end(scan, scan->at + 1, &end))
      return false;
    value->name = (OnnxSpan){ scan->at + 1, end };
    scan->at = end + 1;
    return true;
  }
  value->name.start = scan->at;
  while (scan->at < scan->end && !ascii_is_space(scan->text.data[scan->at]) &&
         !memchr("<{,()}>", scan->text.data[scan->at], 7))
    scan->at++;
  value->name.end = scan->at;
  return value->name.end > value->name.start;
}

/// `<FLOAT,[2,N]>`, `<Sequence(Tensor(FLOAT)),?>`, `<?,?>`
static bool take_type(IrScan *scan, IrValue *value)
{
  uint32_t start = scan->at + 1;
  uint32_t comma = start;
  while (comma < scan->end && !memchr(",<>\n", scan->text.data[comma], 4))
    comma++;
  if (comma >= scan->end || scan->text.data[comma] != ',')
    return false;
  scan->at = comma + 1;
  uint32_t shape = scan->at;
  if (scan->at < scan->end && scan->text.data[scan->at] == '[')
    skip_brackets(scan);
  else
    scan->at += scan->at < scan->end;
  if (scan->at >= scan->end || scan->text.data[scan->at] != '>')
    return false;
  if (scan->text.data[start] != '?')
    value->element = (OnnxSpan){ start, comma };
  if (scan->text.data[shape] == '[')
    value->shape = (OnnxSpan){ shape, scan->at };
  scan->at++;
  return true;
}

bool ir_take_value(IrScan *scan, IrValue *ret_value)
{
  ir_skip_space(scan);
  uint32_t start = scan->at;
  IrValue value = { .whole = { start, 0 } };
  bool is_good = ir_take(scan, '%') && take_name(scan, &value);
  value.whole.end = scan->at;
  if (is_good && scan->at < scan->end && scan->text.data[scan->at] == '<')
    is_good = take_type(scan, &value);
  if (!is_good) {
    scan->at = start;
    return false;
  }
  if (scan->at < scan->end && scan->text.data[scan->at] == '{') {
    uint32_t open = scan->at;
    skip_brackets(scan);
    value.data = (OnnxSpan){ open, scan->at };
  }
  *ret_value = value;
  return true;
}

// --- Operators and attributes ---

bool ir_take_operator(IrScan *scan, IrOperator *ret_operator)
{
  ir_skip_space(scan);
  uint32_t start = scan->at;
  uint32_t end = start;
  while (end < scan->end && !ascii_is_space(scan->text.data[end]) && scan->text.data[end] != '(')
    end++;
  Str word = str_slice(scan->text, start, end);
  size_t colons = str_find(word, STR("::"), 0);
  if (colons == STR_NOT_FOUND || end >= scan->end || scan->text.data[end] != '(')
    return false;
  size_t overload = str_find_char(word, ':', colons + 2);
  uint32_t op_end = overload == STR_NOT_FOUND ? end : start + (uint32_t)overload;
  *ret_operator = (IrOperator){ .domain = { start, start + (uint32_t)colons },
                                .op = { start + (uint32_t)colons + 2, op_end },
                                .overload = { op_end < end ? op_end + 1 : end, end } };
  scan->at = end;
  return ret_operator->op.end > ret_operator->op.start;
}

bool ir_take_key(IrScan *scan, OnnxSpan *ret_key)
{
  ir_skip_space(scan);
  uint32_t start = scan->at;
  uint32_t end = start;
  while (end < scan->end && (ascii_is_word(scan->text.data[end]) || scan->text.data[end] == '.'))
    end++;
  if (end == start || end >= scan->end || (scan->text.data[end] != '=' && scan->text.data[end] != ':'))
    return false;
  *ret_key = (OnnxSpan){ start, end };
  scan->at = end;
  return true;
}

/// `<INT64,[2]>` of a tensor.
static void skip_type(IrScan *scan)
{
  while (scan->at < scan->end && scan->text.data[scan->at] != '>' && scan->text.data[scan->at] != '\n')
    scan->at++;
}

void ir_skip_attribute_value(IrScan *scan)
{
  while (scan->at < scan->end) {
    char c = scan->text.data[scan->at];
    if (c == ',' || c == '}' || c == '\n' || c == '\r')
      return;
    if (c == '{' || c == '[' || c == '(')
      skip_brackets(scan);
    else if (c == '<')
      skip_type(scan);
    else if (c == '\'' || c == '"')
      skip_string(scan);
    else
      scan->at++;
  }
}
