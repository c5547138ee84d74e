/// The word that somebody most likely meant.
///
/// Ownership: the answer is one of the candidates.
/// Units:     bytes.
/// Errors:    NULL if nothing is near enough to be worth saying.
/// Threads:   pure.
#pragma once

#include <stddef.h>

/// Writes up to `limit` words that may be meant, the nearest first, and returns how many. Words that are equally near
/// stay in their order.
size_t nearest_words(const char *word, const char *const *candidates, size_t count, const char **ret_words,
                     size_t limit);
/// The first of them.
const char *nearest_word(const char *word, const char *const *candidates, size_t count);
