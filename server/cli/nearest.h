/// The word that somebody most likely meant.
///
/// Ownership: the answer is one of the candidates.
/// Units:     bytes.
/// Errors:    NULL if nothing is near enough to be worth saying.
/// Threads:   pure.
/// Sources:   none.
#pragma once

#include <stddef.h>

const char *nearest_word(const char *word, const char *const *candidates, size_t count);
