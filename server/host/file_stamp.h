/// What changes when a file is written again, without reading it.
///
/// Units:   bytes, times and numbers as the system counts them.
/// Errors:  a file that can't be seen has a size of -1.
/// Threads: any.
/// Sources: inode(7); git, Documentation/technical/racy-git.txt.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct stat;

typedef struct FileStamp {
  int64_t size;
  int64_t seconds;
  int64_t nanoseconds;
  int64_t changed_seconds;  ///< Nobody can set these, other than the ones before.
  int64_t changed_nanoseconds;
  uint64_t inode;
  uint64_t device;
} FileStamp;

FileStamp file_stamp(const char *path);
FileStamp file_stamp_of(const struct stat *info);
bool file_stamp_equal(const FileStamp *a, const FileStamp *b);
/// False for a file that was changed so short a time ago that its next change may leave the stamp as it is: the clocks
/// of some file systems tick every other second only, and may not be this machine's.
bool file_stamp_is_settled(const FileStamp *stamp, int64_t now_seconds);
