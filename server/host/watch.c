#include "host/watch.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

enum { POLL_MS = 1000 };

struct Watch {
  uv_timer_t timer;
  uv_poll_t poll;  ///< On a pidfd; unused if `pidfd` is -1.
  int pidfd;
  pid_t process;
  unsigned handles;  ///< That are open.
  void (*on_gone)(void *context);
  void *context;
};

static bool is_gone(pid_t process)
{
  return kill(process, 0) < 0 && errno == ESRCH;
}

static void tell(Watch *watch)
{
  void (*on_gone)(void *context) = watch->on_gone;
  watch->on_gone = NULL;
  if (on_gone)
    on_gone(watch->context);
}

static void on_timer(uv_timer_t *timer)
{
  Watch *watch = timer->data;
  if (is_gone(watch->process))
    tell(watch);
}

// A pidfd can be read when the process has ended, even before its parent has taken notice.
static void on_readable(uv_poll_t *poll, int status, int events)
{
  tell(poll->data);
}

static int open_pidfd(pid_t process)
{
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  return -1;
#endif
}

static void watch_pidfd(Watch *watch, uv_loop_t *loop)
{
  watch->pidfd = open_pidfd(watch->process);
  if (watch->pidfd < 0)
    return;
  if (uv_poll_init(loop, &watch->poll, watch->pidfd) < 0) {
    close(watch->pidfd);
    watch->pidfd = -1;
    return;
  }
  watch->handles++;
  watch->poll.data = watch;
  // Where that fails, the timer notices a little later.
  int ignored = uv_poll_start(&watch->poll, UV_READABLE, on_readable);
  (void)ignored;
}

Watch *watch_start(uv_loop_t *loop, int64_t process, void (*on_gone)(void *context), void *context)
{
  if (process <= 0 || process > INT32_MAX || is_gone((pid_t)process))
    return NULL;
  Watch *watch = xcalloc(1, sizeof(*watch));
  watch->process = (pid_t)process;
  watch->on_gone = on_gone;
  watch->context = context;
  watch->handles = 1;
  uv_timer_init(loop, &watch->timer);
  watch->timer.data = watch;
  uv_timer_start(&watch->timer, on_timer, POLL_MS, POLL_MS);
  watch_pidfd(watch, loop);
  return watch;
}

static void on_closed(uv_handle_t *handle)
{
  Watch *watch = handle->data;
  if (--watch->handles > 0)
    return;
  if (watch->pidfd >= 0)
    close(watch->pidfd);
  free(watch);
}

void watch_stop(Watch *watch)
{
  if (!watch)
    return;
  watch->on_gone = NULL;
  if (watch->pidfd >= 0)
    uv_close((uv_handle_t *)&watch->poll, on_closed);
  uv_close((uv_handle_t *)&watch->timer, on_closed);
}
