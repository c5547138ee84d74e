/// Files over which a server crashed while it indexed its workspace: those after it leave them out, so that one file
/// can't take the whole workspace away for good.
///
/// They are lines of a file in the user's cache: when, the build, and the file's URI. A file that was written since
/// counts as another one, and another build of the program tries again.
///
/// Ownership: one list for the process.
/// Units:     seconds since 1970.
/// Errors:    without a cache nothing is remembered.
/// Threads:   crash_list_open() before all others; crash_list_note() may be called by a signal's handler.
/// Sources:   signal-safety(7).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/// What lastwords_begin() is told where a crash is to be remembered.
#define INDEXING_TASK "indexing"

/// Reads what is known, and opens the file for more: the sandbox lets none be opened later.
void crash_list_open(void);
/// True if a file that was last written `written_at` is to be left out.
bool crash_list_has(Str uri, int64_t written_at);
/// The process ends over this file.
void crash_list_note(const char *uri);
