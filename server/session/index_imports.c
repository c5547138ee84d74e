#include "session/index_imports.h"

#include "base/limits.h"
#include "core/workspace_names.h"
#include "session/index.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

// --- Documents whose names others import ---

typedef struct Importers {
  Str uri;
  bool has_one;
} Importers;

static void note_importer(Str uri, void *value, void *context)
{
  Importers *importers = context;
  const WorkspaceFile *file = value;
  for (uint32_t i = 0; i < file->import_count && !importers->has_one; i++)
    importers->has_one = workspace_is_module_file(importers->uri, file->imports[i], file->uri);
}

/// True for an open document that has nothing for us, whose names another file imports.
static bool is_imported(Map *files, const Snapshot *snapshot, Str uri)
{
  Importers importers = { .uri = uri };
  if (!snapshot || snapshot_model(snapshot) || !snapshot_is_in(snapshot, IN_CODE) ||
      document_length(snapshot_document(snapshot)) > CONSTANT_FILE_LIMIT)
    return false;
  map_each(files, note_importer, &importers);
  return importers.has_one;
}

WorkspaceFile *index_imports_read(Map *files, const Snapshot *snapshot, Str uri)
{
  if (!is_imported(files, snapshot, uri))
    return NULL;
  SnapshotInput input = { .uri = uri,
                          .version = -1,
                          .document = (Document *)snapshot_document(snapshot),
                          .target = snapshot_target(snapshot),
                          .is_imported = true };
  Snapshot *imported = snapshot_new(&input, NULL);
  WorkspaceFile *file = workspace_file_new(imported);
  snapshot_release(imported);
  return file;
}

static void want_path(Session *session, Map *wanted, Str path)
{
  if (map_get(wanted, path) || map_count(wanted) >= WANTED_FILE_LIMIT)
    return;
  Arena arena = { 0 };
  map_put(wanted, path, wanted);
  index_read_file(session, uri_from_path(path, &arena));
  arena_done(&arena);
}

// --- Modules that nobody has read yet ---

/// Where a module may be that a file in a folder imports: as a file and as a package.
static void want_module(Session *session, Map *wanted, Str folder, Str module)
{
  Arena arena = { 0 };
  char *path = (char *)arena_copy(&arena, module).data;
  for (size_t i = 0; i < module.len; i++)
    path[i] = path[i] == '.' ? '/' : path[i];
  for (size_t i = 0; languages[i]; i++) {
    for (const Str *ending = languages[i]->module_endings; ending && ending->len > 0; ending++)
      want_path(session, wanted, arena_printf(&arena, "%.*s/%s%.*s", STR_ARG(folder), path, STR_ARG(*ending)));
  }
  arena_done(&arena);
}

void index_imports_want(Session *session, Map *wanted, Str uri, const WorkspaceFile *file)
{
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  const Folder *root = workspace_folder(session, path);
  for (uint32_t i = 0; root->path && i < file->import_count; i++) {
    Str module = file->imports[i];
    Str folder = path_parent(path);
    bool is_relative = str_starts_with(module, STR("."));
    if (workspace_find_constants(index_workspace(session), uri, module))
      continue;
    if (is_relative)
      module = str_slice(module, 1, module.len);
    for (; str_starts_with(module, STR(".")); module = str_slice(module, 1, module.len))
      folder = path_parent(folder);
    while (module.len > 0 && folder.len >= strlen(root->path)) {
      want_module(session, wanted, folder, module);
      folder = is_relative ? (Str){ 0 } : path_parent(folder);
    }
  }
  arena_done(&arena);
}
