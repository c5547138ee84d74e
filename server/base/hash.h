/// 64-bit hashes that are put together out of others: of things that are compared by millions, and by nobody else.
///
/// Units:     bytes.
/// Threads:   pure.
#pragma once

#include "base/str.h"

/// Depends on the order of its two sides.
static inline uint64_t hash_mix(uint64_t hash, uint64_t with)
{
  hash = (hash ^ with) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 32;
  hash *= 0xD6E8FEB86659FD93u;
  return hash ^ (hash >> 29);
}

static inline uint64_t hash_add_str(uint64_t hash, Str text)
{
  size_t i = 0;
  hash = hash_mix(hash, text.len);
  for (; i + 8 <= text.len; i += 8) {
    uint64_t word;
    memcpy(&word, text.data + i, 8);
    hash = hash_mix(hash, word);
  }
  uint64_t rest = 0;
  for (; i < text.len; i++)
    rest = rest << 8 | (unsigned char)text.data[i];
  return hash_mix(hash, rest);
}
