#include "editor/pasted_code.h"

#include "base/limits.h"

bool pasted_code_in_files(ActionJob *job, Str text, PastedCodeEdit edit, const void *wish, FileChange *ret_change)
{
  const ActionWorld *world = job->world;
  Arena *arena = job->context->arena;
  Str head = STR("File \"");
  uint32_t asked = 0;
  for (size_t at = str_find(text, head, 0); world && world->read_file && at != STR_NOT_FOUND && asked < LINK_FILE_LIMIT;
       at = str_find(text, head, at + 1)) {
    Str path = str_slice(text, at + head.len, str_find_char(text, '"', at + head.len));
    FileChange change = { .path = target_map_path(snapshot_target(job->context->snapshot), path, arena) };
    if (str_contains(path, STR("-packages/")) || change.path.len == 0 || change.path.data[0] != '/')
      continue;
    asked++;
    if (!world->read_file(change.path, arena, world->read_file_context, &change.text))
      continue;
    change.edit_count = edit(wish, change.text, (Range){ 0 }, arena, &change.edits);
    if (change.edit_count > 0) {
      *ret_change = change;
      return true;
    }
  }
  return false;
}

size_t pasted_code_line_start(Str code, size_t at)
{
  size_t start = at;
  while (start > 0 && at - start < COMMENT_LINE_LIMIT && code.data[start - 1] != '\n')
    start--;
  return start;
}

bool pasted_code_is_comment(Str code, size_t at)
{
  return str_find_char(str_slice(code, pasted_code_line_start(code, at), at), '#', 0) != STR_NOT_FOUND;
}
