// What `explain` says of the symbolic functions that the workspace registers: the Python files below the folder of
// `.onnxls.json`. Without one there is no workspace, and nothing is searched.
#include <stdlib.h>
#include <unistd.h>

#include "cli/explain_private.h"
#include "cli/settings_here.h"
#include "cli/support_json.h"
#include "host/file_scan.h"
#include "text/uri.h"

Workspace *explain_workspace(void)
{
  char *root = settings_root(true);
  if (!root)
    return NULL;
  FileScan scan = { .languages = IN_CODE };
  file_scan_add(&scan, root);
  Workspace *workspace = file_scan_workspace(&scan);
  file_scan_done(&scan);
  free(root);
  return workspace;
}

Str explain_folder(Arena *arena)
{
  char *folder = getcwd(NULL, 0);
  Str copy = arena_copy(arena, str_from(folder));
  free(folder);
  return copy;
}

typedef struct Search {
  Writer *writer;
  const Page *page;
} Search;

static bool write_registration(const WorkspaceSymbolic *symbolic, void *context)
{
  const Search *search = context;
  Writer *writer = search->writer;
  if (symbolic->is_builtin)
    return true;
  writer_open(writer, '{');
  writer_member_str(writer, "name", symbolic->name);
  writer_key(writer, "opsets");
  support_json_opsets(writer, symbolic->opsets);
  writer_member_str(writer, "function", symbolic->function.len > 0 ? symbolic->function : symbolic->elsewhere);
  writer_member_str(writer, "file", page_path(search->page, symbolic->uri));
  writer_member_int(writer, "line", symbolic->registration.line + 1);
  writer_close(writer, '}');
  return true;
}

void explain_json_workspace(Writer *writer, const Page *page, Str op)
{
  Search search = { writer, page };
  writer_key(writer, "workspace");
  writer_open(writer, '[');
  workspace_each_symbolic(page->workspace, op, write_registration, &search);
  writer_close(writer, ']');
}
