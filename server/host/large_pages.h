/// Large pages for the heap of a process that fills memory once and ends.
///
/// The first write to each page costs a fault, which on some virtual machines takes as long as ten thousand
/// instructions; a large page costs one for 2 MB. So the heap begins with room that may have them. What is never
/// written to takes no memory.
///
/// Errors:    where the system or the C library has no such thing, or no room, nothing changes.
/// Threads:   the main thread, before there are others.
/// Sources:   madvise(2) "MADV_HUGEPAGE"; glibc's manual, "Malloc Tunable Parameters".
#pragma once

void large_pages_take(void);
