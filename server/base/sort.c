#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/// Elements that insertion sorts before merging begins.
enum { RUN_LENGTH = 8 };

typedef struct Sorting {
  char *items;
  size_t size;  ///< Of one element.
  int (*compare)(const void *a, const void *b);
  char *scratch;  ///< Room for the left side of every merge.
} Sorting;

static size_t end_of(size_t start, size_t length, size_t count)
{
  return count - start < length ? count : start + length;
}

static void sort_run(const Sorting *s, size_t start, size_t end)
{
  size_t size = s->size;
  for (size_t i = start + 1; i < end; i++) {
    char *item = s->items + i * size;
    char *place = item;
    while (place > s->items + start * size && s->compare(place - size, item) > 0)
      place -= size;
    if (place == item)
      continue;
    memcpy(s->scratch, item, size);
    memmove(place + size, place, (size_t)(item - place));
    memcpy(place, s->scratch, size);
  }
}

/// Merges [start, middle) and [middle, end). The left side waits in the scratch, so what is written was read before.
static void merge_runs(const Sorting *s, size_t start, size_t middle, size_t end)
{
  size_t size = s->size;
  char *to = s->items + start * size;
  const char *right = s->items + middle * size;
  if (s->compare(right - size, right) <= 0)
    return;
  size_t left_bytes = (middle - start) * size;
  memcpy(s->scratch, to, left_bytes);
  const char *left = s->scratch;
  const char *left_end = left + left_bytes;
  const char *right_end = s->items + end * size;
  while (left < left_end && right < right_end) {
    const char **from = s->compare(left, right) <= 0 ? &left : &right;
    memcpy(to, *from, size);
    *from += size;
    to += size;
  }
  memcpy(to, left, (size_t)(left_end - left));
}

void sort_stable(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
  if (count < 2)
    return;
  _Alignas(max_align_t) char few[512];
  char *many = count > sizeof(few) / size ? xmalloc(count * size) : NULL;
  Sorting sorting = { .items = items, .size = size, .compare = compare, .scratch = many ? many : few };
  for (size_t start = 0; start < count; start += RUN_LENGTH)
    sort_run(&sorting, start, end_of(start, RUN_LENGTH, count));
  for (size_t width = RUN_LENGTH; width < count; width *= 2)
    for (size_t start = 0; start + width < count; start += 2 * width)
      merge_runs(&sorting, start, start + width, end_of(start, 2 * width, count));
  free(many);
}

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
