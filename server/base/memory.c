#include "base/memory.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct ArenaBlock {
  ArenaBlock *older;
  size_t room;  ///< Of the newest block that many allocations share; 0 before the first.
};

/// Thousands of small files have an arena each, so a block has twice the room of the one before, up to BLOCK_ROOM. The
/// first one is AT_HAND with what stands before its room.
enum { FIRST_ROOM = 1008, BLOCK_ROOM = 16 * 1024, BIG_SIZE = BLOCK_ROOM / 4, ALIGNMENT = alignof(max_align_t) };

/// Each thread has pieces of up to this size at hand that were freed before; only malloc() takes them. Source: glibc's
/// malloc ("tcache").
enum { AT_HAND = 1032 };

static void (*on_exhausted)(size_t size);

void memory_on_exhausted(void (*end_process)(size_t size))
{
  on_exhausted = end_process;
}

static void *check(void *memory, size_t size)
{
  if (memory || size == 0)
    return memory;
  if (on_exhausted)
    on_exhausted(size);
  abort();
}

void *xmalloc(size_t size)
{
  return check(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
  if (count <= AT_HAND && size <= AT_HAND && count * size <= AT_HAND)
    return memset(xmalloc(count * size), 0, count * size);
  return check(calloc(count ? count : 1, size ? size : 1), size);
}

void *xrealloc(void *memory, size_t size)
{
  return check(realloc(memory, size ? size : 1), size);
}

void *memory_taken(void *result)
{
  return result || errno != ENOMEM ? result : check(NULL, 1);  // Nobody knows how much it asked for.
}

char *xstrdup_str(Str s)
{
  char *copy = xmalloc(s.len + 1);
  if (s.len > 0)
    memcpy(copy, s.data, s.len);
  copy[s.len] = '\0';
  return copy;
}

void arena_done(Arena *arena)
{
  if (!arena)
    return;
  for (ArenaBlock *block = arena->blocks; block;) {
    ArenaBlock *older = block->older;
    free(block);
    block = older;
  }
  *arena = (Arena){ 0 };
}

static size_t align_up(size_t size)
{
  return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static ArenaBlock *push_block(Arena *arena, size_t size, size_t room)
{
  ArenaBlock *block = xmalloc(align_up(sizeof(ArenaBlock)) + size);
  *block = (ArenaBlock){ .older = arena->blocks, .room = room };
  arena->blocks = block;
  return block;
}

static char *memory_of(ArenaBlock *block)
{
  return (char *)block + align_up(sizeof(ArenaBlock));
}

/// The room of the next block that many allocations share, of which this is the first.
static size_t next_room(const Arena *arena, size_t size)
{
  size_t room = arena->blocks && arena->blocks->room > 0 ? 2 * arena->blocks->room : FIRST_ROOM;
  while (room < 4 * size)
    room *= 2;
  return room < BLOCK_ROOM ? room : BLOCK_ROOM;
}

void *arena_alloc_anywhere(Arena *arena, size_t size)
{
  // What is left of the block before a big one stays in use.
  if (size > BIG_SIZE && (size_t)(arena->end - arena->next) < size)
    return memset(memory_of(push_block(arena, size, arena->blocks ? arena->blocks->room : 0)), 0, size);
  if ((size_t)(arena->end - arena->next) < size || !arena->next) {
    size_t room = next_room(arena, size);
    arena->next = memory_of(push_block(arena, room, room));
    arena->end = arena->next + room;
  }
  char *memory = arena->next;
  arena->next += size;
  return memset(memory, 0, size);
}

Str arena_copy(Arena *arena, Str s)
{
  char *copy = arena_alloc(arena, s.len + 1);
  if (s.len > 0)
    memcpy(copy, s.data, s.len);
  return str_make(copy, s.len);
}

Str arena_join(Arena *arena, const Str *parts, size_t count)
{
  size_t len = 0;
  for (size_t i = 0; i < count; i++)
    len += parts[i].len;
  char *text = arena_alloc(arena, len + 1);
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    if (parts[i].len > 0)
      memcpy(text + at, parts[i].data, parts[i].len);
    at += parts[i].len;
  }
  return str_make(text, len);
}

Str arena_vprintf(Arena *arena, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int len = vsnprintf(NULL, 0, format, args);
  size_t size = len < 0 ? 0 : (size_t)len;
  char *text = arena_alloc(arena, size + 1);
  vsnprintf(text, size + 1, format, again);
  va_end(again);
  return str_make(text, size);
}

Str arena_printf(Arena *arena, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Str text = arena_vprintf(arena, format, args);
  va_end(args);
  return text;
}
