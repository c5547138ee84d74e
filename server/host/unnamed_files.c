#include "host/unnamed_files.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/workspace_names.h"

struct Definitions {
  Vec(Str) names;
  Arena arena;
};

typedef struct UnnamedFile {
  size_t number;
  Str uri;
  bool is_taken;
} UnnamedFile;

/// That a file may define a name.
typedef struct Definition {
  UnnamedFile *file;
  const struct Definition *next;  ///< Of the same name.
} Definition;

struct UnnamedFiles {
  Map *by_name;    ///< To the last Definition.
  Map *by_module;  ///< The same, by the names of their modules.
  Arena arena;
};

static void add_name(Str name, void *context)
{
  Definitions *definitions = context;
  vec_push(&definitions->names, arena_copy(&definitions->arena, name));
}

Definitions *definitions_new(const Language *language, Str text)
{
  Definitions *definitions = xcalloc(1, sizeof(*definitions));
  language->each_definition(text, add_name, definitions);
  return definitions;
}

Definitions *definitions_new_imports(const Language *language, Str text)
{
  Definitions *imports = xcalloc(1, sizeof(*imports));
  language->each_import(text, add_name, imports);
  return imports;
}

Definitions *definitions_unpack(Str packed)
{
  Definitions *definitions = xcalloc(1, sizeof(*definitions));
  for (size_t at = 0, end; at < packed.len; at = end + 1) {
    end = str_find_char(packed, '\0', at);
    end = end == STR_NOT_FOUND ? packed.len : end;
    add_name(str_slice(packed, at, end), definitions);
  }
  return definitions;
}

void definitions_pack(const Definitions *definitions, Buffer *packed)
{
  for (size_t i = 0; i < definitions->names.count; i++) {
    buffer_append(packed, definitions->names.items[i]);
    buffer_append_char(packed, '\0');
  }
}

void definitions_free(Definitions *definitions)
{
  if (!definitions)
    return;
  vec_free(&definitions->names);
  arena_done(&definitions->arena);
  free(definitions);
}

UnnamedFiles *unnamed_files_new(void)
{
  UnnamedFiles *files = xcalloc(1, sizeof(*files));
  files->by_name = map_new();
  files->by_module = map_new();
  return files;
}

void unnamed_files_free(UnnamedFiles *files)
{
  map_free(files->by_name);
  map_free(files->by_module);
  arena_done(&files->arena);
  free(files);
}

static void add_definition(UnnamedFiles *files, Map *names, Str name, UnnamedFile *file)
{
  Definition *definition = ARENA_NEW(&files->arena, Definition);
  *definition = (Definition){ file, map_get(names, name) };
  map_put(names, name, definition);
}

void unnamed_files_add(UnnamedFiles *files, size_t number, Str uri, const Definitions *definitions)
{
  UnnamedFile *file = ARENA_NEW(&files->arena, UnnamedFile);
  *file = (UnnamedFile){ .number = number, .uri = uri };
  for (size_t i = 0; definitions && i < definitions->names.count; i++)
    add_definition(files, files->by_name, definitions->names.items[i], file);
  Str module = workspace_file_module_name(uri);
  if (module.len > 0)
    add_definition(files, files->by_module, module, file);
}

typedef struct Taking {
  const UnnamedFiles *files;
  Str from;
  NumberVisitor *visit;
  void *context;
} Taking;

static void take_file(const Taking *taking, UnnamedFile *file)
{
  if (file->is_taken)
    return;
  file->is_taken = true;
  taking->visit(file->number, taking->context);
}

static void take_name(Str qualified, void *context)
{
  const Taking *taking = context;
  ForeignName name = workspace_foreign_name(qualified);
  if (name.module.len == 0)
    return;
  for (const Definition *at = map_get(taking->files->by_name, name.function); at; at = at->next) {
    if (workspace_is_module_file(at->file->uri, name.module, taking->from) ||
        workspace_is_in_package(at->file->uri, name.module, taking->from))
      take_file(taking, at->file);
  }
}

static void take_module(const Taking *taking, Str module)
{
  Str name = workspace_module_name(module, taking->from);
  for (const Definition *at = map_get(taking->files->by_module, name); at; at = at->next) {
    if (workspace_is_module_file(at->file->uri, module, taking->from))
      take_file(taking, at->file);
  }
}

void unnamed_files_take(UnnamedFiles *files, const WorkspaceFile *by, NumberVisitor *visit, void *context)
{
  Taking taking = { files, by->uri, visit, context };
  workspace_file_each_foreign(by, take_name, &taking);
}

void unnamed_files_take_imports(UnnamedFiles *files, Str uri, const Definitions *imports, NumberVisitor *visit,
                                void *context)
{
  Taking taking = { files, uri, visit, context };
  for (size_t i = 0; i < imports->names.count; i++)
    take_module(&taking, imports->names.items[i]);
}
