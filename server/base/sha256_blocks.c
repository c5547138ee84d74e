#include "base/sha256_blocks.h"

#include "base/memory.h"
#include "base/sha256.h"

static const uint32_t constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
  return x >> n | x << (32 - n);
}

static void fill_schedule(const uint8_t *block, uint32_t *words)
{
  for (size_t i = 0; i < 16; i++)
    words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
  for (size_t i = 16; i < 64; i++) {
    uint32_t a = rotate(words[i - 15], 7) ^ rotate(words[i - 15], 18) ^ words[i - 15] >> 3;
    uint32_t b = rotate(words[i - 2], 17) ^ rotate(words[i - 2], 19) ^ words[i - 2] >> 10;
    words[i] = words[i - 16] + a + words[i - 7] + b;
  }
}

static void mix_block(uint32_t *state, const uint8_t *block)
{
  uint32_t words[64];
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  fill_schedule(block, words);
#pragma GCC unroll 8  // After eight steps each variable is at its place again, and none of them was moved.
  for (size_t i = 0; i < 64; i++) {
    uint32_t first =
        h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants[i] + words[i];
    uint32_t second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const uint32_t sums[] = { a, b, c, d, e, f, g, h };
  for (size_t i = 0; i < COUNT(sums); i++)
    state[i] += sums[i];
}

void sha256_blocks_plain(uint32_t *state, const uint8_t *blocks, size_t count)
{
  for (size_t i = 0; i < count; i++)
    mix_block(state, blocks + i * SHA256_BLOCK);
}

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <immintrin.h>

static bool has_instructions(void)
{
  enum { SHA_BIT = 1 << 29, SSSE3_BIT = 1 << 9, SSE4_1_BIT = 1 << 19 };
  unsigned a, b, c, d;
  bool has_shuffles = __get_cpuid(1, &a, &b, &c, &d) && (c & SSSE3_BIT) && (c & SSE4_1_BIT);
  return has_shuffles && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & SHA_BIT);
}

/// The processor keeps the eight numbers as two vectors, a, b, e, f and c, d, g, h from the highest to the lowest, and
/// makes two steps at a time: what was a, b, e, f is then c, d, g, h. Words come in fours, made of the sixteen before.
__attribute__((target("sha,ssse3,sse4.1"))) static void mix_fast(uint32_t *state, const uint8_t *blocks, size_t count)
{
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i abef = _mm_set_epi32((int)state[0], (int)state[1], (int)state[4], (int)state[5]);
  __m128i cdgh = _mm_set_epi32((int)state[2], (int)state[3], (int)state[6], (int)state[7]);
  for (; count > 0; count--, blocks += SHA256_BLOCK) {
    const __m128i old_abef = abef, old_cdgh = cdgh;
    __m128i words[4];
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
      __m128i *now = &words[i % 4];
      const __m128i last = words[(i + 3) % 4];
      if (i < 4) {
        *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(blocks + 16 * i)), swap);
      } else {
        __m128i sum = _mm_sha256msg1_epu32(*now, words[(i + 1) % 4]);
        sum = _mm_add_epi32(sum, _mm_alignr_epi8(last, words[(i + 2) % 4], 4));
        *now = _mm_sha256msg2_epu32(sum, last);
      }
      __m128i step = _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)(const void *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, step);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(step, 0x0e));
    }
    abef = _mm_add_epi32(abef, old_abef);
    cdgh = _mm_add_epi32(cdgh, old_cdgh);
  }
  uint32_t high[4], low[4];
  _mm_storeu_si128((__m128i *)(void *)high, abef);
  _mm_storeu_si128((__m128i *)(void *)low, cdgh);
  const uint32_t sums[8] = { high[3], high[2], low[3], low[2], high[1], high[0], low[1], low[0] };
  for (size_t i = 0; i < 8; i++)
    state[i] = sums[i];
}

bool sha256_blocks_fast(uint32_t *state, const uint8_t *blocks, size_t count)
{
  static int knows = -1;  // The same answer for every thread that asks first.
  int has = __atomic_load_n(&knows, __ATOMIC_RELAXED);
  if (has < 0)
    __atomic_store_n(&knows, has = has_instructions(), __ATOMIC_RELAXED);
  if (has)
    mix_fast(state, blocks, count);
  return has;
}

#else

bool sha256_blocks_fast(uint32_t *state, const uint8_t *blocks, size_t count)
{
  (void)state, (void)blocks, (void)count;
  return false;
}

#endif

void sha256_blocks(uint32_t *state, const uint8_t *blocks, size_t count)
{
  if (count > 0 && !sha256_blocks_fast(state, blocks, count))
    sha256_blocks_plain(state, blocks, count);
}
