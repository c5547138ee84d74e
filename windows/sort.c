// qsort() that keeps the order of what compares equal, as glibc's does: lists look the same on every system.
#include <stdlib.h>
#include <string.h>

#include "posix.h"

typedef int (*Compare)(const void *a, const void *b);

/// Merges two sorted neighbours, of `left` and `right` items, into `to`.
static void merge(const char *from, size_t left, size_t right, size_t size, Compare compare, char *to)
{
  const char *a = from;
  const char *b = from + left * size;
  const char *a_end = b;
  const char *b_end = b + right * size;
  while (a < a_end || b < b_end) {
    bool takes_a = b == b_end || (a < a_end && compare(a, b) <= 0);
    memcpy(to, takes_a ? a : b, size);
    to += size;
    *(takes_a ? &a : &b) += size;
  }
}

void posix_qsort(void *items, size_t count, size_t size, Compare compare)
{
  char *other = malloc(count * size + 1);
  if (!other)
    abort();
  char *from = items;
  char *to = other;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t at = 0; at < count; at += 2 * run) {
      size_t left = count - at < run ? count - at : run;
      size_t right = count - at - left < run ? count - at - left : run;
      merge(from + at * size, left, right, size, compare, to + at * size);
    }
    char *swapped = from;
    from = to;
    to = swapped;
  }
  if (from != (char *)items)
    memcpy(items, from, count * size);
  free(other);
}
