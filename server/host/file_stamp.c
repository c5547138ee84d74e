#include "host/file_stamp.h"

#include <sys/stat.h>

enum { SETTLED_SECONDS = 3 };

FileStamp file_stamp_of(const struct stat *info)
{
  return (FileStamp){ .size = info->st_size,
                      .seconds = info->st_mtim.tv_sec,
                      .nanoseconds = info->st_mtim.tv_nsec,
                      .changed_seconds = info->st_ctim.tv_sec,
                      .changed_nanoseconds = info->st_ctim.tv_nsec,
                      .inode = info->st_ino,
                      .device = info->st_dev };
}

FileStamp file_stamp(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 ? file_stamp_of(&info) : (FileStamp){ .size = -1 };
}

bool file_stamp_equal(const FileStamp *a, const FileStamp *b)
{
  return a->size == b->size && a->seconds == b->seconds && a->nanoseconds == b->nanoseconds &&
         a->changed_seconds == b->changed_seconds && a->changed_nanoseconds == b->changed_nanoseconds &&
         a->inode == b->inode && a->device == b->device;
}

bool file_stamp_is_settled(const FileStamp *stamp, int64_t now_seconds)
{
  int64_t last = stamp->seconds > stamp->changed_seconds ? stamp->seconds : stamp->changed_seconds;
  return last <= now_seconds - SETTLED_SECONDS;
}
