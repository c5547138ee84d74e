/// What the program says to people on its standard streams. Whatever is in files, names and arguments, nothing that
/// moves a terminal's cursor gets through (text/printable.h).
///
/// Errors:    a stream that takes nothing is seen by fflush() in the end.
/// Threads:   any; what one call says is not mixed with another's.
/// Sources:   tests/tidy holds that messages are written here only.
#pragma once

#include <stdio.h>

#include "base/buffer.h"

/// One line on standard error; the line end is added.
void say(const char *format, ...) PRINTF_LIKE(1, 2);
/// The same, into a text that is said later.
void say_append(Buffer *lines, const char *format, ...) PRINTF_LIKE(2, 3);
/// Lines on standard error or standard output, as they are.
void say_lines(FILE *stream, Str text);
/// The same of a format: what is put in may hold lines.
void say_out(const char *format, ...) PRINTF_LIKE(1, 2);
