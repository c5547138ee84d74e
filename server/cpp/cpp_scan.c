#include "cpp/cpp_scan.h"

#include "base/ascii.h"
#include "base/buffer.h"

static char char_at(const CppScan *scan, size_t at)
{
  return at < scan->text.len ? scan->text.data[at] : '\0';
}

/// After the comment that opens at `at`.
static size_t comment_end(const CppScan *scan, size_t at)
{
  if (char_at(scan, at + 1) == '/')
    return str_line_end(scan->text, at);
  size_t close = str_find(scan->text, STR("*/"), at + 2);
  return close == STR_NOT_FOUND ? scan->text.len : close + 2;
}

static bool is_comment(const CppScan *scan, size_t at)
{
  return char_at(scan, at) == '/' && (char_at(scan, at + 1) == '/' || char_at(scan, at + 1) == '*');
}

// --- Lines of the preprocessor ---

/// Its end; a backslash at the end of a line takes the next one in.
static size_t directive_end(Str text, size_t at)
{
  size_t end = str_line_end(text, at);
  while (end < text.len) {
    size_t last = end > 0 && text.data[end - 1] == '\r' ? end - 1 : end;
    if (last == at || text.data[last - 1] != '\\')
      break;
    at = end + 1;
    end = str_line_end(text, at);
  }
  return end;
}

/// "if 0" of `#  if 0  // not now`.
static Str directive_words(Str text, size_t hash, size_t end)
{
  Str line = str_slice(text, hash + 1, end);
  size_t comment = str_find(line, STR("/"), 0);
  return str_trim(str_slice(line, 0, comment));
}

/// Where the part that `#if 0` switches off ends: at the line of its #else, #elif or #endif.
static size_t disabled_end(Str text, size_t at)
{
  for (size_t depth = 1; at < text.len;) {
    size_t start = at;
    while (start < text.len && ascii_is_blank(text.data[start]))
      start++;
    size_t end = str_line_end(text, start);
    Str words = start < text.len && text.data[start] == '#' ? directive_words(text, start, end) : (Str){ 0 };
    depth += str_starts_with(words, STR("if"));
    depth -= str_starts_with(words, STR("endif"));
    if (depth == 0 || (depth == 1 && str_starts_with(words, STR("el"))))
      return end;
    at = end + 1;
  }
  return text.len;
}

static void skip_directive(CppScan *scan)
{
  size_t hash = scan->at;
  scan->at = directive_end(scan->text, hash);
  Str words = directive_words(scan->text, hash, scan->at);
  if (str_equal(words, STR("if 0")) || str_equal(words, STR("if false")))
    scan->at = disabled_end(scan->text, scan->at);
}

static void skip_blanks(CppScan *scan)
{
  for (;;) {
    char c = char_at(scan, scan->at);
    if (scan->at >= scan->text.len)
      return;
    if (c == '\n') {
      scan->is_in_line = false;
      scan->at++;
    } else if (ascii_is_space(c) || c == '\\') {
      scan->at++;
    } else if (is_comment(scan, scan->at)) {
      scan->at = comment_end(scan, scan->at);
    } else if (c == '#' && !scan->is_in_line) {
      skip_directive(scan);
    } else {
      return;
    }
  }
}

// --- Strings ---

/// The string whose quotation mark is at `at`; what precedes it begins at `start`.
static CppToken read_string(CppScan *scan, size_t start, size_t at)
{
  size_t end = at + 1;
  while (end < scan->text.len && scan->text.data[end] != '"' && scan->text.data[end] != '\n')
    end += scan->text.data[end] == '\\' ? 2 : 1;
  end = end < scan->text.len ? end : scan->text.len;
  scan->at = end + (char_at(scan, end) == '"');
  return (CppToken){ CPP_STRING, str_slice(scan->text, start, scan->at), { at + 1, end }, false };
}

/// `R"mark(...)mark"`; a mark has at most 16 characters.
static CppToken read_raw_string(CppScan *scan, size_t start, size_t at)
{
  enum { MARK_SIZE = 16 };
  size_t open = at + 1;
  while (open < scan->text.len && open - at <= MARK_SIZE && scan->text.data[open] != '(')
    open++;
  if (char_at(scan, open) != '(')
    return read_string(scan, start, at);
  Str mark = str_slice(scan->text, at + 1, open);
  size_t close = str_find_char(scan->text, ')', open);
  while (close != STR_NOT_FOUND) {
    Str after = str_slice(scan->text, close + 1, scan->text.len);
    if (str_starts_with(after, mark) && char_at(scan, close + 1 + mark.len) == '"')
      break;
    close = str_find_char(scan->text, ')', close + 1);
  }
  bool is_closed = close != STR_NOT_FOUND;
  size_t end = is_closed ? close : scan->text.len;
  scan->at = is_closed ? close + mark.len + 2 : scan->text.len;
  return (CppToken){ CPP_STRING, str_slice(scan->text, start, scan->at), { open + 1, end }, true };
}

static CppToken read_word(CppScan *scan)
{
  static const char *const plain[] = { "u8", "u", "U", "L" };
  static const char *const raw[] = { "R", "u8R", "uR", "UR", "LR" };
  size_t start = scan->at;
  while (ascii_is_word(char_at(scan, scan->at)) ||
         (char_at(scan, scan->at) == '\'' && ascii_is_digit(scan->text.data[start]) &&
          ascii_is_word(char_at(scan, scan->at + 1))))
    scan->at++;
  Str word = str_slice(scan->text, start, scan->at);
  if (char_at(scan, scan->at) == '"' && str_is_one_of(word, raw, COUNT(raw)))
    return read_raw_string(scan, start, scan->at);
  if (char_at(scan, scan->at) == '"' && str_is_one_of(word, plain, COUNT(plain)))
    return read_string(scan, start, scan->at);
  return (CppToken){ .kind = CPP_WORD, .text = word };
}

/// A character literal says nothing to anybody, but may hold a quotation mark.
static CppToken read_sign(CppScan *scan)
{
  size_t start = scan->at++;
  if (scan->text.data[start] == '\'') {
    Str line = str_slice(scan->text, 0, str_line_end(scan->text, start));
    size_t end = ascii_literal_end(line, start);
    scan->at = end == STR_NOT_FOUND || end > line.len ? start + 1 : end;
  }
  return (CppToken){ .kind = CPP_SIGN, .text = str_slice(scan->text, start, scan->at) };
}

CppToken cpp_scan_next(CppScan *scan)
{
  skip_blanks(scan);
  if (scan->at >= scan->text.len)
    return (CppToken){ 0 };
  scan->is_in_line = true;
  char c = scan->text.data[scan->at];
  if (ascii_is_word(c))
    return read_word(scan);
  return c == '"' ? read_string(scan, scan->at, scan->at) : read_sign(scan);
}

Str cpp_scan_string(const CppScan *scan, const CppToken *token, Arena *arena)
{
  Str content = str_slice(scan->text, token->content.start, token->content.end);
  if (token->is_raw || !str_contains(content, STR("\\")))
    return content;
  Buffer out = { 0 };
  for (size_t i = 0; i < content.len; i++) {
    char c = content.data[i];
    if (c != '\\' || i + 1 == content.len) {
      buffer_append_char(&out, c);
      continue;
    }
    c = content.data[++i];
    if (c == 'n' || c == 't' || c == 'r')
      buffer_append_char(&out, ' ');  // Schemas take any white space.
    else if (c != '\n')
      buffer_append_char(&out, c);
  }
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}
