/// `onnxls check --fix`: safe fixes applied to files, or shown as a diff.
///
/// Ownership: said at each function.
/// Errors:    a file that can't be written gets a line in `notes`.
/// Threads:   each document by one thread.
/// Sources:   docs/check.md, "Fixing".
#pragma once

#include "base/buffer.h"
#include "core/snapshot.h"

typedef enum FixMode {
  FIX_NOTHING,
  FIX_FILES,  ///< Write what was changed.
  FIX_SHOW,   ///< Print what would be changed.
} FixMode;

/// Of one document or of the whole run.
typedef struct FixCounts {
  size_t fixes;
  size_t files;   ///< That were changed, or would be.
  size_t failed;  ///< That could not be written.
} FixCounts;

/// Applies the safe fixes of a document, and those of what comes of it, until there are none. Returns the snapshot of
/// the text after them, to be released; the one given, retained, if there is nothing to fix.
Snapshot *fix_snapshot(const Snapshot *snapshot, size_t *ret_fixes);

/// Puts the text after the fixes in the place of the one before, if the file still holds that (host/replace_file.h).
MUST_USE Status fix_write(const char *path, const Document *before, const Document *fixed, Buffer *notes);

/// Appends the difference as `diff -u` prints it; nothing if the texts are equal.
void fix_diff(Buffer *out, const char *path, Str before, Str after);

/// "fixed 3 problems in 2 files", for stderr.
void fix_summary(Buffer *out, FixMode mode, const FixCounts *counts);
