// One problem for many nodes: what is said of each of them in the same words becomes one diagnostic at the first, which
// has the others as related places.

#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/diagnostics.h"

/// Diagnostics that say the same, in order.
typedef struct Group {
  Vec(const Diagnostic *) members;
} Group;

static Str key_of(const Diagnostic *diagnostic, Arena *arena)
{
  return arena_printf(arena, "%d %d %.*s", (int)diagnostic->rule, (int)diagnostic->severity,
                      STR_ARG(diagnostic->common));
}

static Str place_words(const Diagnostic *diagnostic, Arena *arena)
{
  return diagnostic->scope.len > 0 ? arena_printf(arena, "In %.*s.", STR_ARG(diagnostic->scope)) : STR("Here, too.");
}

/// The first one, with the number of nodes and the module before what is said of all of them.
static Diagnostic merge_group(const Group *group, bool is_cut, Arena *arena)
{
  Diagnostic merged = *group->members.items[0];
  size_t count = group->members.count;
  const char *at_least = is_cut ? "at least " : "";
  Str scope = merged.scope;
  Str where = scope.len > 0 ? arena_printf(arena, ", the first in %.*s", STR_ARG(scope)) : (Str){ 0 };
  merged.message =
      arena_printf(arena, "%s%zu nodes%.*s: %.*s", at_least, count, STR_ARG(where), STR_ARG(merged.common));
  size_t shown = count - 1 < GROUP_PLACE_LIMIT ? count - 1 : GROUP_PLACE_LIMIT;
  RelatedLocation *related = ARENA_ARRAY(arena, RelatedLocation, shown);
  for (size_t i = 0; i < shown; i++) {
    const Diagnostic *other = group->members.items[i + 1];
    related[i] = (RelatedLocation){ other->range, place_words(other, arena) };
  }
  if (shown + 1 < count)
    related[shown - 1].message =
        arena_printf(arena, "%.*s %zu more follow.", STR_ARG(related[shown - 1].message), count - 1 - shown);
  merged.node_count = count;
  merged.related = related;
  merged.related_count = shown;
  return merged;
}

static void free_group(Str key, void *value, void *context)
{
  Group *group = value;
  vec_free(&group->members);
  free(group);
}

DiagnosticList diagnostics_group(const DiagnosticList *list, Arena *arena)
{
  Map *groups = map_new();
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].common.len == 0)
      continue;
    Str key = key_of(&list->items[i], arena);
    Group *group = map_get(groups, key);
    if (!group) {
      group = xcalloc(1, sizeof(*group));
      map_put(groups, key, group);
    }
    vec_push(&group->members, &list->items[i]);
  }
  DiagnosticList grouped = *list;
  Diagnostic *items = ARENA_ARRAY(arena, Diagnostic, list->count);
  grouped.count = 0;
  for (size_t i = 0; i < list->count; i++) {
    const Diagnostic *diagnostic = &list->items[i];
    Group *group = diagnostic->common.len > 0 ? map_get(groups, key_of(diagnostic, arena)) : NULL;
    bool is_alone = !group || group->members.count == 1;
    if (is_alone || group->members.items[0] == diagnostic)
      items[grouped.count++] = is_alone ? *diagnostic : merge_group(group, list->hidden > 0, arena);
  }
  grouped.items = items;
  map_each(groups, free_group, NULL);
  map_free(groups);
  return grouped;
}

DiagnosticList diagnostics_shown(const Snapshot *snapshot, const DiagnosticList *list, Arena *arena)
{
  return snapshot_target(snapshot)->groups ? diagnostics_group(list, arena) : *list;
}
