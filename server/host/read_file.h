/// Reading small files that settings name, and writing all of a text.
///
/// Ownership: the text is appended to the caller's buffer.
/// Units:     bytes.
/// Errors:    ERR_NOT_FOUND, ERR_LIMIT, or ERR_IO with errno set.
/// Threads:   any thread; it blocks, though never on a FIFO that nobody writes to.
#pragma once

#include "base/buffer.h"

MUST_USE Status read_whole_file(const char *path, size_t limit, Buffer *text);
/// False with errno set if the system takes less.
MUST_USE bool write_whole_file(int file, Str text);
