#include "base/sha256.h"
#include "base/sha256_blocks.h"

void sha256_init(Sha256 *sha)
{
  static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
  memset(sha, 0, sizeof(*sha));
  memcpy(sha->state, start, sizeof(start));
}

void sha256_add(Sha256 *sha, Str bytes)
{
  size_t used = sha->len % SHA256_BLOCK;
  if (used > 0 && bytes.len > 0) {
    size_t take = SHA256_BLOCK - used < bytes.len ? SHA256_BLOCK - used : bytes.len;
    memcpy(sha->block + used, bytes.data, take);
    sha->len += take;
    bytes = str_slice(bytes, take, bytes.len);
    if (sha->len % SHA256_BLOCK == 0)
      sha256_blocks(sha->state, sha->block, 1);
  }
  size_t whole = bytes.len / SHA256_BLOCK;
  sha256_blocks(sha->state, (const uint8_t *)bytes.data, whole);
  size_t rest = bytes.len - whole * SHA256_BLOCK;
  if (rest > 0)
    memcpy(sha->block, bytes.data + whole * SHA256_BLOCK, rest);
  sha->len += bytes.len;
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
