#include "base/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGIT_COUNT = 1 << DIGIT_BITS, PASSES = 3 };

/// Few keys: insertion keeps the order of equals too and touches no histogram.
static void insertion_sort(uint64_t *keys, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0 && keys[at - 1] >> 32 > key >> 32; at--)
      keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

void sort_by_high_half(uint64_t *keys, uint64_t *scratch, size_t count)
{
  if (count <= 64) {
    insertion_sort(keys, count);
    return;
  }
  uint64_t *from = keys;
  uint64_t *to = scratch;
  for (int pass = 0; pass < PASSES; pass++) {
    unsigned shift = 32 + (unsigned)pass * DIGIT_BITS;
    size_t places[DIGIT_COUNT] = { 0 };
    for (size_t i = 0; i < count; i++)
      places[from[i] >> shift & (DIGIT_COUNT - 1)]++;
    size_t place = 0;
    for (size_t digit = 0; digit < DIGIT_COUNT; digit++) {
      size_t here = places[digit];
      places[digit] = place;
      place += here;
    }
    for (size_t i = 0; i < count; i++)
      to[places[from[i] >> shift & (DIGIT_COUNT - 1)]++] = from[i];
    uint64_t *swap = from;
    from = to;
    to = swap;
  }
  memcpy(keys, scratch, count * sizeof(*keys));  // An odd number of passes ends in the scratch.
}
