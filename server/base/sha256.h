/// SHA-256, so that `sha256sum` and Python's hashlib say the same of the same bytes.
///
/// Ownership: plain values.
/// Units:     bytes.
/// Threads:   one thread at a time for a state.
/// Sources:   FIPS 180-4.
#pragma once

#include "base/str.h"

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

typedef struct Sha256 {
  uint32_t state[8];
  uint64_t len;
  uint8_t block[SHA256_BLOCK];
} Sha256;

void sha256_init(Sha256 *sha);
void sha256_add(Sha256 *sha, Str bytes);
/// The text after its length, so that what follows can't be taken for a part of it.
void sha256_add_text(Sha256 *sha, Str text);
void sha256_add_number(Sha256 *sha, uint64_t number);
void sha256_bytes(Sha256 *sha, uint8_t *ret_bytes);
/// Of these bytes alone.
void sha256_of(Str bytes, uint8_t *ret_bytes);
/// Two hexadecimal digits for each byte, and a NUL.
void sha256_digits(const uint8_t *bytes, size_t count, char *ret_hex);
/// 64 of them, and a NUL.
void sha256_hex(Sha256 *sha, char *ret_hex);
