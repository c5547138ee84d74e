#include "python/syntax/comment_scan.h"

#include "base/ascii.h"
#include "text/lines.h"
#include "text/marker.h"

static size_t line_end(Str text, size_t at)
{
  while (at < text.len && !is_line_break(text.data[at]))
    at++;
  return at;
}

static bool is_byte_order_mark(char c)
{
  return c == '\xef' || c == '\xbb' || c == '\xbf';
}

static bool is_alone(Str text, size_t hash)
{
  while (hash > 0 && !is_line_break(text.data[hash - 1])) {
    hash--;
    if (!ascii_is_space(text.data[hash]) && !is_byte_order_mark(text.data[hash]))
      return false;
  }
  return true;
}

static bool is_triple(Str text, size_t at)
{
  return at + 2 < text.len && text.data[at + 1] == text.data[at] && text.data[at + 2] == text.data[at];
}

/// Passes over the inside of a string; stops after its end, or at the end of the text if it goes on there.
static size_t skip_string(CommentScan *scan, Str text, size_t at)
{
  while (at < text.len) {
    char c = text.data[at];
    if (c == '\\') {
      // Escapes a quote, or the line's end, of which "\r\n" is one.
      bool is_pair = at + 2 < text.len && text.data[at + 1] == '\r' && text.data[at + 2] == '\n';
      at += is_pair ? 3 : 2;
      continue;
    }
    if (!scan->is_triple && is_line_break(c)) {
      scan->quote = 0;
      return at;
    }
    if (c == scan->quote && (!scan->is_triple || is_triple(text, at))) {
      scan->quote = 0;
      return at + (scan->is_triple ? 3 : 1);
    }
    at++;
  }
  return text.len;
}

static size_t begin_string(CommentScan *scan, Str text, size_t at)
{
  scan->quote = text.data[at];
  scan->is_triple = is_triple(text, at);
  return at + (scan->is_triple ? 3 : 1);
}

/// Whether the letter is part of a string's prefix, as in `rb"…"`.
static bool is_prefix(Str text, size_t at)
{
  for (size_t i = at; i < text.len && i < at + 3; i++) {
    if (text.data[i] == '"' || text.data[i] == '\'')
      return true;
    if (!strchr("rRbBuUfFtT", text.data[i]) || text.data[i] == '\0')
      return false;
  }
  return false;
}

/// A byte order mark is not code.
static bool is_code(Str text, size_t at)
{
  char c = text.data[at];
  return !ascii_is_space(c) && !is_byte_order_mark(c) && !is_prefix(text, at);
}

bool comment_scan_next(CommentScan *scan, Str text, size_t *at, FoundComment *ret_comment)
{
  size_t i = *at;
  while (i < text.len) {
    if (scan->quote) {
      i = skip_string(scan, text, i);
      continue;
    }
    char c = text.data[i];
    if (c == '"' || c == '\'') {
      i = begin_string(scan, text, i);
    } else if (c == '#') {
      size_t end = line_end(text, i);
      size_t hash = i;
      i = end;
      if (marker_find(str_slice(text, hash, end), 0) != STR_NOT_FOUND) {
        *ret_comment = (FoundComment){ hash, end, is_alone(text, hash), scan->has_code };
        *at = end;
        return true;
      }
    } else {
      scan->has_code = scan->has_code || is_code(text, i);
      i++;
    }
  }
  *at = text.len;
  return false;
}
