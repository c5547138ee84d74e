#include "cli/nearest.h"

#include <stdint.h>
#include <string.h>

enum {
  WORD_LIMIT = 63,  ///< Longer words are nobody's typing mistake.
};

static size_t smallest(size_t a, size_t b, size_t c)
{
  size_t least = a < b ? a : b;
  return least < c ? least : c;
}

/// Levenshtein's distance: how many letters have to be changed, added or removed.
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
  size_t row[WORD_LIMIT + 1];
  for (size_t j = 0; j <= b_len; j++)
    row[j] = j;
  for (size_t i = 1; i <= a_len; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_len; j++) {
      size_t above = row[j];
      row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[b_len];
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
