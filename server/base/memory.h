/// Allocation that never returns NULL, and the arena.
///
/// Ownership: xmalloc and friends give memory to free(); what an arena gives lives until arena_done().
/// Units:     bytes.
/// Errors:    out of memory ends the process (memory_on_exhausted()); check a size that somebody chose before asking.
/// Threads:   an arena belongs to one thread at a time.
#pragma once

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "base/str.h"

/// How many items an array has that is visible as one.
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/// What to do instead of abort() when `size` bytes more are refused; it must not return, and must not allocate.
void memory_on_exhausted(void (*end_process)(size_t size));

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
/// What the C library made with memory of its own, such as the result of getcwd(): `result`, which is NULL for any
/// other reason than memory. A path that nobody got is not one that is not there.
void *memory_taken(void *result);
/// A NUL-terminated copy to free().
char *xstrdup_str(Str s);

typedef struct ArenaBlock ArenaBlock;

/// Zeroed memory is an empty arena.
typedef struct Arena {
  ArenaBlock *blocks;  ///< Newest first; owned.
  char *next;          ///< Next free byte of the newest block.
  char *end;
} Arena;

/// Frees everything; the arena is empty and usable again. NULL is fine.
void arena_done(Arena *arena);
/// As below, where the newest block may have no room left.
void *arena_alloc_anywhere(Arena *arena, size_t size);

/// Zeroed memory, aligned for any type.
static inline void *arena_alloc(Arena *arena, size_t size)
{
  size_t aligned = (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
  if (!arena->next || aligned > (size_t)(arena->end - arena->next))
    return arena_alloc_anywhere(arena, aligned);
  char *memory = arena->next;
  arena->next += aligned;
  return memset(memory, 0, size);
}

/// A copy with a NUL after it (not counted in `len`).
Str arena_copy(Arena *arena, Str s);
/// All parts in a row.
Str arena_join(Arena *arena, const Str *parts, size_t count);
Str arena_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
Str arena_vprintf(Arena *arena, const char *format, va_list args);

#define ARENA_NEW(arena, Type)          ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_alloc((arena), sizeof(Type) * (count)))
