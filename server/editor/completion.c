// textDocument/completion: asks one file after the other until one knows the place.

#include "editor/completion_private.h"

static bool (*const completers[])(CompletionJob *) = {
  complete_suppression,
  complete_python,
};

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
  for (size_t i = 0; i < sizeof(completers) / sizeof(*completers); i++) {
    if (completers[i](&job))
      break;
  }
  CompletionItem *items = ARENA_ARRAY(context->arena, CompletionItem, job.items.count);
  if (job.items.count > 0)
    memcpy(items, job.items.items, job.items.count * sizeof(*items));
  CompletionList list = { items, job.items.count, job.is_incomplete };
  vec_free(&job.items);
  return list;
}
