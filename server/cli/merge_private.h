/// The forms of results that `merge` puts together, a file each.
///
/// Ownership: a part borrows its path and owns its text; what is put together is appended to the caller's buffer.
/// Errors:    an exit code, after messages on stderr.
/// Threads:   the main thread.
/// Sources:   docs/fleets.md.
#pragma once

#include "base/buffer.h"
#include "base/vec.h"

typedef struct MergePart {
  const char *path;
  Str text;
} MergePart;

typedef Vec(MergePart) PartList;

int merge_lines(const PartList *parts, Buffer *out);
int merge_sarif(const PartList *parts, Buffer *out);
