// textDocument/formatting and textDocument/completion, for dialects that have them.

#include "core/completion_job.h"
#include "graph/features/graph_features.h"
#include "graph/model/snapshot_dump.h"

TextLayout graph_format(const FeatureContext *context)
{
  const GraphDialect *dialect = snapshot_dialect(context->snapshot);
  const Document *document = snapshot_document(context->snapshot);
  TextLayout layout = { 0 };
  if (!dialect->format)
    return layout;
  Arena whole = { 0 };
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &whole);
  layout.is_known = dialect->format(text, context->arena, &layout.text);
  arena_done(&whole);
  return layout;
}

void graph_complete(CompletionJob *job)
{
  const GraphDialect *dialect = snapshot_dialect(job->snapshot);
  if (dialect->complete)
    dialect->complete(job);
}
