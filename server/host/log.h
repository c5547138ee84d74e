/// The server's own log: a line each to --log-file, and what is wrong to standard error as well.
///
/// Ownership: the file stays open until log_close().
/// Errors:    a file that can't be opened gives ERR_IO; later failures are ignored.
/// Threads:   any thread may log.
#pragma once

#include "base/status.h"

typedef enum LogLevel {
  LOG_DEBUG,    ///< File only.
  LOG_INFO,     ///< File only.
  LOG_WARNING,  ///< File, and standard error if there is no file.
  LOG_ERROR,    ///< Both.
} LogLevel;

MUST_USE Status log_open(const char *path);
void log_close(void);
/// Descriptor of the file, or -1.
int log_descriptor(void);
void log_line(LogLevel level, const char *format, ...) PRINTF_LIKE(2, 3);
