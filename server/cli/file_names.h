/// Files that are named elsewhere than on the command line, and the part of them that one of several runs checks.
///
/// Ownership: names go to the caller's list.
/// Errors:    ERR_USAGE or ERR_IO after a message on stderr.
/// Threads:   the main thread.
/// Sources:   docs/fleets.md.
#pragma once

#include "cli/options.h"
#include "host/files.h"

/// A name a line, or between NUL characters if there are any (find -print0); empty ones are passed over.
MUST_USE Status file_names_read(const char *path, FileList *list);
/// Each name of such a list.
void file_names_each(Str text, void (*visit)(Str name, void *context), void *context);
/// "2/8": the second of eight parts.
MUST_USE Status file_names_read_shard(const OptionReader *reader, uint32_t *ret_shard, uint32_t *ret_count);
/// Keeps the files of one part. Which part a file is in hangs on its name alone, so that runs that see other files, on
/// another machine or later, check none twice and leave none out. Standard input is in the first.
void file_names_keep_shard(FileList *list, uint32_t shard, uint32_t count);
