/// Memory for which there is no use at the moment, back to the system.
///
/// Errors:    where the system or the C library has no such thing, nothing changes.
/// Threads:   any.
/// Sources:   malloc_trim(3); madvise(2) "MADV_DONTNEED"; dl_iterate_phdr(3): the program comes first.
#pragma once

/// Free memory of the heap.
void give_back_heap(void);
/// Code and constants of the program, which are mapped again when they are used.
void give_back_program(void);
