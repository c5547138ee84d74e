/// The byte stream to the client: standard input and output, a local socket, or TCP.
///
/// Reading can be paused, and what waits to be written can be asked for: together they are the back-pressure that
/// keeps a client which sends but does not read from filling our memory.
///
/// Ownership: stream_write() takes the buffer's memory over; the caller keeps `events.context` alive until closed.
/// Units:     bytes.
/// Errors:    an endpoint that can't be opened gives ERR_IO; later ones come as `on_broken`.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Implementation Considerations" (--stdio, --pipe, --socket: the server connects).
#pragma once

#include <uv.h>

#include "base/buffer.h"

typedef struct Stream Stream;

typedef struct StreamEvents {
  void (*on_open)(void *context);  ///< Connected; bytes come from now on.
  void (*on_bytes)(Str bytes, void *context);
  void (*on_end)(void *context);                      ///< The other side sends no more.
  void (*on_drained)(void *context);                  ///< A write was done.
  void (*on_broken)(const char *why, void *context);  ///< Neither reading nor writing makes sense any more.
  void *context;
} StreamEvents;

typedef enum StreamKind {
  STREAM_STDIO,
  STREAM_PIPE,    ///< `address` is a path.
  STREAM_SOCKET,  ///< `address` is a port of 127.0.0.1.
} StreamKind;

MUST_USE Status stream_open(uv_loop_t *loop, StreamKind kind, const char *address, const StreamEvents *events,
                            Stream **ret_stream);
/// Frames a body and sends it; the buffer is empty afterwards. Does nothing on a broken stream.
void stream_write(Stream *stream, Buffer *body);
/// What was given to stream_write() and has not left yet.
size_t stream_queued(const Stream *stream);
/// False if it is known that nobody reads what is written.
bool stream_has_reader(const Stream *stream);
void stream_pause(Stream *stream);
void stream_resume(Stream *stream);
/// Closes everything; memory is freed by the loop some turns later. NULL is fine.
void stream_close(Stream *stream);
