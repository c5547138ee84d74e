/// The names in a folder, as the system has them.
///
/// Ownership: an entry's name is good until the visitor returns.
/// Errors:    false with errno set; what was read until then was visited.
/// Threads:   any thread.
/// Sources:   getdents64(2): opendir() asks for more than is needed here, and a tree has thousands of folders.
#pragma once

#include "base/str.h"

typedef struct FolderEntry {
  Str name;
  bool is_file;    ///< Surely a regular one; else it may be anything.
  bool is_folder;  ///< Surely.
  int folder;      ///< The descriptor of the folder, open until the visitor returns; -1 where there is none.
} FolderEntry;

typedef void FolderVisitor(void *context, const FolderEntry *entry);

/// Visits all but `.` and `..`, in no order. A folder that can't be opened is never visited.
bool folder_each(const char *path, FolderVisitor *visit, void *context);
/// The same of a path below an open folder, which the system goes through faster; -1 for none.
bool folder_each_below(int folder, const char *path, FolderVisitor *visit, void *context);
/// Opens a folder for that; -1 if that can't be done.
int folder_open(const char *path);
