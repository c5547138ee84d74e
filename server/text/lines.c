#include "text/lines.h"

#include "base/ascii.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/// The top bit of each byte that is 0. No carry leaves a byte, so no other bit is ever set.
static uint64_t zero_bytes(uint64_t word)
{
  return ~(((word & EACH_BYTE(0x7F)) + EACH_BYTE(0x7F)) | word | EACH_BYTE(0x7F));
}

/// The top bit of each byte that is "\n" or "\r".
static uint64_t break_mask(uint64_t word)
{
  // Most words hold no byte below 0x0E, and that is cheaper to see.
  if (((word - EACH_BYTE(0x0E)) & ~word & EACH_BYTE(0x80)) == 0)
    return 0;
  return zero_bytes(word ^ EACH_BYTE('\n')) | zero_bytes(word ^ EACH_BYTE('\r'));
}

static size_t first_byte_of(uint64_t mask)
{
  return (size_t)__builtin_ctzll(mask) / 8;
}

size_t lines_find_break(Str text, size_t from)
{
  size_t at = from;
  for (; at < text.len && text.len - at >= 8; at += 8) {
    uint64_t mask = break_mask(str_load_word(text.data + at));
    if (mask != 0)
      return at + first_byte_of(mask);
  }
  while (at < text.len && !is_line_break(text.data[at]))
    at++;
  return at < text.len ? at : text.len;
}

/// Whether the break at `at` is the "\r" of a pair; the pair's line ends after its "\n".
static bool is_first_of_pair(Str text, size_t at)
{
  return text.data[at] == '\r' && at + 1 < text.len && text.data[at + 1] == '\n';
}

size_t lines_next(Str text, size_t from)
{
  size_t at = lines_find_break(text, from);
  if (at == text.len)
    return at;
  return at + (is_first_of_pair(text, at) ? 2 : 1);
}

/// Without a "\r" in the text, as most are.
static void scan_newlines(Str text, LineStarts *starts)
{
  const char *end = text.data + text.len;
  const char *at = text.data;
  while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL)
    vec_push(starts, (uint32_t)(++at - text.data));
}

void lines_scan_starts(Str text, LineStarts *starts)
{
  vec_push(starts, 0);
  if (text.len == 0)
    return;
  if (!memchr(text.data, '\r', text.len)) {
    scan_newlines(text, starts);
    return;
  }
  size_t at = 0;
  for (; text.len - at >= 8; at += 8) {
    for (uint64_t mask = break_mask(str_load_word(text.data + at)); mask != 0; mask &= mask - 1) {
      size_t found = at + first_byte_of(mask);
      if (!is_first_of_pair(text, found))
        vec_push(starts, (uint32_t)found + 1);
    }
  }
  for (; at < text.len; at++) {
    if (is_line_break(text.data[at]) && !is_first_of_pair(text, at))
      vec_push(starts, (uint32_t)at + 1);
  }
}

Str lines_trim_ending(Str line)
{
  if (line.len > 0 && line.data[line.len - 1] == '\n')
    line.len--;
  if (line.len > 0 && line.data[line.len - 1] == '\r')
    line.len--;
  return line;
}

static size_t skip_word(Str text, size_t at)
{
  while (at < text.len && ascii_is_dotted(text.data[at]))
    at++;
  return at;
}

static char char_at(Str text, size_t at)
{
  return at < text.len ? text.data[at] : '\n';
}

/// `%a, %b)` or `%a,`, but not `%a, %b = ...`.
static bool is_list_of_names(Str text, size_t at)
{
  while (char_at(text, at) == '%') {
    at = ascii_blanks_end(text, skip_word(text, at + 1));
    if (char_at(text, at) == ',')
      at = ascii_blanks_end(text, at + 1);
    else if (char_at(text, at) == '%')
      return false;
  }
  char c = char_at(text, at);
  return is_line_break(c) || c == '#' || c == ')';
}

bool line_may_continue(Str text, size_t start)
{
  size_t at = ascii_blanks_end(text, start);
  char c = char_at(text, at);
  if (is_line_break(c) || c == '#' || c == ',' || c == ')' || c == ']')
    return true;
  if (c == '%')
    return is_list_of_names(text, at);
  if (!ascii_is_dotted(c))
    return false;
  at = ascii_blanks_end(text, skip_word(text, at));
  return char_at(text, at) == '=' && char_at(text, at + 1) != '=';
}
