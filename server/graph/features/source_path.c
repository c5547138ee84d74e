#include "graph/features/source_path.h"

#include "base/limits.h"
#include "text/path.h"

static bool exists(const FeatureContext *context, Str path)
{
  return path.len > 0 && context->file_exists && context->file_exists(path, context->file_exists_context);
}

/// What is left of `path` after the folder `folder`; both normalised.
static bool path_below(Str path, Str folder, Str *ret_rest)
{
  if (!str_starts_with(path, folder))
    return false;
  Str rest = str_slice(path, folder.len, path.len);
  bool ends_whole = rest.len == 0 || rest.data[0] == '/' || str_ends_with(folder, STR("/"));
  if (!ends_whole)
    return false;
  *ret_rest = rest.len > 0 && rest.data[0] == '/' ? str_slice(rest, 1, rest.len) : rest;
  return true;
}

static bool find_mapped(const FeatureContext *context, Str path, Str *ret_path)
{
  const Target *target = snapshot_target(context->snapshot);
  for (size_t i = 0; i < target->path_mapping_count; i++) {
    const PathMapping *mapping = &target->path_mappings[i];
    Str rest;
    if (!path_below(path, path_normalize(mapping->from, context->arena), &rest))
      continue;
    Str mapped = rest.len > 0 ? path_join(mapping->to, rest, context->arena) : mapping->to;
    if (exists(context, mapped)) {
      *ret_path = mapped;
      return true;
    }
    return false;  // The first match wins, found or not.
  }
  return false;
}

/// Looks for the path, then for what is left of it without its first folders.
static bool find_below_root(const FeatureContext *context, Str root, Str path, Str *ret_path)
{
  Str tail = path;
  if (path_has_drive(tail))
    tail = str_slice(tail, 2, tail.len);
  for (int i = 0; i < PATH_TAIL_LIMIT && tail.len > 0; i++) {
    while (tail.len > 0 && tail.data[0] == '/')
      tail = str_slice(tail, 1, tail.len);
    // Nothing outside the root is looked at.
    if (tail.len > 0 && !str_equal(tail, STR("..")) && !str_starts_with(tail, STR("../"))) {
      Str candidate = path_join(root, tail, context->arena);
      if (exists(context, candidate)) {
        *ret_path = candidate;
        return true;
      }
    }
    size_t slash = str_find_char(tail, '/', 0);
    if (slash == STR_NOT_FOUND)
      break;
    tail = str_slice(tail, slash + 1, tail.len);
  }
  return false;
}

bool source_path_find(const FeatureContext *context, Str file, Str *ret_path)
{
  // `<string>`, `<ipython-input-7-…>`: code that was never in a file.
  if (!context->file_exists || file.len == 0 || file.len > PATH_LIMIT || file.data[0] == '<')
    return false;
  Str path = path_normalize(file, context->arena);
  if (find_mapped(context, path, ret_path))
    return true;
  if (path_is_absolute(path) && exists(context, path)) {
    *ret_path = path;
    return true;
  }
  const Target *target = snapshot_target(context->snapshot);
  for (size_t i = 0; i < target->source_root_count; i++) {
    if (find_below_root(context, target->source_roots[i], path, ret_path))
      return true;
  }
  return false;
}
