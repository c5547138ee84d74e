/// Semantic tokens as LSP wants them: five relative numbers a token, whole or as a difference.
///
/// Ownership: a TokenData is reference-counted, because the next request compares with it.
/// Units:     columns and lengths are in the client's encoding.
/// Threads:   immutable once encoded; retain and release from any thread.
/// Sources:   LSP 3.17 "Semantic Tokens".
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TOKEN_FIELDS = 5,
};

typedef struct TokenData {
  atomic_uint references;
  char *result_id;
  uint32_t *numbers;  ///< TOKEN_FIELDS for each token.
  size_t count;       ///< Of tokens.
} TokenData;

TokenData *tokens_data_retain(TokenData *data);
void tokens_data_release(TokenData *data);
