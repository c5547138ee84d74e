/// Walking over a folder, as far as it takes to remove one.
///
/// Threads:   any.
#pragma once

#include <sys/stat.h>

enum { FTW_F, FTW_D, FTW_DP, FTW_DEPTH = 8, FTW_PHYS = 1 };

struct FTW {
  int base;
  int level;
};

/// What is in the folder, then the folder; folders in it are not opened.
int nftw(const char *folder, int (*visit)(const char *, const struct posix_stat *, int, struct FTW *), int open_folders,
         int flags);
