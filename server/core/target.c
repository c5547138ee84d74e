#include "core/target.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "core/workspace.h"

/// The copy's strings and lists live in one arena after it.
typedef struct OwnedTarget {
  Target target;  ///< First, so that a pointer to it is a pointer to the whole.
  atomic_uint references;
  Arena arena;
} OwnedTarget;

Target *target_new(const Target *values)
{
  OwnedTarget *owned = xcalloc(1, sizeof(*owned));
  Arena *arena = &owned->arena;
  Target *target = &owned->target;
  *target = *values;
  owned->references = 1;
  target->facts = facts_retain(values->facts);
  target->workspace = workspace_retain(values->workspace);
  target->torch = arena_copy(arena, values->torch);
  target->torch_meant = arena_copy(arena, values->torch_meant);
  target->torch_origin = arena_copy(arena, values->torch_origin);
  target->exporter_origin = arena_copy(arena, values->exporter_origin);
  target->opset_origin = arena_copy(arena, values->opset_origin);
  target->runtime = arena_copy(arena, values->runtime);
  target->runtime_origin = arena_copy(arena, values->runtime_origin);
  target->onnxscript = arena_copy(arena, values->onnxscript);
  target->onnxscript_origin = arena_copy(arena, values->onnxscript_origin);
  target->onnxscript_needed = arena_copy(arena, values->onnxscript_needed);
  target->measured_runtime = arena_copy(arena, values->measured_runtime);
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

Target *target_with_workspace(Target *target, const Workspace *workspace)
{
  Target values = *target;
  values.workspace = workspace;
  Target *copy = target_new(&values);
  target_release(target);
  return copy;
}

Target *target_retain(const Target *target)
{
  OwnedTarget *owned = (OwnedTarget *)target;
  atomic_fetch_add(&owned->references, 1);
  return &owned->target;
}

void target_release(Target *target)
{
  OwnedTarget *owned = (OwnedTarget *)target;
  if (!owned || atomic_fetch_sub(&owned->references, 1) != 1)
    return;
  facts_release(target->facts);
  workspace_release((Workspace *)target->workspace);
  Arena arena = owned->arena;
  arena_done(&arena);
  free(owned);
}

static bool same_roots(const Target *a, const Target *b)
{
  if (a->source_root_count != b->source_root_count)
    return false;
  for (size_t i = 0; i < a->source_root_count; i++) {
    if (!str_equal(a->source_roots[i], b->source_roots[i]))
      return false;
  }
  return true;
}

static bool same_mappings(const Target *a, const Target *b)
{
  if (a->path_mapping_count != b->path_mapping_count)
    return false;
  for (size_t i = 0; i < a->path_mapping_count; i++) {
    const PathMapping *x = &a->path_mappings[i];
    const PathMapping *y = &b->path_mappings[i];
    if (!str_equal(x->from, y->from) || !str_equal(x->to, y->to))
      return false;
  }
  return true;
}

bool target_same_settings(const Target *a, const Target *b)
{
  return a->facts == b->facts && str_equal(a->torch, b->torch) && str_equal(a->torch_meant, b->torch_meant) &&
         str_equal(a->torch_origin, b->torch_origin) && str_equal(a->exporter_origin, b->exporter_origin) &&
         str_equal(a->opset_origin, b->opset_origin) && str_equal(a->runtime, b->runtime) &&
         str_equal(a->onnxscript, b->onnxscript) && str_equal(a->onnxscript_origin, b->onnxscript_origin) &&
         str_equal(a->onnxscript_needed, b->onnxscript_needed) && str_equal(a->runtime_origin, b->runtime_origin) &&
         a->torch_is_default == b->torch_is_default && a->torch_is_between == b->torch_is_between &&
         a->torch_is_before == b->torch_is_before && a->exporter == b->exporter && a->opset == b->opset &&
         a->dynamo_opset == b->dynamo_opset && a->opset_is_default == b->opset_is_default &&
         memcmp(a->severities, b->severities, sizeof(a->severities)) == 0 && a->max_diagnostics == b->max_diagnostics &&
         a->groups == b->groups && a->hides_argument_names == b->hides_argument_names &&
         a->hides_constant_values == b->hides_constant_values && a->hides_input_names == b->hides_input_names &&
         a->hides_opsets == b->hides_opsets && same_roots(a, b) && same_mappings(a, b);
}

Str target_map_path(const Target *target, Str path, Arena *arena)
{
  for (size_t i = 0; i < target->path_mapping_count; i++) {
    const PathMapping *mapping = &target->path_mappings[i];
    if (!str_starts_with(path, mapping->from))
      continue;
    const Str parts[] = { mapping->to, str_slice(path, mapping->from.len, path.len) };
    return arena_join(arena, parts, COUNT(parts));
  }
  return path;
}

void target_digest(const Target *target, Sha256 *sha)
{
  const Str texts[] = {
    target->torch,        target->torch_meant,       target->torch_origin,     target->exporter_origin,
    target->opset_origin, target->runtime,           target->runtime_origin,   target->measured_runtime,
    target->onnxscript,   target->onnxscript_origin, target->onnxscript_needed
  };
  const uint32_t numbers[] = {
    target->torch_is_default,
    target->torch_is_between,
    target->torch_is_before,
    target->exporter,
    (uint32_t)target->opset,
    (uint32_t)target->dynamo_opset,
    target->opset_is_default,
    target->max_diagnostics,
    target->groups,
    target->hides_argument_names,
    target->hides_constant_values,
    target->hides_input_names,
    target->hides_opsets,
    (uint32_t)target->source_root_count,
    (uint32_t)target->path_mapping_count,
  };
  for (size_t i = 0; i < COUNT(texts); i++)
    sha256_add_text(sha, texts[i]);
  sha256_add(sha, str_make((const char *)numbers, sizeof(numbers)));
  sha256_add(sha, str_make((const char *)target->severities, sizeof(target->severities)));
  for (size_t i = 0; i < target->source_root_count; i++)
    sha256_add_text(sha, target->source_roots[i]);
  for (size_t i = 0; i < target->path_mapping_count; i++) {
    sha256_add_text(sha, target->path_mappings[i].from);
    sha256_add_text(sha, target->path_mappings[i].to);
  }
}
