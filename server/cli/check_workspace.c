#include "cli/check_workspace.h"

#include <stdlib.h>

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

Target *check_workspace(Target *target, const FileList *files)
{
  FileScan scan = { .languages = IN_CODE };
  char *root = settings_here_root(true);
  if (!root && is_alone(files))
    return target;
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
