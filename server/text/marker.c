#include "text/marker.h"

size_t marker_find(Str text, size_t from)
{
  if (from >= text.len)
    return STR_NOT_FOUND;
  const char *hit = memmem(text.data + from, text.len - from, MARKER, sizeof(MARKER) - 1);
  return hit ? (size_t)(hit - text.data) : STR_NOT_FOUND;
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
