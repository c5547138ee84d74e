#include "host/give_back.h"

#include <stdint.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

void give_back_heap(void)
{
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void give_back_read_only(Str bytes)
{
#ifdef __linux__
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t first = ((uintptr_t)bytes.data + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)bytes.data + bytes.len) / page * page;
  if (first < end)
    madvise((void *)first, end - first, MADV_DONTNEED);
#else
  (void)bytes;
#endif
}
