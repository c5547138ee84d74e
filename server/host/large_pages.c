#include "host/large_pages.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/sanitizer.h"

#if defined(__GLIBC__) && !defined(HAS_SANITIZER)

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/parallel.h"

enum {
  SMALL_PAGE = 4096,
  LARGE_PAGE = 2 * 1024 * 1024,
  MMAP_THRESHOLD = 32 * 1024 * 1024,  ///< The highest that there may be: larger pieces are outside the heap.
  ROOM = MMAP_THRESHOLD - LARGE_PAGE,
};

void large_pages_take(void)
{
  // A heap of its own for each thread would be of small pages, one for all would have them wait for each other.
  mallopt(M_ARENA_MAX, (int)(parallel_default_threads() + 1) / 2);
  mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
  mallopt(M_TRIM_THRESHOLD, 3 * MMAP_THRESHOLD);
  // A large page must not be written to before it is asked for, so what malloc() keeps in front goes to the small page
  // before the first one.
  uintptr_t end = (uintptr_t)sbrk(0);
  if (sbrk((intptr_t)(-(end + SMALL_PAGE) % LARGE_PAGE)) == (void *)-1)
    return;
  void *volatile rooms[] = { malloc(ROOM), malloc(ROOM) };  // A compiler leaves out what nobody looks at.
  uintptr_t first = ((uintptr_t)rooms[0] + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
  if (rooms[0] && first < (uintptr_t)sbrk(0))
    madvise((void *)first, (uintptr_t)sbrk(0) - first, MADV_HUGEPAGE);
  free(rooms[1]);
  free(rooms[0]);
}

#else

void large_pages_take(void)
{
}

#endif
