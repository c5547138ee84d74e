#include "onnx_model/external.h"

#include <sys/stat.h>

#include "base/memory.h"

/// A location that leads out of the folder is not followed; whoever reads the text sees it.
static bool leaves_folder(Str location)
{
  if (location.data[0] == '/')
    return true;
  for (size_t at = 0; at <= location.len;) {
    size_t end = str_find_char(location, '/', at);
    end = end == STR_NOT_FOUND ? location.len : end;
    if (str_equal(str_slice(location, at, end), STR("..")))
      return true;
    at = end + 1;
  }
  return false;
}

const char *external_problem(const char *model_path, const char *location)
{
  Str path = str_from(model_path);
  size_t slash = str_rfind_char(path, '/');
  Str folder = slash == STR_NOT_FOUND ? STR("./") : str_slice(path, 0, slash + 1);
  if (leaves_folder(str_from(location)))
    return NULL;
  Arena arena = { 0 };
  const Str parts[] = { folder, str_from(location) };
  struct stat found;
  int result = lstat(arena_join(&arena, parts, COUNT(parts)).data, &found);
  arena_done(&arena);
  if (result != 0)
    return "is not there";
  if (S_ISLNK(found.st_mode))
    return "is a symbolic link";
  return S_ISREG(found.st_mode) ? NULL : "is no regular file";
}
