/// A small file that is read when a walk finds it: its folder is open then, and the system has just looked at it. To
/// come back to it by its whole path, after a thousand others, takes several times as long.
///
/// Ownership: the caller frees it with free().
/// Units:     bytes.
/// Errors:    NULL for what is no regular file or can't be read now; whoever asks by its path finds out why.
/// Threads:   any thread.
/// Sources:   docs/performance.md, "Models".
#pragma once

#include "base/str.h"
#include "host/file_stamp.h"

typedef struct EarlyFile {
  FileStamp stamp;  ///< Of one with bytes that nobody wanted a stamp of, the size alone.
  bool has_bytes;   ///< It is not larger than SMALL_MODEL_LIMIT...
  size_t len;       ///< ...and this is all of it.
  char bytes[];
} EarlyFile;

/// The file of that name in an open folder; not what a link leads to.
EarlyFile *early_file_read(int folder, const char *name, bool wants_stamp);
