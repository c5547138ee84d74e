#include "cli/check_workspace.h"

#include <stdlib.h>

#include "cli/settings_here.h"
#include "session/file_scan.h"

static bool is_python(const FoundFile *file)
{
  return !file->is_stdin && str_ends_with(str_from(file->path), STR(".py"));
}

/// Is there anything whose diagnostics depend on symbolic functions? Then a walk through the workspace is worth it.
static bool has_dump(const FileList *files)
{
  for (size_t i = 0; i < files->files.count; i++) {
    if (!is_python(&files->files.items[i]))
      return true;
  }
  return false;
}

Target *check_workspace(Target *target, const FileList *files)
{
  if (!has_dump(files))
    return target;
  FileScan scan = { .kinds = SCAN_PYTHON };
  char *root = settings_root(true);
  if (root)
    file_scan_add(&scan, root);
  for (size_t i = 0; i < files->files.count; i++) {
    if (is_python(&files->files.items[i]))
      file_scan_add(&scan, files->files.items[i].path);
  }
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
