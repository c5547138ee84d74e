/// Reading the Python files and dumps below folders, for what they tell each other (analysis/workspace.h).
///
/// Ownership: file_scan_done() frees everything; who takes a summary out puts NULL in its place.
/// Units:     bytes.
/// Errors:    none; what can't be read is left out. Sizes and numbers of files are bounded.
/// Threads:   one scan belongs to one thread at a time; it blocks on the file system.
/// Sources:   none.
#pragma once

#include <stdatomic.h>

#include "analysis/workspace.h"
#include "base/vec.h"

typedef struct FileScan {
  Vec(WorkspaceFile *) found;  ///< Of the files that have something to tell, in the order of `read`.
  Vec(char *) read;            ///< URIs of all files that were looked at.
  size_t total;                ///< Bytes that were read.
} FileScan;

/// Reads a file, or all below a folder. `cancelled` may be NULL.
void file_scan_add(FileScan *scan, const char *path, const atomic_bool *cancelled);
void file_scan_done(FileScan *scan);
