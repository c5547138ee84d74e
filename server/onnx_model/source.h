/// The bytes of a model, looked at through a window, so that weights are jumped over and never read.
///
/// A file is read with pread() and not mapped: one that is cut while it is read ends here with an error instead of a
/// SIGBUS, on every file system.
///
/// Ownership: source_open_file() owns the descriptor and the window; source_open_bytes() borrows.
/// Units:     byte offsets into the file.
/// Errors:    a read that fails sets `problem`, after which every answer is empty; look at it at the end of a step.
/// Threads:   one thread at a time.
/// Sources:   POSIX.1-2017 pread(), mmap() ("SIGBUS").
#pragma once

#include "base/memory.h"

typedef struct Source {
  uint64_t size;
  const char *problem;  ///< NULL while all is well.
  int error_number;     ///< Of the system, if that is the problem; else 0.
  // Private.
  int fd;              ///< -1 for bytes in memory.
  const char *window;  ///< What is in memory: [window_start, window_end).
  uint64_t window_start;
  uint64_t window_end;
  size_t read_size;     ///< Of the next read; grows while reads follow each other.
  char *block;          ///< Owned; MODEL_WINDOW bytes, or the whole file.
  int64_t modified[2];  ///< Seconds and nanoseconds, as opened.
} Source;

/// Takes what open() would: ERR_IO with `problem` and `error_number` set, also for what is not a regular file.
MUST_USE Status source_open_file(Source *source, const char *path);
void source_open_bytes(Source *source, Str bytes);
void source_close(Source *source);

/// At least `want` bytes at `offset`, fewer only at the end of the file. Good until the next call. `want` is at most
/// MODEL_WINDOW; `ret_len` may be larger than it.
const char *source_at(Source *source, uint64_t offset, size_t want, size_t *ret_len);
/// Sets `problem` if the file was changed since it was opened, and while it was read: not what came in one piece.
void source_check_unchanged(Source *source);
