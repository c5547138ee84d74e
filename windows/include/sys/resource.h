/// The one limit that Windows has: of open files.
///
/// Threads:   any.
#pragma once

enum { RLIMIT_NOFILE = 7, RLIMIT_AS = 9 };
#define RLIM_INFINITY (~0ULL)

struct rlimit {
  unsigned long long rlim_cur;
  unsigned long long rlim_max;
};

/// -1 for any other.
int getrlimit(int resource, struct rlimit *ret_limit);
