#include "base/sparse.h"

#include <stdlib.h>

#include "base/memory.h"

void sparse_start(Sparse *sparse, size_t places)
{
  sparse->words = places / 64 + 1;
  sparse->bits = xcalloc(sparse->words, sizeof(*sparse->bits) + sizeof(*sparse->before));
  sparse->before = (uint32_t *)(void *)(sparse->bits + sparse->words);
}

void sparse_done(Sparse *sparse)
{
  free(sparse->bits);
  *sparse = (Sparse){ 0 };
}

void sparse_count(Sparse *sparse)
{
  uint32_t count = 0;
  for (size_t i = 0; i < sparse->words; i++) {
    sparse->before[i] = count;
    count += (uint32_t)__builtin_popcountll(sparse->bits[i]);
  }
}
