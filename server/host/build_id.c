#include "host/build_id.h"

#ifdef __linux__

#include <link.h>

/// The id among the notes of a segment.
static Str find_id(const char *notes, size_t len)
{
  while (len >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof(note));
    size_t name = sizeof(note);
    size_t value = name + ((size_t)note.n_namesz + 3) / 4 * 4;
    size_t end = value + ((size_t)note.n_descsz + 3) / 4 * 4;
    if (end > len)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0)
      return str_make(notes + value, note.n_descsz);
    notes += end;
    len -= end;
  }
  return (Str){ 0 };
}

/// The first object is the program itself.
static int visit_object(struct dl_phdr_info *info, size_t size, void *found)
{
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE && ((Str *)found)->len == 0)
      *(Str *)found = find_id((const char *)info->dlpi_addr + segment->p_vaddr, segment->p_memsz);
  }
  return 1;
}

Str build_id(void)
{
  Str id = { 0 };
  dl_iterate_phdr(visit_object, &id);
  return id;
}

#else

Str build_id(void)
{
  return (Str){ 0 };
}

#endif
