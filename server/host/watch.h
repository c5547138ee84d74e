/// Watches the client's process, so that the server does not outlive an editor that crashed.
///
/// Ownership: watch_start() to watch_stop(); the loop frees it some turns after that.
/// Units:     process ids.
/// Errors:    a process that can't be seen from here (another PID namespace) is not watched.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "InitializeParams.processId"; pidfd_open(2), where there is one, and kill(2) every second.
#pragma once

#include <uv.h>

typedef struct Watch Watch;

/// NULL if there is no such process.
Watch *watch_start(uv_loop_t *loop, int64_t process, void (*on_gone)(void *context), void *context);
/// NULL is fine.
void watch_stop(Watch *watch);
