// The language features: from a position to an offset, through features/, to JSON. They run on any thread.
#include "lsp/completion_json.h"
#include "session/state.h"

static size_t offset_of(const FeatureCall *call, Position position)
{
  return document_offset(snapshot_document(call->answer.snapshot), position, call->answer.client->encoding);
}

void answer_hover(FeatureCall *call, Writer *writer)
{
  Hover hover;
  if (feature_hover(&call->feature, offset_of(call, call->params->position), &hover))
    language_write_hover(writer, &call->answer, &hover);
  else
    writer_null(writer);
}

void answer_completion(FeatureCall *call, Writer *writer)
{
  size_t offset = offset_of(call, call->params->position);
  completion_write(writer, &call->answer, feature_completion(&call->feature, offset, call->params->trigger), offset);
}

void answer_definition(FeatureCall *call, Writer *writer)
{
  LocationList list = feature_definition(&call->feature, offset_of(call, call->params->position));
  language_write_locations(writer, &call->answer, list);
}

// Always without links: they would need a capability of their own, and say no more than the places do.
void answer_implementation(FeatureCall *call, Writer *writer)
{
  LocationList list = feature_implementation(&call->feature, offset_of(call, call->params->position));
  language_write_references(writer, &call->answer, list);
}

void answer_references(FeatureCall *call, Writer *writer)
{
  size_t offset = offset_of(call, call->params->position);
  LocationList list = feature_references(&call->feature, offset, call->params->include_declaration);
  language_write_references(writer, &call->answer, list);
}

void answer_highlight(FeatureCall *call, Writer *writer)
{
  HighlightList list = feature_highlight(&call->feature, offset_of(call, call->params->position));
  language_write_highlights(writer, &call->answer, list);
}

void answer_symbols(FeatureCall *call, Writer *writer)
{
  language_write_symbols(writer, &call->answer, feature_symbols(&call->feature));
}

void answer_folding(FeatureCall *call, Writer *writer)
{
  language_write_folds(writer, &call->answer, feature_folding(&call->feature));
}

void answer_inlay_hints(FeatureCall *call, Writer *writer)
{
  Range range = { offset_of(call, call->params->range.start), offset_of(call, call->params->range.end) };
  language_write_inlay_hints(writer, &call->answer, feature_inlay_hints(&call->feature, range));
}

void answer_links(FeatureCall *call, Writer *writer)
{
  language_write_links(writer, &call->answer, feature_links(&call->feature));
}

// Each position gets its own chain; clients match them by index.
void answer_selection(FeatureCall *call, Writer *writer)
{
  writer_open(writer, '[');
  for (size_t i = 0; i < call->params->position_count; i++) {
    SelectionList list = feature_selection(&call->feature, offset_of(call, call->params->positions[i]));
    language_write_selection(writer, &call->answer, list);
  }
  writer_close(writer, ']');
}

static TokenData *tokens_in(FeatureCall *call, Range range)
{
  SemanticTokenList list = feature_tokens(&call->feature, range);
  return token_data_new(call->answer.snapshot, list, call->answer.client->encoding, call->request->result_id);
}

static TokenData *all_tokens(FeatureCall *call)
{
  return tokens_in(call, (Range){ 0, document_length(snapshot_document(call->answer.snapshot)) });
}

// Hands the tokens to the request if a later delta may refer to them.
static void keep_or_release(FeatureCall *call, TokenData *data)
{
  if (token_data_is_kept(data))
    call->request->tokens_after = data;
  else
    token_data_release(data);
}

void answer_tokens_full(FeatureCall *call, Writer *writer)
{
  TokenData *data = all_tokens(call);
  tokens_write_full(writer, data, true);
  keep_or_release(call, data);
}

static bool is_result(const TokenData *data, Str result_id)
{
  uint64_t id;
  return data && str_to_uint(result_id, UINT64_MAX, &id) && id == data->result_id;
}

void answer_tokens_delta(FeatureCall *call, Writer *writer)
{
  TokenData *data = all_tokens(call);
  const TokenData *before = call->request->tokens_before;
  if (is_result(before, call->params->previous_result_id) && token_data_is_kept(data))
    tokens_write_delta(writer, before, data);
  else
    tokens_write_full(writer, data, true);
  keep_or_release(call, data);
}

void answer_tokens_range(FeatureCall *call, Writer *writer)
{
  Range range = { offset_of(call, call->params->range.start), offset_of(call, call->params->range.end) };
  TokenData *data = tokens_in(call, range);
  tokens_write_full(writer, data, false);
  token_data_release(data);
}
