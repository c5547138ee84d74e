#include "text/marker.h"

/// By the byte under the marker's last letter: how much further the marker may begin at the earliest; 0 is its length.
/// Source: Horspool's search.
static const uint8_t shifts[256] = { ['s'] = 1, ['l'] = 2, ['x'] = 3, ['n'] = 4, ['o'] = 6 };

size_t marker_find(Str text, size_t from)
{
  const size_t len = sizeof(MARKER) - 1;
  while (from + len <= text.len) {
    unsigned char last = (unsigned char)text.data[from + len - 1];
    if (last == ':' && memcmp(text.data + from, MARKER, len) == 0)
      return from;
    from += shifts[last] ? shifts[last] : len;
  }
  return STR_NOT_FOUND;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

size_t marker_hash(Str text, size_t marker)
{
  while (marker > 0 && is_blank(text.data[marker - 1]))
    marker--;
  if (marker == 0 || text.data[marker - 1] != '#')
    return STR_NOT_FOUND;
  size_t hash = marker - 1;
  if (hash == 0 || is_blank(text.data[hash - 1]) || text.data[hash - 1] == '\n' || text.data[hash - 1] == '\r')
    return hash;
  return STR_NOT_FOUND;
}
