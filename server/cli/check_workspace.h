/// The symbolic functions that count as support in `check`.
///
/// Those of the Python files among what is checked, and those below the folder of `.onnxls.json`, if there is one: the
/// same that an editor has whose workspace that folder is.
///
/// Ownership: the target is the caller's to release.
/// Errors:    what can't be read is said when it is checked.
/// Threads:   the main thread.
/// Sources:   docs/check.md, "Symbolic functions of your own".
#pragma once

#include "host/files.h"
#include "host/folder_targets.h"

typedef struct CheckWorkspace CheckWorkspace;

/// Finds the Python files that count: those of the list, and of the folder of `.onnxls.json`, NULL if there is none.
CheckWorkspace *check_workspace_find(FileList *files, const char *root, size_t threads);
/// What these files come to.
typedef struct Neighbours {
  uint8_t sum[SHA256_BYTES];  ///< Of their names and texts.
  size_t bytes;
} Neighbours;

/// A sum of these files, and those of the list keep their own (`sum`). What was found to hold of it does so no more if
/// check_workspace_has_changed().
void check_workspace_digest(CheckWorkspace *workspace, FileList *files, Neighbours *ret_neighbours);
bool check_workspace_has_changed(const CheckWorkspace *workspace);
/// Gives the targets the functions of these files, which are read now. The files of the list keep what they were read
/// into (`before`).
void check_workspace_read(CheckWorkspace *workspace, FolderTargets *targets, FileList *files);
/// NULL is fine.
void check_workspace_free(CheckWorkspace *workspace);

/// The target with the functions of these files, all of that at once; consumes `target`.
Target *check_workspace(Target *target, FileList *files, size_t threads);
