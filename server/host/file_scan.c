#include "host/file_scan.h"

#include <stdlib.h>

#include "base/limits.h"
#include "host/files.h"
#include "text/path.h"
#include "text/uri.h"

static bool is_cancelled(const FileScan *scan)
{
  return scan->cancelled && atomic_load(scan->cancelled);
}

/// The URI that an editor has for the file.
static Str uri_of(const char *path, Arena *arena)
{
  char *absolute = path[0] == '/' ? NULL : realpath(path, NULL);
  Str uri = uri_from_path(path_normalize(str_from(absolute ? absolute : path), arena), arena);
  free(absolute);
  return uri;
}

static WorkspaceFile *read_summary(FileScan *scan, const FoundFile *file, const Target *target, Str uri)
{
  char *text;
  size_t len;
  Document *document;
  if (files_read(file, SCAN_SIZE_LIMIT, &text, &len) != OK || document_new_taking(text, len, &document) != OK)
    return NULL;
  scan->total += len;
  SnapshotInput input = { .uri = uri, .version = -1, .document = document, .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  WorkspaceFile *summary = workspace_file_new(snapshot);
  snapshot_release(snapshot);
  document_release(document);
  return summary;
}

static bool has_room(const FileScan *scan, const FoundFile *file)
{
  return scan->read < SCAN_FILE_LIMIT && scan->total + file->size <= SCAN_TOTAL_LIMIT;
}

static void add_file(FileScan *scan, const FoundFile *file, const Target *target)
{
  Arena arena = { 0 };
  Str uri = uri_of(file->path, &arena);
  ScannedFile scanned = { .uri = xstrdup_str(uri), .is_leaf = file->is_named };
  if (file->size <= SCAN_SIZE_LIMIT)
    scanned.summary = read_summary(scan, file, target, uri);
  vec_push(&scan->files, scanned);
  scan->read++;
  arena_done(&arena);
}

static void note_path(FileScan *scan, const char *path, bool is_leaf)
{
  Arena arena = { 0 };
  vec_push(&scan->files, (ScannedFile){ .uri = xstrdup_str(uri_of(path, &arena)), .is_leaf = is_leaf });
  arena_done(&arena);
}

void file_scan_skip(FileScan *scan, const char *path)
{
  note_path(scan, path, true);
}

void file_scan_add(FileScan *scan, const char *path)
{
  FileList list = {
    .languages = scan->languages, .cancelled = scan->cancelled, .is_quiet = true, .limit = SCAN_ENTRY_LIMIT
  };
  Target any = { .torch = scan->torch, .torch_is_default = scan->torch.len == 0 };
  Target *target = target_new(&any);  // But for the exporter what files tell depends on their text alone.
  files_find(&list, path);
  bool is_file = list.files.count == 1 && list.files.items[0].is_named;
  if (!is_file)
    note_path(scan, path, list.problems > 0 && list.files.count == 0);
  scan->is_cut_short |= list.seen > SCAN_ENTRY_LIMIT;
  for (size_t i = 0; i < list.files.count && !is_cancelled(scan); i++) {
    const FoundFile *file = &list.files.items[i];
    if (file->size > SCAN_SIZE_LIMIT || has_room(scan, file))
      add_file(scan, file, target);
    else
      scan->is_cut_short = true;
  }
  target_release(target);
  files_done(&list);
}

Workspace *file_scan_workspace(const FileScan *scan)
{
  Vec(WorkspaceFile *) files = { 0 };
  for (size_t i = 0; i < scan->files.count; i++)
    vec_push(&files, scan->files.items[i].summary);
  Workspace *workspace = workspace_new(files.items, files.count);
  vec_free(&files);
  return workspace;
}

void file_scan_done(FileScan *scan)
{
  for (size_t i = 0; i < scan->files.count; i++) {
    workspace_file_release(scan->files.items[i].summary);
    free(scan->files.items[i].uri);
  }
  vec_free(&scan->files);
}
