#include "onnx_model/external.h"

#include <sys/stat.h>

#include "base/memory.h"
#include "text/path.h"

Str external_path(const char *model_path, const char *location, Arena *arena)
{
  Str path = str_from(model_path);
  size_t slash = str_rfind_char(path, '/');
  Str folder = slash == STR_NOT_FOUND ? STR("./") : str_slice(path, 0, slash + 1);
  const Str parts[] = { folder, path_normalize(str_from(location), arena) };
  return arena_join(arena, parts, COUNT(parts));
}

const char *external_problem(const char *model_path, const char *location, uint64_t *ret_size)
{
  *ret_size = UINT64_MAX;
  Arena arena = { 0 };
  struct stat found;
  bool is_elsewhere = path_leaves_folder(str_from(location), &arena);  // Whoever reads the text sees it.
  int result = is_elsewhere ? 0 : lstat(external_path(model_path, location, &arena).data, &found);
  arena_done(&arena);
  if (is_elsewhere)
    return NULL;
  if (result != 0)
    return "is not there";
  if (S_ISLNK(found.st_mode))
    return "is a symbolic link";
  if (!S_ISREG(found.st_mode))
    return "is no regular file";
  *ret_size = (uint64_t)found.st_size;
  return NULL;
}
