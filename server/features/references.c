// textDocument/references: every place of a value.

#include "base/vec.h"
#include "features/dump_at.h"
#include "features/python_features.h"

/// A value with more uses than this gets the first ones only.
enum { REFERENCE_LIMIT = 100 * 1000 };

typedef struct Collector {
  const FeatureContext *context;
  Range origin;
  bool include_declaration;
  Vec(Location) found;
} Collector;

static bool collect(Place place, bool is_definition, void *user)
{
  Collector *collector = user;
  if (is_definition && !collector->include_declaration)
    return true;
  const Snapshot *snapshot = collector->context->snapshot;
  Range range = place_range(snapshot, place);
  vec_push(&collector->found, (Location){ .origin = collector->origin, .target = range, .selection = range });
  // On a damaged line a use may stand before a definition, which the index has first.
  for (size_t i = collector->found.count - 1; i > 0; i--) {
    Location *pair = &collector->found.items[i - 1];
    if (pair[0].selection.start <= pair[1].selection.start)
      break;
    Location later = pair[0];
    pair[0] = pair[1];
    pair[1] = later;
  }
  return collector->found.count < REFERENCE_LIMIT && !feature_is_cancelled(collector->context);
}

LocationList feature_references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  NameAt name;
  if (!snapshot_dump(context->snapshot))
    return references_in_python(context, offset, include_declaration);
  if (!name_at(context->snapshot, offset, &name))
    return (LocationList){ 0 };
  Collector collector = { .context = context, .origin = name.range, .include_declaration = include_declaration };
  name_each_occurrence(snapshot_dump(context->snapshot), &name, collect, &collector);
  Location *items = ARENA_ARRAY(context->arena, Location, collector.found.count);
  if (collector.found.count > 0)
    memcpy(items, collector.found.items, collector.found.count * sizeof(*items));
  LocationList list = { items, collector.found.count };
  vec_free(&collector.found);
  return list;
}
