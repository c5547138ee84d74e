#include "base/spare.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sanitizer.h"

/// Before each block.
typedef union Head {
  size_t capacity;
  max_align_t room;
} Head;

static _Atomic(Head *) spare;

void *spare_take(size_t size)
{
  Head *head = atomic_exchange(&spare, NULL);
  if (!head || head->capacity < size || head->capacity / 2 > size) {
    free(head);
    size_t capacity = size + size / 32;  // An edit may add to it.
    head = xmalloc(sizeof(*head) + capacity);
    head->capacity = capacity;
  }
  return head + 1;
}

void spare_give(void *memory)
{
  if (!memory)
    return;
  Head *head = (Head *)memory - 1;
#ifdef HAS_SANITIZER  // Which is to see who uses it still.
  free(head);
#else
  free(atomic_exchange(&spare, head));
#endif
}

void spare_drop(void)
{
  free(atomic_exchange(&spare, NULL));
}
