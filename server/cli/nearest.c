#include "cli/nearest.h"

#include <stdint.h>
#include <string.h>

enum {
  WORD_LIMIT = 63,  ///< Longer words are nobody's typing mistake.
};

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

/// How many letters have to be changed, added, removed or swapped with their neighbour.
/// Source: optimal string alignment; rows i - 2, i - 1 and i of its table are kept.
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
  size_t rows[3][WORD_LIMIT + 1];
  for (size_t j = 0; j <= b_len; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_len; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3];
    const size_t *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_len; j++) {
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = least(row[j], second[j - 2] + 1);
    }
  }
  return rows[a_len % 3][b_len];
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count)
{
  size_t len = strlen(word);
  if (len > WORD_LIMIT)
    return NULL;
  const char *best = NULL;
  size_t best_distance = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    size_t candidate_len = strlen(candidates[i]);
    if (candidate_len > WORD_LIMIT)
      continue;
    size_t apart = distance(word, len, candidates[i], candidate_len);
    if (apart < best_distance) {
      best_distance = apart;
      best = candidates[i];
    }
  }
  // A third of the letters may be wrong, and one in a short word.
  size_t allowed = len / 3 > 1 ? len / 3 : 1;
  return best_distance <= allowed ? best : NULL;
}
