// The language features that are about code people write; like those of answers.c they run on any thread.
#include "lsp/signature.h"
#include "session/state.h"

static size_t offset_of(const FeatureCall *call, Position position)
{
  return document_offset(snapshot_document(call->answer.snapshot), position, call->answer.client->encoding);
}

void answer_signature(FeatureCall *call, Writer *writer)
{
  signature_write(writer, &call->answer, feature_signature(&call->feature, offset_of(call, call->params->position)));
}
