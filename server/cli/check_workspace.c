#include "cli/check_workspace.h"

#include <stdlib.h>

#include "base/map.h"
#include "cli/settings_here.h"
#include "host/file_scan.h"

static bool is_python(const FoundFile *file)
{
  return !file->is_stdin && language_searching(str_from(file->path), IN_CODE);
}

/// Whether there is anything that other files have something to say about.
static bool is_alone(const FileList *files)
{
  return files->files.count == 1 && is_python(&files->files.items[0]);
}

/// What was read for the workspace is not parsed again when it is checked.
static void hand_over(Map *scanned, FileList *files)
{
  Arena arena = { 0 };
  for (size_t i = 0; i < files->files.count; i++) {
    FoundFile *file = &files->files.items[i];
    ScannedFile *read = is_python(file) ? map_remove(scanned, file_scan_uri(file->path, &arena)) : NULL;
    if (read) {
      file->before = read->snapshot;
      read->snapshot = NULL;
    }
  }
  arena_done(&arena);
}

static void find_operands(FileScan *scan, const FileList *files)
{
  Arena arena = { 0 };
  Map *known = map_new();
  for (size_t i = 0; i < scan->files.count; i++)
    map_put(known, str_from(scan->files.items[i].uri), scan);
  for (size_t i = 0; i < files->files.count; i++) {
    const FoundFile *file = &files->files.items[i];
    if (is_python(file) && !map_put(known, file_scan_uri(file->path, &arena), scan))
      file_scan_find(scan, file->path);
  }
  map_free(known);
  arena_done(&arena);
}

Target *check_workspace(Target *target, FileList *files, size_t threads)
{
  FileScan scan = { .languages = IN_CODE, .threads = threads, .keeps_snapshots = true };
  char *root = settings_here_root(true);
  if (!root && is_alone(files))
    return target;
  if (root)
    file_scan_find(&scan, root);
  find_operands(&scan, files);
  file_scan_read(&scan);
  Map *scanned = map_new();
  for (size_t i = 0; i < scan.files.count; i++)
    map_put(scanned, str_from(scan.files.items[i].uri), &scan.files.items[i]);
  hand_over(scanned, files);
  map_free(scanned);
  Workspace *workspace = file_scan_workspace(&scan);
  Target values = *target;
  values.workspace = workspace;
  Target *copy = target_new(&values);
  target_release(target);
  workspace_release(workspace);
  file_scan_done(&scan);
  free(root);
  return copy;
}
