/// Between our UTF-8 with slashes and the wide characters of Windows, and from its errors to ours.
///
/// Ownership: results are the caller's, to free().
/// Errors:    what is no text becomes U+FFFD; no memory ends the process.
/// Threads:   pure functions.
#pragma once

#include <wchar.h>

wchar_t *wide_from_utf8(const char *text);
char *wide_to_utf8(const wchar_t *text);
/// A name of a file: slashes, and a small letter for its drive.
char *wide_to_path(const wchar_t *path);
/// For open() and the like: /dev/null has another name there.
wchar_t *wide_from_path(const char *path);
/// errno from GetLastError(); returns -1.
int wide_fail(void);
