/// Sorting that keeps the order of equal elements, which qsort() need not do: results are the same on every system.
///
/// Ownership: borrows the arrays.
/// Units:     elements; `size` is the bytes of one.
/// Threads:   pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// `compare` as for qsort(): less than, equal to or greater than 0. `items` may be NULL if there are none.
void sort_stable(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));

/// Sorts by the upper 32 bits. `scratch` has room for `count` keys.
void sort_by_high_half(uint64_t *keys, uint64_t *scratch, size_t count);
