#include "text/uri.h"

#include "base/ascii.h"
#include "text/path.h"

/// A "%" without two hexadecimal digits after it stands for itself.
static Str percent_decode(Str s, Arena *arena)
{
  char *out = arena_alloc(arena, s.len + 1);
  size_t len = 0;
  for (size_t i = 0; i < s.len; i++) {
    bool has_digits =
        s.data[i] == '%' && s.len - i > 2 && ascii_hex_value(s.data[i + 1]) >= 0 && ascii_hex_value(s.data[i + 2]) >= 0;
    if (has_digits) {
      out[len++] = (char)(ascii_hex_value(s.data[i + 1]) << 4 | ascii_hex_value(s.data[i + 2]));
      i += 2;
    } else {
      out[len++] = s.data[i];
    }
  }
  return str_make(out, len);
}

/// What comes after the scheme of a file, or of the text of a model in a file; empty for any other.
static Str after_scheme(Str uri)
{
  static const Str schemes[] = { STR_INIT("file:"), STR_INIT("onnxls-model:") };
  for (size_t i = 0; i < COUNT(schemes); i++) {
    if (str_equal_ignore_case(str_slice(uri, 0, schemes[i].len), schemes[i]))
      return str_slice(uri, schemes[i].len, uri.len);
  }
  return (Str){ 0 };
}

/// What comes after "file:" and a host that is this machine, up to a query or fragment; empty if it is no such URI.
static Str local_part(Str uri)
{
  Str rest = after_scheme(uri);
  rest = str_slice(rest, 0, str_find_char(rest, '?', 0));
  rest = str_slice(rest, 0, str_find_char(rest, '#', 0));
  if (!str_starts_with(rest, STR("//")))
    return rest;
  size_t slash = str_find_char(rest, '/', 2);
  Str host = str_slice(rest, 2, slash);
  if (host.len > 0 && !str_equal_ignore_case(host, STR("localhost")))
    return (Str){ 0 };
  return str_slice(rest, slash, rest.len);
}

Str uri_to_path(Str uri, Arena *arena)
{
  Str path = percent_decode(local_part(uri), arena);
  if (!str_starts_with(path, STR("/")) || str_find_char(path, '\0', 0) != STR_NOT_FOUND)
    return (Str){ 0 };
  Str after_slash = str_slice(path, 1, path.len);
  if (!path_has_drive(after_slash))
    return path;
  // Editors spell a drive in either case; one spelling makes paths comparable.
  Str drive = arena_copy(arena, after_slash);
  ((char *)drive.data)[0] |= 0x20;
  return drive;
}

static bool is_unreserved(char c)
{
  return ascii_is_word(c) || c == '-' || c == '.' || c == '~';
}

static size_t percent_encode(Str s, char *out)
{
  static const char digits[] = "0123456789ABCDEF";
  size_t len = 0;
  for (size_t i = 0; i < s.len; i++) {
    unsigned char byte = (unsigned char)s.data[i];
    if (is_unreserved(s.data[i]) || byte == '/') {
      out[len++] = s.data[i];
    } else {
      out[len++] = '%';
      out[len++] = digits[byte >> 4];
      out[len++] = digits[byte & 0xF];
    }
  }
  return len;
}

Str uri_from_path(Str path, Arena *arena)
{
  if (!path_is_absolute(path))
    return (Str){ 0 };
  bool has_drive = path_has_drive(path);
  if (has_drive)
    path = path_normalize(path, arena);
  const Str prefix = has_drive ? STR("file:///") : STR("file://");
  char *out = arena_alloc(arena, prefix.len + path.len * 3 + 1);
  memcpy(out, prefix.data, prefix.len);
  return str_make(out, prefix.len + percent_encode(path, out + prefix.len));
}
