#include "base/sha256.h"
#include "base/memory.h"

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

static void mix(uint32_t *state, const uint8_t *block)
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

void sha256_init(Sha256 *sha)
{
  static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  memset(sha, 0, sizeof(*sha));
  memcpy(sha->state, start, sizeof(start));
}

void sha256_add(Sha256 *sha, Str bytes)
{
  while (bytes.len > 0) {
    size_t used = sha->len % SHA256_BLOCK;
    size_t take = SHA256_BLOCK - used < bytes.len ? SHA256_BLOCK - used : bytes.len;
    memcpy(sha->block + used, bytes.data, take);
    sha->len += take;
    bytes = str_slice(bytes, take, bytes.len);
    if (sha->len % SHA256_BLOCK == 0)
      mix(sha->state, sha->block);
  }
}

void sha256_add_number(Sha256 *sha, uint64_t number)
{
  sha256_add(sha, str_make((const char *)&number, sizeof(number)));
}

void sha256_add_text(Sha256 *sha, Str text)
{
  sha256_add_number(sha, text.len);
  sha256_add(sha, text);
}

void sha256_bytes(Sha256 *sha, uint8_t *ret_bytes)
{
  uint64_t bits = sha->len * 8;
  char tail[8];
  for (size_t i = 0; i < 8; i++)
    tail[i] = (char)(bits >> (56 - 8 * i));
  static const char padding[SHA256_BLOCK] = { '\x80' };
  size_t used = sha->len % SHA256_BLOCK;
  size_t padded = used < SHA256_BLOCK - 8 ? SHA256_BLOCK - 8 : 2 * SHA256_BLOCK - 8;
  sha256_add(sha, str_make(padding, padded - used));
  sha256_add(sha, str_make(tail, 8));
  for (size_t i = 0; i < SHA256_BYTES; i++)
    ret_bytes[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_of(Str bytes, uint8_t *ret_bytes)
{
  Sha256 sha;
  sha256_init(&sha);
  sha256_add(&sha, bytes);
  sha256_bytes(&sha, ret_bytes);
}

void sha256_digits(const uint8_t *bytes, size_t count, char *ret_hex)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < count; i++) {
    ret_hex[2 * i] = digits[bytes[i] >> 4];
    ret_hex[2 * i + 1] = digits[bytes[i] & 15];
  }
  ret_hex[2 * count] = '\0';
}

void sha256_hex(Sha256 *sha, char *ret_hex)
{
  uint8_t bytes[SHA256_BYTES];
  sha256_bytes(sha, bytes);
  sha256_digits(bytes, SHA256_BYTES, ret_hex);
}
