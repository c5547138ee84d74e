/// Growable arrays: `Vec(int) v = { 0 }; vec_push(&v, 1); v.items[0]; vec_free(&v);`
///
/// Ownership: the vec owns `items`; vec_take() hands them over, shrunk to size, vec_copy() gives them to an arena, too.
/// Units:     elements.
/// Errors:    out of memory ends the process.
/// Threads:   one thread at a time.
#pragma once

#include <stdlib.h>

#include "base/memory.h"
#include "base/sort.h"

#define Vec(T)                                                                                                         \
  struct {                                                                                                             \
    T *items;                                                                                                          \
    size_t count;                                                                                                      \
    size_t capacity;                                                                                                   \
  }

#define vec_reserve(v, want) ((v)->items = vec_grow_((v)->items, sizeof(*(v)->items), (want), &(v)->capacity))

#define vec_push(v, ...) (vec_reserve((v), (v)->count + 1), (v)->items[(v)->count++] = (__VA_ARGS__))

/// Appends `n` elements.
#define vec_append(v, from, n)                                                                                         \
  do {                                                                                                                 \
    size_t append_count_ = (n);                                                                                        \
    vec_reserve((v), (v)->count + append_count_);                                                                      \
    if (append_count_ > 0)                                                                                             \
      memcpy((v)->items + (v)->count, (from), append_count_ * sizeof(*(v)->items));                                    \
    (v)->count += append_count_;                                                                                       \
  } while (0)

/// Sorts as sort_stable() does.
#define vec_sort(v, compare) sort_stable((v)->items, (v)->count, sizeof(*(v)->items), (compare))

#define vec_last(v)  (&(v)->items[(v)->count - 1])
#define vec_clear(v) ((v)->count = 0)
#define vec_free(v)  (free((v)->items), (v)->items = NULL, (v)->count = (v)->capacity = 0)

/// Gives back the room for more items.
#define vec_trim(v) ((v)->items = vec_take(v), (v)->capacity = (v)->count)

/// A copy of the items in the arena; the vec keeps its own. Never NULL.
#define vec_copy(v, arena) vec_copy_((arena), (v)->items, (v)->count * sizeof(*(v)->items))

static inline void *vec_copy_(Arena *arena, const void *items, size_t bytes)
{
  void *copy = arena_alloc(arena, bytes);
  if (bytes > 0)
    memcpy(copy, items, bytes);
  return copy;
}

/// Returns `items` with room for at least `want` elements.
static inline void *vec_grow_(void *items, size_t size, size_t want, size_t *capacity)
{
  if (want <= *capacity)
    return items;
  size_t grown = *capacity + *capacity / 2;
  if (grown < want)
    grown = want;
  // The first few fit into what an allocator keeps at hand.
  size_t least = size <= 128 ? 8 : 1 + 896 / size;
  if (grown < least)
    grown = least;
  *capacity = grown;
  return xrealloc(items, grown * size);
}

/// The items in an exactly sized allocation of their own; NULL if there are none.
#define vec_take(v) vec_take_((v)->items, (v)->count * sizeof(*(v)->items))

static inline void *vec_take_(void *items, size_t bytes)
{
  if (bytes == 0) {
    free(items);
    return NULL;
  }
  return xrealloc(items, bytes);
}
