/// Memory for tree-sitter. A parse takes and gives back small blocks by the ten thousand, and nothing of it outlives
/// the tree: so they are cut from slabs, used again by size, and given back together once none is left.
///
/// Ownership: a block goes back by parse_memory_free(), on the thread that took it.
/// Units:     bytes.
/// Threads:   each has slabs of its own.
/// Sources:   ts_set_allocator().
#pragma once

#include <stddef.h>

void *parse_memory_take(size_t size);
/// Keeps what fits of the old block; NULL is fine.
void *parse_memory_resize(void *memory, size_t size);
/// NULL is fine.
void parse_memory_free(void *memory);
