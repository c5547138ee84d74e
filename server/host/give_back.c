#include "host/give_back.h"

#include <stdint.h>

#include "base/spare.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void give_back_heap(void)
{
  spare_drop();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Only where nobody debugs: a debugger writes its breakpoints into these pages.
#if defined(__linux__) && defined(NDEBUG)

static int give_back_segments(struct dl_phdr_info *object, size_t size, void *unused)
{
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0)
      continue;
    uintptr_t first = (object->dlpi_addr + segment->p_vaddr) / page * page;
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) / page * page;
    if (first < end)
      madvise((void *)first, end - first, MADV_DONTNEED);
  }
  return 1;  // Not the libraries, which others have mapped, too.
}

void give_back_program(void)
{
  dl_iterate_phdr(give_back_segments, NULL);
}

#else

void give_back_program(void)
{
}

#endif
