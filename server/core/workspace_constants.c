#include "core/workspace_constants.h"

#include <stdlib.h>

#include "base/search.h"
#include "base/vec.h"
#include "core/language.h"
#include "core/workspace.h"
#include "core/workspace_names.h"
#include "text/path.h"

typedef struct ModuleFile {
  Str name;  ///< Its last one.
  const WorkspaceFile *file;
} ModuleFile;

struct WorkspaceModuleFiles {
  Vec(ModuleFile) files;  ///< By name and URI.
};

Str workspace_file_module_name(Str uri)
{
  Str path = language_without_ending(uri, IN_CODE);
  Str name = str_after_last(path, '/');
  return str_equal(name, STR("__init__")) ? str_after_last(path_parent(path), '/') : name;
}

Str workspace_module_name(Str module, Str uri)
{
  Str name = str_after_last(module, '.');
  if (name.len > 0 || module.len == 0)
    return name;
  Str folder = path_parent(uri);
  for (size_t up = 1; up < module.len; up++)
    folder = path_parent(folder);
  return str_after_last(folder, '/');
}

static int compare_module_files(const void *a, const void *b)
{
  const ModuleFile *x = a;
  const ModuleFile *y = b;
  int order = str_compare(x->name, y->name);
  return order != 0 ? order : str_compare(x->file->uri, y->file->uri);
}

WorkspaceModuleFiles *workspace_module_files_new(WorkspaceFile *const *files, size_t count)
{
  WorkspaceModuleFiles *modules = xcalloc(1, sizeof(*modules));
  for (size_t i = 0; i < count; i++) {
    if (files[i]->constants.node_count > 0)
      vec_push(&modules->files, ((ModuleFile){ workspace_file_module_name(files[i]->uri), files[i] }));
  }
  vec_sort(&modules->files, compare_module_files);
  return modules;
}

void workspace_module_files_free(WorkspaceModuleFiles *files)
{
  if (!files)
    return;
  vec_free(&files->files);
  free(files);
}

/// Whether a module at `path` can be imported from `uri` by this one name alone: its folder is around the file, as that
/// of a script or the root of a project is.
static bool is_around(Str path, Str uri)
{
  Str folder = path_parent(path);
  if (str_equal(str_after_last(language_without_ending(path, IN_CODE), '/'), STR("__init__")))
    folder = path_parent(folder);
  return str_starts_with(uri, folder) && uri.len > folder.len && uri.data[folder.len] == '/';
}

/// Of several files the nearest that is surely meant; of one alone it is enough that it has the name.
const WorkspaceFile *workspace_find_constants(const Workspace *workspace, Str uri, Str module)
{
  const WorkspaceModuleFiles *modules = workspace_module_files(workspace);
  Str name = workspace_module_name(module, uri);
  if (!modules || name.len == 0)
    return NULL;
  const WorkspaceFile *best = NULL;
  size_t best_nearness = 0;
  size_t count = 0;
  bool is_sure = false;
  size_t at;
  SEARCH_FIRST(at, 0, modules->files.count, str_compare(modules->files.items[at].name, name) < 0);
  for (; at < modules->files.count && str_equal(modules->files.items[at].name, name); at++) {
    const WorkspaceFile *file = modules->files.items[at].file;
    if (str_equal(file->uri, uri) || !workspace_is_module_file(file->uri, module, uri))
      continue;
    count++;
    bool is_plain = str_find_char(module, '.', 0) == STR_NOT_FOUND;
    bool is_near = !is_plain || is_around(file->uri, uri);
    size_t nearness = workspace_nearness(file->uri, uri);
    if (!best || (is_near && !is_sure) || (is_near == is_sure && nearness > best_nearness)) {
      best = file;
      best_nearness = nearness;
      is_sure = is_near;
    }
  }
  return is_sure || count == 1 ? best : NULL;
}

static Str text_of(const WorkspaceFile *file)
{
  return file ? file->constants.text : (Str){ 0 };
}

static bool has_constants(const WorkspaceFile *file)
{
  return file && file->constants.node_count > 0;
}

bool workspace_file_same_constants(const WorkspaceFile *a, const WorkspaceFile *b)
{
  return has_constants(a) == has_constants(b) && str_equal(text_of(a), text_of(b));
}

bool workspace_file_same_imports(const WorkspaceFile *a, const WorkspaceFile *b)
{
  uint32_t a_count = a ? a->import_count : 0;
  uint32_t b_count = b ? b->import_count : 0;
  bool is_same = a_count == b_count;
  for (uint32_t i = 0; i < a_count && is_same; i++)
    is_same = str_equal(a->imports[i], b->imports[i]);
  return is_same;
}
