#include "base/memory.h"

#include <errno.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct ArenaBlock {
  ArenaBlock *older;
};

enum { BLOCK_SIZE = 16 * 1024, ALIGNMENT = alignof(max_align_t) };

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

void *arena_alloc(Arena *arena, size_t size)
{
  size = align_up(size);
  if ((size_t)(arena->end - arena->next) < size || !arena->next) {
    size_t header = align_up(sizeof(ArenaBlock));
    size_t block_size = header + (size > BLOCK_SIZE / 4 ? size : BLOCK_SIZE);
    ArenaBlock *block = xmalloc(block_size);
    block->older = arena->blocks;
    arena->blocks = block;
    char *memory = (char *)block + header;
    memset(memory, 0, size);
    // A big block is full at once; what was left of the block before it stays in use.
    if (size > BLOCK_SIZE / 4 && arena->next)
      return memory;
    arena->next = memory + size;
    arena->end = (char *)block + block_size;
    return memory;
  }
  char *memory = arena->next;
  arena->next += size;
  memset(memory, 0, size);
  return memory;
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
