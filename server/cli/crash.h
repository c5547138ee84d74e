/// The last words of a process that hits a bug of ours: one line on stderr, and exit code 101.
///
/// Ownership: none.
/// Units:     none.
/// Errors:    none.
/// Threads:   call once, before any thread starts.
/// Sources:   signal-safety(7): only async-signal-safe calls in the handler.
#pragma once

/// Does nothing in a sanitizer's build, which has a better report of its own.
void crash_install(void);
