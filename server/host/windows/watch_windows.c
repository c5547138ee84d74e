// host/watch.h for Windows: a process that ended signals its handle.
#include "host/watch.h"

#include <stdlib.h>
#include <windows.h>

#include "base/memory.h"

enum { POLL_MS = 1000 };

struct Watch {
  uv_timer_t timer;
  HANDLE process;
  void (*on_gone)(void *context);
  void *context;
};

static void on_timer(uv_timer_t *timer)
{
  Watch *watch = timer->data;
  void (*on_gone)(void *context) = watch->on_gone;
  if (!on_gone || WaitForSingleObject(watch->process, 0) != WAIT_OBJECT_0)
    return;
  watch->on_gone = NULL;
  on_gone(watch->context);
}

Watch *watch_start(uv_loop_t *loop, int64_t process, void (*on_gone)(void *context), void *context)
{
  HANDLE handle = process > 0 && process <= UINT32_MAX ? OpenProcess(SYNCHRONIZE, FALSE, (DWORD)process) : NULL;
  if (!handle)
    return NULL;
  Watch *watch = xcalloc(1, sizeof(*watch));
  watch->process = handle;
  watch->on_gone = on_gone;
  watch->context = context;
  uv_timer_init(loop, &watch->timer);
  watch->timer.data = watch;
  uv_timer_start(&watch->timer, on_timer, POLL_MS, POLL_MS);
  return watch;
}

static void on_closed(uv_handle_t *handle)
{
  Watch *watch = handle->data;
  CloseHandle(watch->process);
  free(watch);
}

void watch_stop(Watch *watch)
{
  if (!watch)
    return;
  watch->on_gone = NULL;
  uv_close((uv_handle_t *)&watch->timer, on_closed);
}
