/// Which of many places are marked, and how many are up to one: a bit for each place, and 4 bytes for 64 of them.
///
///     sparse_start(&sparse, 1000);  sparse_set(&sparse, 7);  sparse_set(&sparse, 70);  sparse_count(&sparse);
///     sparse_has(&sparse, 8) is false, sparse_upto(&sparse, 70) is 2.
///
/// So a list of what is at the marked places serves instead of a table with an entry for each.
///
/// Ownership: sparse_done() frees what sparse_start() made.
/// Errors:    out of memory ends the process. A place is less than the number that sparse_start() was given.
/// Threads:   one while places are marked, then any.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Sparse {
  uint64_t *bits;
  uint32_t *before;  ///< How many are marked before each 64 places; owned with `bits`.
  size_t words;
} Sparse;

void sparse_start(Sparse *sparse, size_t places);
void sparse_done(Sparse *sparse);
/// To be called when all are marked, before sparse_upto().
void sparse_count(Sparse *sparse);

static inline void sparse_set(Sparse *sparse, size_t place)
{
  sparse->bits[place / 64] |= UINT64_C(1) << place % 64;
}

static inline bool sparse_has(const Sparse *sparse, size_t place)
{
  return sparse->bits[place / 64] >> place % 64 & 1;
}

/// How many places are marked from the first one to this one.
static inline uint32_t sparse_upto(const Sparse *sparse, size_t place)
{
  uint64_t bits = sparse->bits[place / 64] << (63 - place % 64);
  return sparse->before[place / 64] + (uint32_t)__builtin_popcountll(bits);
}
