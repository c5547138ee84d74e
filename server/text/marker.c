#include "text/marker.h"

#include "base/ascii.h"

size_t marker_find(Str text, size_t from)
{
  if (from >= text.len)
    return STR_NOT_FOUND;
  const char *hit = memmem(text.data + from, text.len - from, MARKER, sizeof(MARKER) - 1);
  return hit ? (size_t)(hit - text.data) : STR_NOT_FOUND;
}

size_t marker_hash(Str text, size_t marker)
{
  marker = ascii_blanks_start(text, marker);
  if (marker == 0 || text.data[marker - 1] != '#')
    return STR_NOT_FOUND;
  size_t hash = marker - 1;
  if (hash == 0 || ascii_is_blank(text.data[hash - 1]) || text.data[hash - 1] == '\n' || text.data[hash - 1] == '\r')
    return hash;
  return STR_NOT_FOUND;
}
