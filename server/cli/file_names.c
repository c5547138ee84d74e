#include "cli/file_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "host/say.h"

enum { MOST_SHARDS = 1000 * 1000 };

void file_names_each(Str text, void (*visit)(Str name, void *context), void *context)
{
  char end = str_find_char(text, '\0', 0) != STR_NOT_FOUND ? '\0' : '\n';
  while (text.len > 0) {
    size_t len = str_find_char(text, end, 0);
    if (len == STR_NOT_FOUND)
      len = text.len;
    if (len > 0)
      visit(str_slice(text, 0, len), context);
    text = str_slice(text, len < text.len ? len + 1 : len, text.len);
  }
}

static void find(Str name, void *context)
{
  char *path = xstrdup_str(name);
  files_find(context, path);
  free(path);
}

Status file_names_read(const char *path, FileList *list)
{
  bool is_stdin = strcmp(path, "-") == 0;
  FoundFile file = { .path = xstrdup_str(str_from(path)), .is_stdin = is_stdin, .size = SIZE_MAX };
  char *text = NULL;
  size_t len = 0;
  Status status = files_read(&file, FILE_LIST_BYTE_LIMIT, &text, &len);
  if (status == OK)
    file_names_each(str_make(text, len), find, list);
  else
    say("onnxls: %s: %s", path, status == ERR_LIMIT ? "a list of files has 64 MB at most" : strerror(errno));
  free(text);
  free(file.path);
  return status;
}

Status file_names_read_shard(const OptionReader *reader, uint32_t *ret_shard, uint32_t *ret_count)
{
  uint64_t shard = 0;
  uint64_t count = 0;
  Str text = str_from(reader->value);
  size_t slash = str_find_char(text, '/', 0);
  if (slash != STR_NOT_FOUND && str_to_uint(str_slice(text, 0, slash), MOST_SHARDS, &shard) &&
      str_to_uint(str_slice(text, slash + 1, text.len), MOST_SHARDS, &count) && shard >= 1 && shard <= count) {
    *ret_shard = (uint32_t)shard;
    *ret_count = (uint32_t)count;
    return OK;
  }
  say("%s: --shard can't be '%s'; it is I/N, such as 2/8 for the second of eight parts", reader->command,
      reader->value);
  return ERR_USAGE;
}

/// "./a" and "a" are one file.
static Str plain_name(const char *path)
{
  Str name = str_from(path);
  while (str_starts_with(name, STR("./")))
    name = str_slice(name, 2, name.len);
  return name;
}

void file_names_keep_shard(FileList *list, uint32_t shard, uint32_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < list->files.count; i++) {
    FoundFile *file = &list->files.items[i];
    uint32_t its = file->is_stdin ? 0 : str_hash(plain_name(file->path)) % count;
    if (its + 1 == shard) {
      list->files.items[kept++] = *file;
    } else {
      snapshot_release(file->before);
      free(file->path);
    }
  }
  list->files.count = kept;
}
