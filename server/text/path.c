#include "text/path.h"

#include "base/ascii.h"

bool path_has_drive(Str path)
{
  return path.len >= 3 && ascii_is_letter(path.data[0]) && path.data[1] == ':' &&
         (path.data[2] == '/' || path.data[2] == '\\');
}

bool path_is_absolute(Str path)
{
  return (path.len > 0 && path.data[0] == '/') || path_has_drive(path);
}

/// Takes the last part off `out`, unless there is none or it is ".." itself.
static bool drop_last_part(char *out, size_t root, size_t *len)
{
  size_t start = *len;
  while (start > root && out[start - 1] != '/')
    start--;
  size_t part = *len - start;
  if (part == 0 || (part == 2 && out[start] == '.' && out[start + 1] == '.'))
    return false;
  *len = start > root ? start - 1 : root;
  return true;
}

static void append_part(char *out, size_t root, size_t *len, Str part)
{
  bool is_up = str_equal(part, STR(".."));
  if (part.len == 0 || str_equal(part, STR(".")))
    return;
  // Above the root is the root; above a relative path's start the ".." stays.
  if (is_up && (drop_last_part(out, root, len) || root > 0))
    return;
  if (*len > root)
    out[(*len)++] = '/';
  memcpy(out + *len, part.data, part.len);
  *len += part.len;
}

bool path_leaves_folder(Str path, Arena *arena)
{
  return str_starts_with(path, STR("/")) || str_starts_with(path, STR("\\")) ||
         str_find(path_normalize(path, arena), STR(".."), 0) != STR_NOT_FOUND;
}

/// An absolute path without an empty part and without one that begins with a point, as nearly every one is.
static bool is_normal(Str path)
{
  if (path.len < 2 || path.data[0] != '/' || path.data[path.len - 1] == '/')
    return false;
  bool is_one = true;
  for (size_t i = 0; i + 1 < path.len; i++)
    is_one &= path.data[i] != '/' || (path.data[i + 1] != '/' && path.data[i + 1] != '.');
  return is_one;
}

Str path_normalize(Str path, Arena *arena)
{
  if (is_normal(path))
    return arena_copy(arena, path);
  char *out = arena_alloc(arena, path.len + 2);
  size_t root = 0;
  bool has_drive = path_has_drive(path);
  if (has_drive) {
    out[0] = (char)(path.data[0] | 0x20);
    memcpy(out + 1, ":/", 2);
    root = 3;
  } else if (path_is_absolute(path)) {
    out[0] = '/';
    root = 1;
  }

  size_t len = root;
  for (size_t start = root; start <= path.len;) {
    size_t end = start;
    while (end < path.len && path.data[end] != '/' && !(has_drive && path.data[end] == '\\'))
      end++;
    append_part(out, root, &len, str_slice(path, start, end));
    start = end + 1;
  }
  if (len == 0)
    out[len++] = '.';
  out[len] = '\0';
  return str_make(out, len);
}

Str path_join(Str folder, Str path, Arena *arena)
{
  if (folder.len == 0 || path_is_absolute(path))
    return path_normalize(path, arena);
  const Str parts[] = { folder, STR("/"), path };
  return path_normalize(arena_join(arena, parts, COUNT(parts)), arena);
}

Str path_parent(Str path)
{
  size_t slash = str_rfind_char(path, '/');
  return str_slice(path, 0, slash == STR_NOT_FOUND ? 0 : slash);
}

bool path_is_within(Str path, Str folder)
{
  bool ends_open = folder.len > 0 && folder.data[folder.len - 1] == '/';
  return str_starts_with(path, folder) && (path.len == folder.len || ends_open || path.data[folder.len] == '/');
}
