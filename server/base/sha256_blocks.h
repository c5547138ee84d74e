/// The blocks of a SHA-256: in C, and with the instructions that most processors have for it.
///
/// Units:     blocks of 64 bytes.
/// Threads:   pure.
/// Sources:   FIPS 180-4, 6.2; Intel, "Intel SHA Extensions".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// By whichever is faster here.
void sha256_blocks(uint32_t *state, const uint8_t *blocks, size_t count);
void sha256_blocks_plain(uint32_t *state, const uint8_t *blocks, size_t count);
/// False, and nothing is done, if this processor lacks the instructions.
bool sha256_blocks_fast(uint32_t *state, const uint8_t *blocks, size_t count);
