// textDocument/documentHighlight: the places of the value under the cursor; its definition is the write.

#include "base/limits.h"
#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"

typedef struct Collector {
  const FeatureContext *context;
  Vec(Highlight) found;
} Collector;

static bool collect(Place place, bool is_definition, void *user)
{
  Collector *collector = user;
  vec_push(&collector->found, (Highlight){ place_range(collector->context->snapshot, place), is_definition });
  return collector->found.count < HIGHLIGHT_LIMIT && !feature_is_cancelled(collector->context);
}

HighlightList graph_highlight(const FeatureContext *context, size_t offset)
{
  NameAt name;
  if (!name_at(context->snapshot, offset, &name))
    return (HighlightList){ 0 };
  Collector collector = { .context = context };
  name_each_occurrence(snapshot_dump(context->snapshot), &name, collect, &collector);
  Highlight *items = vec_copy(&collector.found, context->arena);
  HighlightList list = { items, collector.found.count };
  vec_free(&collector.found);
  return list;
}
