// textDocument/documentHighlight: the places of the value under the cursor, where its definition is the write; of an
// operator the lines with the same one, and of a scope those of the same module.

#include "base/limits.h"
#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/line_view.h"

typedef struct Collector {
  const FeatureContext *context;
  Vec(Highlight) found;
} Collector;

static bool add(Collector *collector, Range range, bool is_write)
{
  vec_push(&collector->found, (Highlight){ range, is_write });
  return collector->found.count < HIGHLIGHT_LIMIT && !feature_is_cancelled(collector->context);
}

static HighlightList finish(Collector *collector)
{
  Highlight *items = vec_copy(&collector->found, collector->context->arena);
  HighlightList list = { items, collector->found.count };
  vec_free(&collector->found);
  return list;
}

static bool collect(Place place, bool is_definition, void *user)
{
  Collector *collector = user;
  return add(collector, dump_place_range(collector->context->snapshot, place), is_definition);
}

static HighlightList highlight_value(const FeatureContext *context, const NameAt *name)
{
  Collector collector = { .context = context };
  name_at_each_occurrence(snapshot_dump(context->snapshot), name, collect, &collector);
  return finish(&collector);
}

static HighlightList highlight_operator(const FeatureContext *context, size_t offset)
{
  LocationList places = graph_references(context, offset, false);
  Collector collector = { .context = context };
  for (size_t i = 0; i < places.count; i++) {
    if (!places.items[i].is_file && !add(&collector, places.items[i].selection, false))
      break;
  }
  return finish(&collector);
}

// --- Scopes ---

/// The scope of a line up to the module under the offset; empty if the offset is in none.
static Str scope_at(const Document *document, size_t offset)
{
  uint32_t line = document_line_of(document, offset);
  Str text = document_line(document, line);
  Str scope = line_tail(text).scope;
  if (scope.len == 0)
    return (Str){ 0 };
  size_t start = document_line_start(document, line) + (size_t)(scope.data - text.data);
  if (offset < start || offset > start + scope.len)
    return (Str){ 0 };
  size_t end = str_find_char(scope, '/', offset - start);
  return str_slice(scope, 0, end);
}

/// True when the module of `part` is the scope's, or one around it.
static bool is_inside(Str scope, Str part)
{
  return str_starts_with(scope, part) && (scope.len == part.len || scope.data[part.len] == '/');
}

static HighlightList highlight_scope(const FeatureContext *context, Str part)
{
  const Document *document = snapshot_document(context->snapshot);
  Collector collector = { .context = context };
  bool has_room = true;
  for (uint32_t line = 0; line < document_line_count(document) && has_room; line++) {
    Str text = document_line(document, line);
    Str scope = str_contains(text, part) ? line_tail(text).scope : (Str){ 0 };
    if (scope.len == 0 || !is_inside(scope, part))
      continue;
    size_t start = document_line_start(document, line) + (size_t)(scope.data - text.data);
    has_room = add(&collector, (Range){ start, start + part.len }, false);
  }
  return finish(&collector);
}

HighlightList graph_highlight(const FeatureContext *context, size_t offset)
{
  NameAt name;
  if (name_at(context->snapshot, offset, &name))
    return highlight_value(context, &name);
  Str part = scope_at(snapshot_document(context->snapshot), offset);
  return part.len > 0 ? highlight_scope(context, part) : highlight_operator(context, offset);
}
