#include "host/early_file.h"

#ifdef __linux__

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"

static EarlyFile *new_early(const FileStamp *stamp, bool has_bytes, const char *bytes, size_t len)
{
  EarlyFile *early = xmalloc(sizeof(*early) + len);
  early->stamp = *stamp;
  early->has_bytes = has_bytes;
  early->len = len;
  if (len > 0)
    memcpy(early->bytes, bytes, len);
  return early;
}

/// The stamp first: what is written while it is read gives it another one.
static EarlyFile *read_opened(int file, bool wants_stamp)
{
  char bytes[SMALL_MODEL_LIMIT + 1];
  struct stat info;
  if (wants_stamp && (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)))
    return NULL;
  ssize_t len = pread(file, bytes, sizeof(bytes), 0);
  if (len < 0)
    return NULL;
  bool has_bytes = (size_t)len <= SMALL_MODEL_LIMIT;
  if (has_bytes && !wants_stamp)
    return new_early(&(FileStamp){ .size = len }, true, bytes, (size_t)len);
  if (!wants_stamp && (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)))
    return NULL;
  FileStamp stamp = file_stamp_of(&info);
  return has_bytes && stamp.size != len ? NULL : new_early(&stamp, has_bytes, bytes, has_bytes ? (size_t)len : 0);
}

EarlyFile *early_file_read(int folder, const char *name, bool wants_stamp)
{
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW);
  if (file < 0)
    return NULL;
  EarlyFile *early = read_opened(file, wants_stamp);
  close(file);
  return early;
}

#else

EarlyFile *early_file_read(int folder, const char *name, bool wants_stamp)
{
  (void)folder, (void)name, (void)wants_stamp;
  return NULL;
}

#endif
