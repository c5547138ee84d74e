#include "text/utf.h"

static bool is_continuation(unsigned char byte)
{
  return (byte & 0xC0) == 0x80;
}

static bool all_ascii(const char *eight_bytes)
{
  uint64_t word;
  memcpy(&word, eight_bytes, sizeof(word));
  return (word & UINT64_C(0x8080808080808080)) == 0;
}

/// How many bytes of ASCII start at `offset`, in steps of eight.
static size_t ascii_run(Str s, size_t offset)
{
  size_t at = offset;
  while (s.len - at >= 8 && all_ascii(s.data + at))
    at += 8;
  return at - offset;
}

/// What a lead byte promises: 0 if it can't lead.
static size_t sequence_len(unsigned char lead)
{
  if (lead < 0x80)
    return 1;
  if (lead < 0xC2 || lead > 0xF4)
    return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

uint32_t utf_decode(Str s, size_t offset, size_t *ret_len)
{
  static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
  static const unsigned char lead_bits[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
  const unsigned char *bytes = (const unsigned char *)s.data + offset;

  *ret_len = 1;
  size_t len = sequence_len(bytes[0]);
  if (len == 0 || len > s.len - offset)
    return UTF_REPLACEMENT;
  uint32_t code_point = bytes[0] & lead_bits[len];
  for (size_t i = 1; i < len; i++) {
    if (!is_continuation(bytes[i]))
      return UTF_REPLACEMENT;
    code_point = code_point << 6 | (bytes[i] & 0x3Fu);
  }
  bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < smallest[len] || code_point > 0x10FFFF || is_surrogate)
    return UTF_REPLACEMENT;
  *ret_len = len;
  return code_point;
}

size_t utf_encode(uint32_t code_point, char *ret_bytes)
{
  if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF))
    code_point = UTF_REPLACEMENT;
  if (code_point < 0x80) {
    ret_bytes[0] = (char)code_point;
    return 1;
  }
  size_t len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  for (size_t i = len - 1; i > 0; i--) {
    ret_bytes[i] = (char)(0x80 | (code_point & 0x3F));
    code_point >>= 6;
  }
  // The lead byte has as many ones at its top as there are bytes.
  ret_bytes[0] = (char)((0xF00u >> len & 0xFF) | code_point);
  return len;
}

/// Code units of one code point that takes `len` bytes, in UTF-16 or UTF-32.
static size_t units_of(size_t len, PosEncoding encoding)
{
  return encoding == POS_UTF16 && len == 4 ? 2 : 1;
}

size_t utf_units(Str s, PosEncoding encoding)
{
  if (encoding == POS_UTF8)
    return s.len;
  size_t units = 0;
  for (size_t at = 0; at < s.len;) {
    size_t run = ascii_run(s, at);
    at += run;
    units += run;
    if (at == s.len)
      break;
    size_t len;
    utf_decode(s, at, &len);
    at += len;
    units += units_of(len, encoding);
  }
  return units;
}

size_t utf_offset(Str s, size_t units, PosEncoding encoding)
{
  if (encoding == POS_UTF8)
    return units < s.len ? utf_floor(s, units) : s.len;
  size_t at = 0;
  while (at < s.len && units > 0) {
    // An ASCII run is as long in bytes as it is in units, whatever the encoding.
    size_t run = ascii_run(str_slice(s, 0, units < s.len - at ? at + units : s.len), at);
    at += run;
    units -= run;
    if (at == s.len || units == 0)
      break;
    size_t len;
    utf_decode(s, at, &len);
    size_t width = units_of(len, encoding);
    if (width > units)
      break;
    at += len;
    units -= width;
  }
  return at;
}

size_t utf_floor(Str s, size_t offset)
{
  if (offset >= s.len)
    return offset;
  for (size_t back = 1; back < UTF_MAX_BYTES && back <= offset; back++) {
    if (!is_continuation((unsigned char)s.data[offset - back + 1]))
      break;
    size_t len;
    utf_decode(s, offset - back, &len);
    if (len > back)
      return offset - back;
  }
  return offset;
}

bool utf_is_valid(Str s)
{
  for (size_t at = 0; at < s.len;) {
    at += ascii_run(s, at);
    if (at == s.len)
      break;
    size_t len;
    utf_decode(s, at, &len);
    if (len == 1 && (unsigned char)s.data[at] >= 0x80)
      return false;
    at += len;
  }
  return true;
}

Str utf_repair(Str s, Arena *arena)
{
  if (utf_is_valid(s))
    return s;
  // The replacement is three bytes long, so no result is longer than this.
  char *repaired = arena_alloc(arena, s.len * 3 + 1);
  size_t out = 0;
  for (size_t at = 0; at < s.len;) {
    size_t len;
    out += utf_encode(utf_decode(s, at, &len), repaired + out);
    at += len;
  }
  return str_make(repaired, out);
}
