#include "text/printable.h"

#include "text/utf.h"

bool printable_is_control(uint32_t c)
{
  bool is_code = c < 0x20 || (c >= 0x7f && c < 0xa0);
  bool is_separator = c == 0x2028 || c == 0x2029;
  bool is_direction =
      c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return is_code || is_separator || is_direction;
}

static void append(Buffer *out, Str text, bool keeps_lines)
{
  size_t len;
  for (size_t i = 0; i < text.len; i += len) {
    uint32_t c = utf_decode(text, i, &len);
    bool is_space = c == '\n' || c == '\t';
    if (is_space && !keeps_lines)
      c = ' ';
    else if (!is_space && printable_is_control(c))
      c = UTF_REPLACEMENT;
    char bytes[UTF_MAX_BYTES];
    buffer_append(out, str_make(bytes, utf_encode(c, bytes)));
  }
}

void printable_append_line(Buffer *out, Str text)
{
  append(out, text, false);
}

void printable_append_lines(Buffer *out, Str text)
{
  append(out, text, true);
}
