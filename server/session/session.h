/// One editor's session: bytes in, bytes out, and everything between.
///
/// A session does no I/O but reading `.onnxls.json`; it runs on a loop that its owner turns, and writes through a
/// callback. So the program, the tests and the fuzzers drive the same engine.
///
/// Ownership: session_new() to session_free(); the loop and the context must outlive the session.
/// Units:     bytes; milliseconds where a name says so.
/// Errors:    everything the client does wrong is answered as LSP says; nothing ends the session but `exit`.
/// Threads:   the loop thread; jobs on libuv's pool see only immutable data.
/// Sources:   LSP 3.17 and 3.18; docs/protocol.md.
#pragma once

#include <uv.h>

#include "base/buffer.h"

typedef struct Session Session;

typedef struct SessionOutput {
  /// Sends one body; the buffer is empty afterwards.
  void (*write)(Buffer *body, void *context);
  /// Bytes that wait to be sent. May be NULL: nothing ever waits.
  size_t (*queued)(void *context);
  /// The client said `exit`; nothing is read any more.
  void (*on_exit)(int code, void *context);
  /// The client's process, as `initialize` names it.
  void (*on_parent)(int64_t process, void *context);
  /// Reading should pause (true) or go on (false), because too much waits to be done or to be sent.
  void (*on_pressure)(bool is_high, void *context);
  /// The folders of `initialize`: nothing else will be written to, so that the process may give up what it doesn't
  /// need. Not called if the client's settings switch that off. May be NULL.
  void (*on_folders)(const Str *paths, size_t count, void *context);
  void *context;
} SessionOutput;

Session *session_new(uv_loop_t *loop, const SessionOutput *output, size_t message_limit);
/// Cancels what is running; call uv_run() until session_is_idle() before session_free().
void session_stop(Session *session);
/// Gives everything back. The loop has to turn once more for the handles to close.
void session_free(Session *session);

void session_feed(Session *session, Str bytes);
/// A write was done: what waited for room may go on.
void session_on_drained(Session *session);
/// Nothing is queued, waiting for analysis or a timer, or running.
bool session_is_idle(const Session *session);
/// True after "shutdown" was asked for: then the end of input is no accident.
bool session_is_shut_down(const Session *session);
