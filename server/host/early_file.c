#include "host/early_file.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/// NULL if it is shorter than the system said.
static EarlyFile *read_opened(int file, size_t limit)
{
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
    return NULL;
  bool has_bytes = (uint64_t)info.st_size <= limit;
  size_t len = has_bytes ? (size_t)info.st_size : 0;
  EarlyFile *early = xmalloc(sizeof(*early) + len);
  early->stamp = file_stamp_of(&info);
  early->has_bytes = has_bytes;
  early->len = len;
  if (len == 0 || pread(file, early->bytes, len, 0) == (ssize_t)len)
    return early;
  free(early);
  return NULL;
}

EarlyFile *early_file_read(int folder, const char *name, size_t limit)
{
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0)
    return NULL;
  EarlyFile *early = read_opened(file, limit);
  close(file);
  return early;
}

#else

EarlyFile *early_file_read(int folder, const char *name, size_t limit)
{
  (void)folder, (void)name, (void)limit;
  return NULL;
}

#endif
