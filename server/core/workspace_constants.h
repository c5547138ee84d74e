/// What the module-level names of Python files stand for, for the files that import them.
///
/// A file's constants are pieces of its own text, and what its language made of them, so that whoever imports a name
/// judges it as if it were written there.
///
/// Ownership: the index belongs to its Workspace and borrows from the files.
/// Errors:    NULL is an empty workspace; a module that no file, or none for sure, has is NULL.
/// Threads:   immutable once made.
/// Sources:   docs/architecture.md, "The index of the workspace"; Python's language reference, "The import system".
#pragma once

#include "base/memory.h"

typedef struct Workspace Workspace;
typedef struct WorkspaceFile WorkspaceFile;

typedef struct WorkspaceConstants {
  bool is_wanted;       ///< The file was read for them alone, so that it is known even if there are none.
  Str text;             ///< Statements, a line break after each.
  const void *nodes;    ///< Those of the language, for this text; without pointers.
  uint32_t node_count;  ///< 0 if there is nothing to tell.
} WorkspaceConstants;

typedef struct WorkspaceModuleFiles WorkspaceModuleFiles;

WorkspaceModuleFiles *workspace_module_files_new(WorkspaceFile *const *files, size_t count);
/// NULL is fine.
void workspace_module_files_free(WorkspaceModuleFiles *files);

/// The file of that module ("pkg.config", ".config", ".") as the one at `uri` imports it, with its constants.
const WorkspaceFile *workspace_find_constants(const Workspace *workspace, Str uri, Str module);
/// The last name of a module, by which its file is looked for: "config" of "pkg.config"; of "." the folder's.
Str workspace_module_name(Str module, Str uri);
/// The same of a file: "config" of "pkg/config.py", "pkg" of "pkg/__init__.py"; empty if it is no module.
Str workspace_file_module_name(Str uri);
/// Whether both tell others the same of their names. NULL is an empty file.
bool workspace_file_same_constants(const WorkspaceFile *a, const WorkspaceFile *b);
/// Whether both import names of the same modules. NULL is an empty file.
bool workspace_file_same_imports(const WorkspaceFile *a, const WorkspaceFile *b);
