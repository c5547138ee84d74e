/// Reading a file of the command line into a snapshot.
///
/// Ownership: the snapshot is the caller's to release.
/// Errors:    NULL after a line in `notes`; a named file without a graph gets a line, too, and so does each part that a
///            limit left out (core/unread.h).
/// Threads:   any thread; `threads` of them may work on the chunks of one file.
/// Sources:   docs/check.md.
#pragma once

#include "base/buffer.h"
#include "core/coverage.h"
#include "host/files.h"

enum { LARGE_FILE = 4 * CHUNK_TARGET };  ///< From here on the chunks of a file are worth several threads.

enum { LOAD_WORK_UNIT = 1000 * 1000 };  ///< Of language_work(), as people count it.

/// `shown` is the path for messages and for the snapshot's URI. NULL if the file can't be read, or takes more work than
/// it may. What it is worth is said in `ret_coverage`, whose texts live in the arena; of a file that was skipped the
/// snapshot has no model.
Snapshot *load_snapshot(const FoundFile *file, const char *shown, const Target *target, size_t threads, Buffer *notes,
                        Arena *arena, Coverage *ret_coverage);
/// Whether a file has the name of a binary model, and begins as one: then what Python files say is nothing to it.
bool load_is_of_model(const FoundFile *file);
/// True when what became of the file is a failure of the run: it was named and skipped, could not be read, or a limit
/// left something out.
static inline bool load_has_failed(const FoundFile *file, const Coverage *coverage)
{
  return coverage->gave_up || (file->is_named && coverage->status == COVERAGE_SKIPPED);
}
