/// poll() where nothing can be asked: it says that nothing happened, and a write tells in time.
///
/// Threads:   any.
#pragma once

#include <winsock2.h>

struct posix_pollfd {
  void *fd;  ///< What libuv has instead of a descriptor.
  short events;
  short revents;
};

static inline int posix_poll(struct posix_pollfd *polls, unsigned long count, int timeout_ms)
{
  return 0;
}

#define pollfd posix_pollfd
#define poll   posix_poll
