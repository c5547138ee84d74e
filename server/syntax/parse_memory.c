#include "syntax/parse_memory.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/sanitizer.h"

#if defined(HAS_SANITIZER) && !defined(PARSE_MEMORY_POOLS)  // A sanitizer is to see each block.

void *parse_memory_take(size_t size)
{
  return xmalloc(size);
}

void *parse_memory_resize(void *memory, size_t size)
{
  return xrealloc(memory, size);
}

void parse_memory_free(void *memory)
{
  free(memory);
}

#else

enum {
  UNIT = 16,         ///< Sizes are rounded up to this.
  SMALL_UNITS = 32,  ///< Larger blocks are few, and come from the system.
  SLAB_BYTES = 65536,
};

/// Before each block.
typedef union Head {
  size_t units;  ///< Of a small one; of others SMALL_UNITS + 1.
  char room[UNIT];
} Head;

/// A block that nobody has, in the place of what it held.
typedef struct FreeBlock {
  struct FreeBlock *next;
} FreeBlock;

typedef struct Slab {
  struct Slab *next;
  _Alignas(UNIT) char bytes[SLAB_BYTES - UNIT];
} Slab;

static _Thread_local struct {
  FreeBlock *free[SMALL_UNITS + 1];  ///< By units.
  Slab *slabs;                       ///< The first is the one that is cut from.
  size_t used;                       ///< Bytes of that one.
  size_t live;                       ///< Small blocks that somebody has.
} pool;

static void *cut(size_t units)
{
  size_t size = sizeof(Head) + units * UNIT;
  if (!pool.slabs || pool.used + size > sizeof(pool.slabs->bytes)) {
    Slab *slab = xmalloc(sizeof(*slab));
    slab->next = pool.slabs;
    pool.slabs = slab;
    pool.used = 0;
  }
  Head *head = (Head *)(void *)(pool.slabs->bytes + pool.used);
  pool.used += size;
  head->units = units;
  return head + 1;
}

static void give_back_slabs(void)
{
  while (pool.slabs) {
    Slab *slab = pool.slabs;
    pool.slabs = slab->next;
    free(slab);
  }
  memset(pool.free, 0, sizeof(pool.free));
}

void *parse_memory_take(size_t size)
{
  size_t units = (size + UNIT - 1) / UNIT;
  if (units > SMALL_UNITS) {
    Head *head = xmalloc(sizeof(*head) + size);
    head->units = SMALL_UNITS + 1;
    return head + 1;
  }
  units += units == 0;
  pool.live++;
  FreeBlock *block = pool.free[units];
  if (!block)
    return cut(units);
  pool.free[units] = block->next;
  return block;
}

void *parse_memory_resize(void *memory, size_t size)
{
  if (!memory)
    return parse_memory_take(size);
  Head *head = (Head *)memory - 1;
  bool was_small = head->units <= SMALL_UNITS;
  if (was_small && size <= head->units * UNIT)
    return memory;
  if (!was_small && size > SMALL_UNITS * UNIT)
    return (Head *)xrealloc(head, sizeof(*head) + size) + 1;
  void *moved = parse_memory_take(size);
  memcpy(moved, memory, was_small ? head->units * UNIT : size);
  parse_memory_free(memory);
  return moved;
}

void parse_memory_free(void *memory)
{
  if (!memory)
    return;
  Head *head = (Head *)memory - 1;
  if (head->units > SMALL_UNITS) {
    free(head);
    return;
  }
  FreeBlock *block = memory;
  block->next = pool.free[head->units];
  pool.free[head->units] = block;
  if (--pool.live == 0)
    give_back_slabs();
}

#endif
