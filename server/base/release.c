#include "base/release.h"

#include "base/ascii.h"

Release release_read(Str text, size_t *ret_end)
{
  Release release = { 0 };
  size_t at = 0;
  *ret_end = 0;
  while (release.count < RELEASE_NUMBERS) {
    size_t end = ascii_digits_end(text, at);
    uint64_t number;
    if (!str_to_uint(str_slice(text, at, end), UINT16_MAX, &number))
      break;
    release.numbers[release.count++] = (uint16_t)number;
    *ret_end = end;
    if (end >= text.len || text.data[end] != '.')
      break;
    at = end + 1;
  }
  return release;
}

int release_compare(Release a, Release b)
{
  for (size_t i = 0; i < RELEASE_NUMBERS; i++) {
    if (a.numbers[i] != b.numbers[i])
      return a.numbers[i] < b.numbers[i] ? -1 : 1;
  }
  return 0;
}

Release release_after(Release release, unsigned count)
{
  Release after = { .count = (uint8_t)count };
  for (unsigned i = 0; i < count && i < RELEASE_NUMBERS; i++)
    after.numbers[i] = release.numbers[i];
  if (count > 0 && count <= RELEASE_NUMBERS)
    after.numbers[count - 1]++;
  return after;
}
