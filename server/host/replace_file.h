/// Putting a text in the place of a file's, so that nothing is lost: neither what somebody saved meanwhile, nor who
/// owns the file and under which other names it is known, nor the text itself when the power goes.
///
/// A complete new file takes the old one's place. Where that would make it another file to somebody (hard links,
/// extended attributes and access lists, an owner that can't be given), or there is no file to take the place of (a
/// pipe), the text is written into it; a complete copy lies beside it until that is done, and stays if it fails.
/// Symbolic links are followed.
///
/// Units:     bytes.
/// Errors:    ERR_CHANGED, and nothing was written; ERR_IO with errno set.
/// Threads:   each file by one thread.
/// Sources:   rename(2), renameat2(2), fsync(2).
#pragma once

#include "base/status.h"
#include "base/str.h"

/// `expected` is what the file has to hold, or else somebody changed it since it was read; NULL: whatever is there is
/// replaced, and a new file is made where none is.
MUST_USE Status replace_file(const char *path, const Str *expected, Str text);
