#include "analysis/target.h"

#include <stdlib.h>

#include "analysis/workspace.h"
#include "base/memory.h"

/// The copy's strings and lists live in one arena behind it.
typedef struct OwnedTarget {
  Target target;  ///< First, so that a pointer to it is a pointer to the whole.
  Arena arena;
} OwnedTarget;

Target *target_new(const Target *values)
{
  OwnedTarget *owned = xcalloc(1, sizeof(*owned));
  Arena *arena = &owned->arena;
  Target *target = &owned->target;
  *target = *values;
  target->references = 1;
  target->facts = facts_retain(values->facts);
  target->workspace = workspace_retain(values->workspace);
  target->torch = arena_copy(arena, values->torch);
  Str *roots = ARENA_ARRAY(arena, Str, values->source_root_count);
  for (size_t i = 0; i < values->source_root_count; i++)
    roots[i] = arena_copy(arena, values->source_roots[i]);
  target->source_roots = roots;
  PathMapping *mappings = ARENA_ARRAY(arena, PathMapping, values->path_mapping_count);
  for (size_t i = 0; i < values->path_mapping_count; i++) {
    mappings[i].from = arena_copy(arena, values->path_mappings[i].from);
    mappings[i].to = arena_copy(arena, values->path_mappings[i].to);
  }
  target->path_mappings = mappings;
  return target;
}

Target *target_retain(const Target *target)
{
  Target *counted = (Target *)target;
  atomic_fetch_add(&counted->references, 1);
  return counted;
}

void target_release(Target *target)
{
  if (!target || atomic_fetch_sub(&target->references, 1) != 1)
    return;
  facts_release(target->facts);
  workspace_release((Workspace *)target->workspace);
  OwnedTarget *owned = (OwnedTarget *)target;
  Arena arena = owned->arena;
  arena_done(&arena);
  free(owned);
}

const char *exporter_name(Exporter exporter)
{
  return exporter == EXPORTER_DYNAMO ? "dynamo" : "torchscript";
}
