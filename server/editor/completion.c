// textDocument/completion: comments that switch rules off, else the document's language.

#include "core/completion_job.h"
#include "editor/suppression_words.h"

CompletionList feature_completion(const FeatureContext *context, size_t offset, Str trigger)
{
  CompletionJob job = {
    .context = context,
    .arena = context->arena,
    .snapshot = context->snapshot,
    .document = snapshot_document(context->snapshot),
    .offset = offset,
    .trigger = trigger,
  };
  const Language *language = snapshot_language(context->snapshot);
  bool can_complete = snapshot_model(context->snapshot) && language->features->complete;
  if (!suppression_complete(&job) && can_complete)
    language->features->complete(&job);
  CompletionItem *items = vec_copy(&job.items, context->arena);
  CompletionList list = { items, job.items.count, job.is_incomplete };
  vec_free(&job.items);
  return list;
}
