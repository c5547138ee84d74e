#include "session/file_scan.h"

#include <stdlib.h>

#include "session/files.h"
#include "text/path.h"
#include "text/uri.h"

enum {
  ENTRY_LIMIT = 50 * 1000,           ///< Files and folders that are looked at below one folder.
  FILE_LIMIT = 5000,                 ///< Files that are read.
  SIZE_LIMIT = 32 * 1024 * 1024,     ///< Larger dumps count when they are open.
  TOTAL_LIMIT = 1024 * 1024 * 1024,  ///< Bytes that are read in all.
};

/// The URI that an editor has for the file.
static Str uri_of(const char *path, Arena *arena)
{
  char *absolute = path[0] == '/' ? NULL : realpath(path, NULL);
  Str uri = uri_from_path(path_normalize(arena_copy(arena, str_from(absolute ? absolute : path)), arena), arena);
  free(absolute);
  return uri;
}

static void read_file(FileScan *scan, const FoundFile *file, const Target *target)
{
  Arena arena = { 0 };
  Str uri = uri_of(file->path, &arena);
  char *text;
  size_t len;
  Document *document;
  vec_push(&scan->read, xstrdup_str(uri));
  if (file_read(file, SIZE_LIMIT, &text, &len) == OK && document_new_taking(text, len, &document) == OK) {
    SnapshotInput input = { .uri = uri, .version = -1, .document = document, .target = target };
    Snapshot *snapshot = snapshot_new(&input, NULL);
    WorkspaceFile *summary = workspace_file_new(snapshot);
    if (summary)
      vec_push(&scan->found, summary);
    snapshot_release(snapshot);
    document_release(document);
  }
  arena_done(&arena);
}

void file_scan_add(FileScan *scan, const char *path, const atomic_bool *cancelled)
{
  FileList list = { .wants_python = true, .is_quiet = true, .limit = ENTRY_LIMIT };
  Target any = { .torch = STR("") };
  Target *target = target_new(&any);  // What files tell depends on their text alone.
  files_find(&list, path);
  for (size_t i = 0; i < list.files.count; i++) {
    const FoundFile *file = &list.files.items[i];
    if ((cancelled && atomic_load(cancelled)) || scan->read.count >= FILE_LIMIT)
      break;
    if (file->size > SIZE_LIMIT || scan->total + file->size > TOTAL_LIMIT)
      continue;
    scan->total += file->size;
    read_file(scan, file, target);
  }
  target_release(target);
  files_done(&list);
}

void file_scan_done(FileScan *scan)
{
  for (size_t i = 0; i < scan->found.count; i++)
    workspace_file_release(scan->found.items[i]);
  for (size_t i = 0; i < scan->read.count; i++)
    free(scan->read.items[i]);
  vec_free(&scan->found);
  vec_free(&scan->read);
}
