/// What changes when a file is written again, without reading it.
///
/// Units:   bytes, time and inode as the system counts them.
/// Errors:  a file that can't be seen has a size of -1.
/// Threads: any.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct FileStamp {
  int64_t size;
  int64_t seconds;
  int64_t nanoseconds;
  uint64_t inode;
} FileStamp;

FileStamp file_stamp(const char *path);
bool file_stamp_equal(const FileStamp *a, const FileStamp *b);
