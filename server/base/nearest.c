#include "base/nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"

static size_t least(size_t a, size_t b)
{
  return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
  return ascii_to_lower(a) == ascii_to_lower(b);
}

/// How many letters have to be changed, added, removed or swapped with their neighbour.
/// Source: optimal string alignment; rows i - 2, i - 1 and i of its table are kept.
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
  size_t rows[3][NEAREST_WORD_LIMIT + 1];
  for (size_t j = 0; j <= b_len; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_len; i++) {
    size_t *row = rows[i % 3];
    const size_t *above = rows[(i + 2) % 3];
    const size_t *second = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_len; j++) {
      row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same_letter(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        row[j] = least(row[j], second[j - 2] + 1);
    }
  }
  return rows[a_len % 3][b_len];
}

size_t nearest_words(const char *word, const char *const *candidates, size_t count, const char **ret_words,
                     size_t limit)
{
  enum { RESULT_SLOTS = 8 };
  size_t distances[RESULT_SLOTS];
  size_t len = strlen(word);
  if (len > NEAREST_WORD_LIMIT)
    return 0;
  if (limit > RESULT_SLOTS)
    limit = RESULT_SLOTS;
  // A third of the letters may be wrong, and one in a short word.
  size_t allowed = len / 3 > 1 ? len / 3 : 1;
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    size_t candidate_len = strlen(candidates[i]);
    size_t gap = candidate_len > len ? candidate_len - len : len - candidate_len;
    if (candidate_len > NEAREST_WORD_LIMIT || gap > allowed)
      continue;
    size_t apart = distance(word, len, candidates[i], candidate_len);
    if (apart > allowed || (found == limit && apart >= distances[found - 1]))
      continue;
    size_t at = found < limit ? found++ : found - 1;
    for (; at > 0 && distances[at - 1] > apart; at--) {
      distances[at] = distances[at - 1];
      ret_words[at] = ret_words[at - 1];
    }
    distances[at] = apart;
    ret_words[at] = candidates[i];
  }
  return found;
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count)
{
  const char *best = NULL;
  return nearest_words(word, candidates, count, &best, 1) > 0 ? best : NULL;
}
