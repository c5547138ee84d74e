/// Semantic tokens as LSP wants them: five relative numbers a token, whole or as a difference.
///
/// Ownership: a TokenData is reference-counted, because the next request compares with it.
/// Units:     columns and lengths are in the client's encoding.
/// Threads:   immutable once encoded; retain and release from any thread.
/// Sources:   LSP 3.17 "Semantic Tokens".
#pragma once

#include <stdatomic.h>

#include "core/features.h"
#include "rpc/writer.h"

enum {
  TOKEN_FIELDS = 5,
};

typedef struct TokenData {
  atomic_uint references;
  uint64_t result_id;
  uint32_t *numbers;  ///< TOKEN_FIELDS for each token.
  size_t count;       ///< Of tokens.
} TokenData;

TokenData *token_data_new(const Snapshot *snapshot, SemanticTokenList list, PosEncoding encoding, uint64_t result_id);
TokenData *token_data_retain(TokenData *data);
void token_data_release(TokenData *data);
bool token_data_is_kept(const TokenData *data);

/// SemanticTokens; `with_id` is for answers that a delta may follow.
void tokens_write_full(Writer *writer, const TokenData *data, bool with_id);
/// SemanticTokensDelta against `before`.
void tokens_write_delta(Writer *writer, const TokenData *before, const TokenData *data);
