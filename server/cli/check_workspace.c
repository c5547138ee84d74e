#include "cli/check_workspace.h"

#include <stdlib.h>

#include "base/map.h"
#include "cli/settings_here.h"
#include "host/file_scan.h"

struct CheckWorkspace {
  FileScan scan;
};

/// Python, or C++ that may define operators.
static bool tells_others(const FoundFile *file)
{
  return !file->is_stdin && language_searching(str_from(file->path), IN_CODE | IN_SOURCES);
}

/// Whether there is anything that other files have something to say about.
static bool is_alone(const FileList *files)
{
  return files->files.count == 1 && files->silent.count == 0 && tells_others(&files->files.items[0]);
}

typedef void Giver(ScannedFile *from, FoundFile *to);

/// What was read for the workspace is not parsed again when it is checked.
static void give_snapshot(ScannedFile *from, FoundFile *to)
{
  to->before = from->snapshot;
  to->is_unnamed = from->definitions != NULL;
  from->snapshot = NULL;
}

/// Nor is it read again to see whether it has changed since an earlier run.
static void give_sum(ScannedFile *from, FoundFile *to)
{
  to->has_sum = from->has_sum;
  memcpy(to->sum, from->sum, sizeof(to->sum));
}

static void hand_over(FileScan *scan, FileList *files, Giver *give)
{
  for (size_t i = 0; i < files->files.count; i++) {
    FoundFile *file = &files->files.items[i];
    if (file->scanned > 0)
      give(&scan->files.items[file->scanned - 1], file);
  }
}

/// Its number in the scan; 0 if it tells nothing.
static size_t add_operand(FileScan *scan, const FoundFile *file)
{
  size_t before = scan->files.count;
  if (file->is_named)
    file_scan_find(scan, file->path);  // Which says why it can't be read.
  else
    file_scan_take(scan, file);
  return scan->files.count == before + 1 && scan->files.items[before].path ? before + 1 : 0;
}

/// What of the scan has which URI: its number, from 1, as a pointer.
static void *number_of(size_t count)
{
  return (void *)(uintptr_t)count;
}

/// Gives the file its number in the scan, unless another name of it has that: then `scan` stands for it in the map.
static void find_operand(FileScan *scan, FoundFile *file, Map *known, Arena *arena)
{
  void *before = map_put(known, file_scan_uri(scan, file->path, arena), scan);
  if (!before)
    file->scanned = add_operand(scan, file);
  else if (before != scan)
    file->scanned = (uintptr_t)before;
}

static void find_operands(FileScan *scan, FileList *files)
{
  Arena arena = { 0 };
  Map *known = map_new();
  for (size_t i = 0; i < scan->files.count; i++)
    map_put(known, str_from(scan->files.items[i].uri), number_of(i + 1));
  for (size_t i = 0; i < files->files.count; i++) {
    if (tells_others(&files->files.items[i]))
      find_operand(scan, &files->files.items[i], known, &arena);
  }
  for (size_t i = 0; i < files->silent.count; i++) {
    if (!map_put(known, file_scan_uri(scan, files->silent.items[i].path, &arena), scan))
      file_scan_find_silent(scan, &files->silent.items[i]);
  }
  map_free(known);
  arena_done(&arena);
}

CheckWorkspace *check_workspace_find(FileList *files, const char *root, size_t threads)
{
  CheckWorkspace *workspace = xcalloc(1, sizeof(*workspace));
  FileScan *scan = &workspace->scan;
  *scan = (FileScan){
    .languages = IN_CODE | IN_SOURCES, .threads = threads, .known_files = files->known, .is_for_check = true
  };
  if (root)
    file_scan_find(scan, root);
  if (root || !is_alone(files))
    find_operands(scan, files);
  return workspace;
}

void check_workspace_digest(CheckWorkspace *workspace, FileList *files, Neighbours *ret_neighbours)
{
  Sha256 sha;
  sha256_init(&sha);
  file_scan_digest(&workspace->scan, &sha);
  hand_over(&workspace->scan, files, give_sum);
  sha256_bytes(&sha, ret_neighbours->sum);
  ret_neighbours->bytes = workspace->scan.total;
}

bool check_workspace_has_changed(const CheckWorkspace *workspace)
{
  return atomic_load(&workspace->scan.has_changed);
}

/// The caller releases it; NULL if no file tells anything.
static Workspace *read_files(CheckWorkspace *workspace, FileList *files)
{
  FileScan *scan = &workspace->scan;
  if (scan->files.count == 0)
    return NULL;
  file_scan_read(scan);
  hand_over(scan, files, give_snapshot);
  return file_scan_workspace(scan);
}

void check_workspace_read(CheckWorkspace *workspace, FolderTargets *targets, FileList *files)
{
  Workspace *read = read_files(workspace, files);
  if (read)
    folder_targets_set_workspace(targets, read);
  workspace_release(read);
}

void check_workspace_free(CheckWorkspace *workspace)
{
  if (!workspace)
    return;
  file_scan_done(&workspace->scan);
  free(workspace);
}

Target *check_workspace(Target *target, FileList *files, size_t threads)
{
  char *root = settings_here_root(true);
  CheckWorkspace *workspace = check_workspace_find(files, root, threads);
  free(root);
  Workspace *read = read_files(workspace, files);
  target = read ? target_with_workspace(target, read) : target;
  workspace_release(read);
  check_workspace_free(workspace);
  return target;
}
