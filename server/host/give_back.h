/// Memory for which there is no use at the moment, back to the system.
///
/// Errors:    where the system or the C library has no such thing, nothing changes.
/// Threads:   any.
/// Sources:   malloc_trim(3); madvise(2) "MADV_DONTNEED".
#pragma once

#include "base/str.h"

/// Free memory of the heap.
void give_back_heap(void);
/// The pages that lie within bytes of the executable, which nothing writes to: they are read again when they are used.
void give_back_read_only(Str bytes);
