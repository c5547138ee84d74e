/// Sorting of the integer keys that the symbol tables use.
///
/// Ownership: borrows both arrays.
/// Threads:   pure.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Sorts by the upper 32 bits; keys that agree there keep their order. `scratch` has room for `count` keys.
void sort_by_high_half(uint64_t *keys, uint64_t *scratch, size_t count);
