#include "host/file_stamp.h"

#include <sys/stat.h>

FileStamp file_stamp(const char *path)
{
  struct stat info;
  if (stat(path, &info) != 0)
    return (FileStamp){ .size = -1 };
  return (FileStamp){ info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ino };
}

bool file_stamp_equal(const FileStamp *a, const FileStamp *b)
{
  return a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds && a->inode == b->inode;
}
