#include "lsp/tokens_json.h"

#include <stdlib.h>

#include "base/limits.h"
#include "lsp/feature_method.h"

static TokenData *encode(const AnswerContext *context, SemanticTokenList list)
{
  TokenData *data = xcalloc(1, sizeof(*data));
  data->references = 1;
  data->result_id = xstrdup_str(context->params->result_id);
  data->count = list.count;
  data->numbers = xmalloc(list.count * TOKEN_FIELDS * sizeof(*data->numbers));
  PositionCursor cursor = answer_cursor(context);
  Position before = { 0 };
  uint32_t *next = data->numbers;
  for (size_t i = 0; i < list.count; i++) {
    const SemanticToken *token = &list.items[i];
    if (!answer_takes(context, token->start)) {
      data->count--;
      continue;
    }
    Position start = position_cursor_at(&cursor, token->start);
    uint32_t end = position_cursor_at(&cursor, token->start + token->len).character;
    *next++ = start.line - before.line;
    *next++ = start.line == before.line ? start.character - before.character : start.character;
    *next++ = end - start.character;
    *next++ = token->type;
    *next++ = token->modifiers;
    before = start;
  }
  return data;
}

TokenData *tokens_data_retain(TokenData *data)
{
  if (data)
    atomic_fetch_add(&data->references, 1);
  return data;
}

void tokens_data_release(TokenData *data)
{
  if (!data || atomic_fetch_sub(&data->references, 1) != 1)
    return;
  free(data->result_id);
  free(data->numbers);
  free(data);
}

static bool is_kept(const TokenData *data)
{
  return data->count <= TOKEN_KEEP_LIMIT;
}

static void write_numbers(Writer *writer, const uint32_t *numbers, size_t count)
{
  writer_key(writer, "data");
  writer_open(writer, '[');
  for (size_t i = 0; i < count; i++)
    writer_int(writer, numbers[i]);
  writer_close(writer, ']');
}

static void write_data(Writer *writer, const TokenData *data, bool with_id)
{
  writer_open(writer, '{');
  if (with_id && is_kept(data))
    writer_member_str(writer, "resultId", str_from(data->result_id));
  write_numbers(writer, data->numbers, data->count * TOKEN_FIELDS);
  writer_close(writer, '}');
}

static bool same_token(const uint32_t *a, const uint32_t *b)
{
  return memcmp(a, b, TOKEN_FIELDS * sizeof(*a)) == 0;
}

// One edit that replaces what lies between the common start and the common end.
static void write_edit(Writer *writer, const TokenData *before, const TokenData *data)
{
  size_t least = before->count < data->count ? before->count : data->count;
  size_t prefix = 0;
  while (prefix < least && same_token(before->numbers + prefix * TOKEN_FIELDS, data->numbers + prefix * TOKEN_FIELDS))
    prefix++;
  size_t suffix = 0;
  while (suffix < least - prefix && same_token(before->numbers + (before->count - suffix - 1) * TOKEN_FIELDS,
                                               data->numbers + (data->count - suffix - 1) * TOKEN_FIELDS))
    suffix++;
  size_t removed = before->count - prefix - suffix;
  size_t added = data->count - prefix - suffix;
  if (removed == 0 && added == 0)
    return;
  writer_open(writer, '{');
  writer_member_int(writer, "start", (int64_t)(prefix * TOKEN_FIELDS));
  writer_member_int(writer, "deleteCount", (int64_t)(removed * TOKEN_FIELDS));
  if (added > 0)
    write_numbers(writer, data->numbers + prefix * TOKEN_FIELDS, added * TOKEN_FIELDS);
  writer_close(writer, '}');
}

static void write_difference(Writer *writer, const TokenData *before, const TokenData *data)
{
  writer_open(writer, '{');
  writer_member_str(writer, "resultId", str_from(data->result_id));
  writer_key(writer, "edits");
  writer_open(writer, '[');
  write_edit(writer, before, data);
  writer_close(writer, ']');
  writer_close(writer, '}');
}

// --- Asking for them ---

/// Hands the tokens on if a later delta may refer to them.
static void keep_or_release(const AnswerContext *context, TokenData *data)
{
  if (is_kept(data))
    *context->ret_tokens = data;
  else
    tokens_data_release(data);
}

static void write_full(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  TokenData *data = encode(context, result->tokens);
  write_data(writer, data, true);
  keep_or_release(context, data);
}

static void write_delta(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  TokenData *data = encode(context, result->tokens);
  const TokenData *before = context->tokens_before;
  if (before && str_equal(context->params->previous_result_id, str_from(before->result_id)) && is_kept(data))
    write_difference(writer, before, data);
  else
    write_data(writer, data, true);
  keep_or_release(context, data);
}

static void write_range(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  TokenData *data = encode(context, result->tokens);
  write_data(writer, data, false);
  tokens_data_release(data);
}

static Range whole(const FeatureContext *context)
{
  return (Range){ 0, document_length(snapshot_document(context->snapshot)) };
}

COMPUTE(all, tokens, feature_tokens(context, whole(context)))
COMPUTE(range, tokens, feature_tokens(context, params->bytes))

const FeatureMethod tokens_methods[] = {
  { .name = "textDocument/semanticTokens/full",
    .cost = COST_TEXT,
    .empty = "null",
    .read = params_read_document,
    .compute = compute_all,
    .write = write_full },
  { .name = "textDocument/semanticTokens/full/delta",
    .cost = COST_TEXT,
    .empty = "null",
    .read = params_read_delta,
    .compute = compute_all,
    .write = write_delta },
  { .name = "textDocument/semanticTokens/range",
    .cost = COST_TEXT,
    .empty = "null",
    .read = params_read_range,
    .compute = compute_range,
    .write = write_range },
  { 0 },
};
