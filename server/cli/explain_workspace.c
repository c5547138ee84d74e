// What `explain` says of the symbolic functions that the workspace registers: the Python files below the folder of
// `.onnxls.json`. Without one there is no workspace, and nothing is searched.
#include <stdlib.h>
#include <unistd.h>

#include "cli/explain_private.h"
#include "cli/settings_here.h"
#include "host/file_scan.h"

Workspace *explain_workspace(void)
{
  char *root = settings_here_root(true);
  if (!root)
    return NULL;
  FileScan scan = { .languages = IN_CODE | IN_SOURCES };
  file_scan_add(&scan, root);
  Workspace *workspace = file_scan_workspace(&scan);
  file_scan_done(&scan);
  free(root);
  return workspace;
}

Str explain_folder(Arena *arena)
{
  char *folder = memory_taken(getcwd(NULL, 0));
  Str copy = arena_copy(arena, str_from(folder));
  free(folder);
  return copy;
}
