// The language features that are about code people write; like those of answers.c they run on any thread.
#include "lsp/calls_json.h"
#include "lsp/signature_json.h"
#include "session/state.h"

static size_t offset_of(const FeatureCall *call, Position position)
{
  return document_offset(snapshot_document(call->answer.snapshot), position, call->answer.client->encoding);
}

void answer_signature(FeatureCall *call, Writer *writer)
{
  signature_write(writer, &call->answer, feature_signature(&call->feature, offset_of(call, call->params->position)));
}

void workspace_symbols(Session *session, Message *message, Request *request)
{
  Str query = { 0 };
  if (!value_to_str(value_get(message_params(message), "query"), &query)) {
    request_fail(request, RPC_INVALID_PARAMS, "the params are not those of this method");
    return;
  }
  Writer writer = request_begin_reply(request);
  WorkspaceSymbolList list = feature_workspace_symbols(index_workspace(session), query, &request->arena);
  code_write_workspace_symbols(&writer, &session->client, list);
  request_end_reply(request);
}

void answer_lenses(FeatureCall *call, Writer *writer)
{
  code_write_lenses(writer, &call->answer, feature_lenses(&call->feature));
}

void answer_call_items(FeatureCall *call, Writer *writer)
{
  size_t offset = offset_of(call, call->params->position);
  code_write_call_items(writer, &call->answer, feature_call_items(&call->feature, offset));
}

void answer_incoming_calls(FeatureCall *call, Writer *writer)
{
  size_t offset = offset_of(call, call->params->position);
  code_write_call_edges(writer, &call->answer, feature_incoming_calls(&call->feature, offset), true);
}

void answer_outgoing_calls(FeatureCall *call, Writer *writer)
{
  size_t offset = offset_of(call, call->params->position);
  code_write_call_edges(writer, &call->answer, feature_outgoing_calls(&call->feature, offset), false);
}
