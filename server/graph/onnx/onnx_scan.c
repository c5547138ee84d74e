#include "graph/onnx/onnx_scan.h"

#include <errno.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/onnx/onnx_tree.h"

enum { QUOTE_SHOWN = 24 };

void onnx_scan_mistake(OnnxScan *scan, uint32_t start, uint32_t end, Str message, bool damages)
{
  OnnxModel *model = scan->model;
  model->is_damaged |= damages;
  if (model->mistakes.count >= ONNX_MISTAKE_LIMIT) {
    model->mistakes_beyond++;
    return;
  }
  if (end > scan->text.len)
    end = (uint32_t)scan->text.len;
  vec_push(&model->mistakes, (OnnxMistake){ .at = { start, end }, .message = message });
}

static void skip_line(OnnxScan *scan)
{
  while (scan->at < scan->text.len && scan->text.data[scan->at] != '\n')
    scan->at++;
}

/// `# …; refused: no data`: what a printer of a binary model says of it.
static void skip_comment(OnnxScan *scan)
{
  static const Str word = STR_INIT(ONNX_REFUSED_NOTE);
  uint32_t start = scan->at;
  skip_line(scan);
  Str text = str_slice(scan->text, start, scan->at);
  static const Str unwritten = STR_INIT("attribute without a value that ONNX text has, ");
  size_t found = str_find(text, unwritten, 0);
  if (found == 2)
    scan->unwritten = (OnnxSpan){ start + (uint32_t)(found + unwritten.len), scan->at };
  scan->lacks_attrs |= found != STR_NOT_FOUND;
  size_t at = text.len > 10 ? str_find(text, word, 0) : STR_NOT_FOUND;
  bool is_new = scan->model->refusals.count == 0 || vec_last(&scan->model->refusals)->start < start;
  bool is_note = at != STR_NOT_FOUND && (at == 2 || str_equal(str_slice(text, at - 2, at), STR("; ")));
  if (is_note && is_new && scan->model->refusals.count < ONNX_MISTAKE_LIMIT)
    vec_push(&scan->model->refusals, (OnnxSpan){ start + (uint32_t)(at + word.len), scan->at });
}

/// `// RUN: …`, as the tests of compilers have it: no syntax of ONNX.
static void skip_slashes(OnnxScan *scan)
{
  uint32_t start = scan->at;
  skip_line(scan);
  if (!scan->has_slashes)
    onnx_scan_mistake(scan, start, scan->at, STR("A comment of ONNX text begins with `#`, not with `//`."), false);
  scan->has_slashes = true;
}

void onnx_skip_blanks(OnnxScan *scan)
{
  const char *data = scan->text.data;
  for (;;) {
    while (scan->at < scan->text.len && ascii_is_space(data[scan->at]))
      scan->at++;
    if (scan->at < scan->text.len && data[scan->at] == '#')
      skip_comment(scan);
    else if (scan->at + 1 < scan->text.len && data[scan->at] == '/' && data[scan->at + 1] == '/')
      skip_slashes(scan);
    else
      return;
  }
}

bool onnx_take_arrow(OnnxScan *scan)
{
  if (onnx_peek(scan) != '=' || scan->at + 1 >= scan->text.len || scan->text.data[scan->at + 1] != '>')
    return false;
  scan->at += 2;
  return true;
}

Str onnx_peek_word(OnnxScan *scan)
{
  onnx_skip_space(scan);
  uint32_t end = scan->at;
  if (end < scan->text.len && ascii_is_name_start(scan->text.data[end])) {
    while (end < scan->text.len && ascii_is_word(scan->text.data[end]))
      end++;
  }
  return str_slice(scan->text, scan->at, end);
}

bool onnx_take_word(OnnxScan *scan, Str *ret_word)
{
  *ret_word = onnx_peek_word(scan);
  scan->at += (uint32_t)ret_word->len;
  return ret_word->len > 0;
}

static Str unescape(Arena *arena, Str text)
{
  char *copy = arena_alloc(arena, text.len + 1);
  size_t len = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] == '\\' && i + 1 < text.len)
      i++;
    copy[len++] = text.data[i];
  }
  return str_make(copy, len);
}

bool onnx_take_string(OnnxScan *scan, Str *ret_text)
{
  if (onnx_peek(scan) != '"')
    return false;
  uint32_t start = scan->at;
  uint32_t end = start + 1;
  bool has_escape = false;
  while (end < scan->text.len && scan->text.data[end] != '"') {
    bool escapes = scan->text.data[end] == '\\' && end + 1 < scan->text.len;
    has_escape |= escapes;
    end += escapes ? 2 : 1;
  }
  *ret_text = str_slice(scan->text, start + 1, end);
  if (has_escape)
    *ret_text = unescape(scan->arena, *ret_text);
  if (end < scan->text.len) {
    scan->at = end + 1;
    return true;
  }
  skip_line(scan);  // The quote that is missing was meant to stand on this line.
  *ret_text = str_slice(scan->text, start + 1, scan->at);
  onnx_scan_mistake(scan, start, scan->at, STR("This string has no closing `\"`."), true);
  scan->is_silent = true;
  return true;
}

/// What a name may be made of that was printed without quotes; a comma, a bracket or a blank ends it.
static bool is_bare(char c)
{
  return (unsigned char)c > ' ' && !memchr(",()[]{}<>=\"#", c, 12);
}

static bool take_bare_name(OnnxScan *scan, OnnxName *ret_name)
{
  uint32_t start = scan->at;
  uint32_t end = start;
  while (end < scan->text.len && is_bare(scan->text.data[end]))
    end++;
  if (end == start)
    return false;
  scan->at = end;
  *ret_name = (OnnxName){ .text = str_slice(scan->text, start, end), .at = { start, end } };
  if (scan->bare_names++ == 0) {
    scan->bare_mistake = scan->model->mistakes.count;
    onnx_scan_mistake(scan, start, end, (Str){ 0 }, false);
  }
  if (scan->model->bare_names.count < ONNX_MISTAKE_LIMIT)
    vec_push(&scan->model->bare_names, (OnnxSpan){ start, end });
  return true;
}

bool onnx_take_name(OnnxScan *scan, OnnxName *ret_name)
{
  char c = onnx_peek(scan);
  uint32_t start = scan->at;
  *ret_name = (OnnxName){ .symbol = ONNX_NO_SYMBOL };
  if (c == '"') {
    bool is_taken = onnx_take_string(scan, &ret_name->text);
    ret_name->at = (OnnxSpan){ start, scan->at };
    return is_taken;
  }
  Str word = onnx_peek_word(scan);
  uint32_t end = start + (uint32_t)word.len;
  if (end == start || (end < scan->text.len && is_bare(scan->text.data[end])))
    return take_bare_name(scan, ret_name);
  scan->at = end;
  ret_name->text = word;
  ret_name->at = (OnnxSpan){ start, end };
  return true;
}

bool onnx_take_printed_word(OnnxScan *scan, Str *ret_word)
{
  return (scan->model->is_printed && onnx_take_string(scan, ret_word)) || onnx_take_word(scan, ret_word);
}

/// `inf`, `Infinity`, `NaN`, in any case.
static bool take_word_number(OnnxScan *scan, bool is_negative, double *ret_float)
{
  Str word = onnx_peek_word(scan);
  bool is_infinite = str_equal_ignore_case(word, STR("inf")) || str_equal_ignore_case(word, STR("infinity"));
  if (!is_infinite && !str_equal_ignore_case(word, STR("nan")))
    return false;
  scan->at += (uint32_t)word.len;
  *ret_float = strtod(is_infinite ? "inf" : "nan", NULL);
  *ret_float = is_negative ? -*ret_float : *ret_float;
  return true;
}

/// The end of a number's digits; `ret_is_float` says whether there is a point or an exponent.
static uint32_t number_end(const OnnxScan *scan, uint32_t at, bool *ret_is_float)
{
  const char *data = scan->text.data;
  bool has_point = false;
  while (at < scan->text.len && (ascii_is_digit(data[at]) || (data[at] == '.' && !has_point))) {
    has_point |= data[at] == '.';
    at++;
  }
  *ret_is_float = has_point;
  if (at >= scan->text.len || (data[at] != 'e' && data[at] != 'E'))
    return at;
  *ret_is_float = true;
  at++;
  if (at < scan->text.len && (data[at] == '+' || data[at] == '-'))
    at++;
  while (at < scan->text.len && ascii_is_digit(data[at]))
    at++;
  return at;
}

/// The official parser takes no number that loses its value as a float, or as a double in a tensor of doubles.
bool onnx_float_fits(Str digits, bool is_double)
{
  char copy[ONNX_NUMBER_LIMIT];
  if (digits.len >= ONNX_NUMBER_LIMIT)
    return true;
  memcpy(copy, digits.data, digits.len);
  copy[digits.len] = '\0';
  errno = 0;
  if (is_double)
    (void)strtod(copy, NULL);
  else
    (void)strtof(copy, NULL);
  return errno != ERANGE;
}

/// Of so few digits that nothing can overflow.
static int64_t short_int(Str digits)
{
  bool is_negative = digits.data[0] == '-';
  int64_t value = 0;
  for (size_t i = is_negative; i < digits.len; i++)
    value = value * 10 + (digits.data[i] - '0');
  return is_negative ? -value : value;
}

OnnxNumberKind onnx_take_number(OnnxScan *scan, int64_t *ret_int, double *ret_float)
{
  enum { SHORT_DIGITS = 15 };
  bool is_negative = onnx_peek(scan) == '-';
  uint32_t start = scan->at;
  scan->at += is_negative;
  *ret_int = 0;
  if (scan->at < scan->text.len && ascii_is_name_start(scan->text.data[scan->at]) &&
      take_word_number(scan, is_negative, ret_float))
    return ONNX_NUMBER_FLOAT;
  if (scan->at >= scan->text.len || !ascii_is_digit(scan->text.data[scan->at])) {
    scan->at = start;
    return ONNX_NUMBER_NONE;
  }
  bool is_float;
  scan->at = number_end(scan, scan->at, &is_float);
  char digits[ONNX_NUMBER_LIMIT];
  uint32_t len = scan->at - start;
  if (len >= ONNX_NUMBER_LIMIT)
    return is_float ? ONNX_NUMBER_FLOAT : ONNX_NUMBER_TOO_LARGE;
  if (!is_float && len <= SHORT_DIGITS && len > is_negative) {
    *ret_int = short_int(str_make(scan->text.data + start, len));
    *ret_float = (double)*ret_int;
    return ONNX_NUMBER_INT;
  }
  memcpy(digits, scan->text.data + start, len);
  digits[len] = '\0';
  *ret_float = strtod(digits, NULL);
  if (is_float)
    return ONNX_NUMBER_FLOAT;
  errno = 0;
  *ret_int = strtoll(digits, NULL, 10);
  if (errno != ERANGE)
    return ONNX_NUMBER_INT;
  errno = 0;
  *ret_int = (int64_t)strtoull(digits, NULL, 10);
  return errno == ERANGE || is_negative ? ONNX_NUMBER_TOO_LARGE : ONNX_NUMBER_INT;
}

/// After a string or a comment that begins here; else after one character.
static uint32_t after_token(const OnnxScan *scan, uint32_t at)
{
  const char *data = scan->text.data;
  char first = data[at++];
  if (first == '#') {
    while (at < scan->text.len && data[at] != '\n')
      at++;
  } else if (first == '"') {
    while (at < scan->text.len && data[at] != '"' && data[at] != '\n')
      at += data[at] == '\\' ? 2 : 1;
    at += at < scan->text.len && data[at] == '"';
  }
  return at < scan->text.len ? at : (uint32_t)scan->text.len;
}

/// Whether a line begins here that reads like a statement: names, then `=`.
static bool begins_statement(const OnnxScan *scan, uint32_t at)
{
  for (; at < scan->text.len; at = after_token(scan, at)) {
    char c = scan->text.data[at];
    if (c == '=')
      return at + 1 < scan->text.len && scan->text.data[at + 1] != '>';
    if (c == '\n' || memchr("(){}<>:#", c, 8))
      return c == '}';
  }
  return false;
}

void onnx_skip_damage(OnnxScan *scan, uint32_t from)
{
  uint32_t round = 0;
  uint32_t braces = 0;
  uint32_t line_end = UINT32_MAX;
  while (scan->at > from && ascii_is_space(scan->text.data[scan->at - 1]))
    scan->at--;  // What was looked for may have been missing at the end of a line.
  uint32_t at = scan->never_closes ? scan->at : from;
  for (; at < scan->text.len; at = after_token(scan, at)) {
    char c = scan->text.data[at];
    bool is_after = at >= scan->at;
    if (c == '\n' && is_after && line_end == UINT32_MAX)
      line_end = at;
    if (c == '\n' && is_after &&
        (scan->never_closes || (braces == 0 && (round == 0 || begins_statement(scan, at + 1)))))
      break;
    if (c == '}' && is_after && braces == 0)
      break;
    round += c == '(' || c == '[';
    round -= round > 0 && (c == ')' || c == ']');
    braces += c == '{';
    braces -= braces > 0 && c == '}';
  }
  // A brace that is never closed would take all the rest with it.
  if (at >= scan->text.len && braces > 0 && line_end != UINT32_MAX) {
    at = line_end;
    scan->never_closes = true;
  }
  scan->at = at > scan->at ? at : scan->at;
  scan->is_silent = false;
}

Str onnx_quote(OnnxScan *scan)
{
  onnx_skip_space(scan);
  uint32_t end = scan->at;
  while (end < scan->text.len && end - scan->at < QUOTE_SHOWN && !ascii_is_space(scan->text.data[end]))
    end++;
  while (end > scan->at && end < scan->text.len && ((unsigned char)scan->text.data[end] & 0xC0) == 0x80)
    end--;
  return str_slice(scan->text, scan->at, end);
}

// --- Files that are called otherwise than what they hold ---

/// An object with a key; nodes in braces begin with a name and `=`, or with a label.
static bool is_json(Str start)
{
  Str rest = str_starts_with(start, STR("{")) ? str_trim(str_slice(start, 1, start.len)) : (Str){ 0 };
  size_t end = str_starts_with(rest, STR("\"")) ? str_find_char(rest, '"', 1) : STR_NOT_FOUND;
  if (end == STR_NOT_FOUND)
    return start.len > 0 && start.data[0] == '{' && (rest.len == 0 || rest.data[0] == '}');
  return str_starts_with(str_trim(str_slice(rest, end + 1, rest.len)), STR(":"));
}

/// `ir_version: 8 graph {`: a field of a model, and after it another one; in a header a comma would be there.
static bool is_protobuf_text(Str start)
{
  static const char *const fields[] = { "ir_version",    "producer_name", "producer_version", "domain",
                                        "model_version", "doc_string",    "opset_import",     "graph",
                                        "functions",     "metadata_props" };
  size_t end = 0;
  while (end < start.len && ascii_is_word(start.data[end]))
    end++;
  Str rest = str_trim(str_slice(start, end, start.len));
  if (!str_is_one_of(str_slice(start, 0, end), fields, COUNT(fields)))
    return false;
  if (!str_starts_with(rest, STR(":")))
    return str_starts_with(rest, STR("{"));
  rest = str_trim(str_slice(rest, 1, rest.len));
  bool is_text = str_starts_with(rest, STR("\""));
  end = is_text ? str_find_char(rest, '"', 1) : 0;
  while (!is_text && end < rest.len && (ascii_is_word(rest.data[end]) || rest.data[end] == '-'))
    end++;
  if (end == STR_NOT_FOUND || end == 0)
    return false;
  rest = str_trim(str_slice(rest, end + is_text, rest.len));
  return rest.len > 0 && ascii_is_word(rest.data[0]);
}

Str onnx_other_format(Str text)
{
  Str start = str_trim(str_slice(text, 0, 4096));
  if (is_json(start))
    return STR("This is JSON, not ONNX text. `onnx.load(path, format=\"json\")` reads it; `onnx.save` as .onnx, and "
               "`onnxls show` prints that.");
  bool is_proto = (str_starts_with(start, STR("ir_version:")) && !str_contains(start, STR("=>"))) ||
                  str_starts_with(start, STR("producer_name:")) || is_protobuf_text(start);
  if (is_proto)
    return STR(
        "This is protobuf's own text, not ONNX text. `onnx.load(path, format=\"textproto\")` reads it; `onnx.save` "
        "as .onnx, and `onnxls show` prints that.");
  return (Str){ 0 };
}
