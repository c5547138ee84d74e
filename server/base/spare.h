/// One large block that nobody has, for who wants one like it next: an edit gives up what the next edit makes anew, and
/// the system would have to clear 200 pages for it.
///
/// Ownership: spare_take() gives a block away, which goes back by spare_give().
/// Units:     bytes.
/// Errors:    out of memory ends the process, as in memory.h.
/// Threads:   any.
#pragma once

#include <stddef.h>

/// At least `size` bytes of anything.
void *spare_take(size_t size);
/// NULL is fine.
void spare_give(void *memory);
/// Gives the one that waits to the system.
void spare_drop(void);
