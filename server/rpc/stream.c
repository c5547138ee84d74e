#include "rpc/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { READ_SIZE = 64 * 1024 };  ///< What a pipe of Linux holds.

struct Stream {
  StreamEvents events;
  uv_handle_t *in;   ///< What reads: a stream, or an idle handle that reads a file.
  uv_stream_t *out;  ///< The same as `in` for sockets; NULL if output is a file.
  int in_fd;         ///< Of a file; -1 otherwise.
  int out_fd;        ///< Of a file; -1 otherwise.
  unsigned open_handles;
  bool is_paused;
  bool is_broken;
  bool is_closing;
  bool has_ended;
  size_t queued;
  char buffer[READ_SIZE];
};

typedef struct Write {
  uv_write_t request;
  Stream *stream;
  size_t len;
  Buffer body;
  char header[48];
} Write;

static void stop_reading(Stream *stream)
{
  if (stream->in_fd >= 0)
    uv_idle_stop((uv_idle_t *)stream->in);
  else if (stream->in)
    uv_read_stop((uv_stream_t *)stream->in);
}

static void broken(Stream *stream, const char *why)
{
  if (stream->is_broken || stream->is_closing)
    return;
  stream->is_broken = true;
  stop_reading(stream);
  stream->events.on_broken(why, stream->events.context);
}

static void ended(Stream *stream)
{
  if (stream->has_ended)
    return;
  stream->has_ended = true;
  stop_reading(stream);
  stream->events.on_end(stream->events.context);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
  Stream *stream = handle->data;
  *buf = uv_buf_init(stream->buffer, sizeof(stream->buffer));
}

static void on_read(uv_stream_t *handle, ssize_t count, const uv_buf_t *buf)
{
  Stream *stream = handle->data;
  if (count > 0)
    stream->events.on_bytes(str_make(buf->base, (size_t)count), stream->events.context);
  else if (count < 0)
    ended(stream);  // A reset connection is an end as good as any; writing will tell if it matters.
}

// Regular files are not for polling: they are always ready, so one piece is read in each turn of the loop.
static void on_file_turn(uv_idle_t *idle)
{
  Stream *stream = idle->data;
  ssize_t count;
  do {
    count = read(stream->in_fd, stream->buffer, sizeof(stream->buffer));
  } while (count < 0 && errno == EINTR);
  if (count > 0)
    stream->events.on_bytes(str_make(stream->buffer, (size_t)count), stream->events.context);
  else
    ended(stream);
}

static void start_reading(Stream *stream)
{
  if (stream->in_fd >= 0)
    uv_idle_start((uv_idle_t *)stream->in, on_file_turn);
  else
    uv_read_start((uv_stream_t *)stream->in, on_alloc, on_read);
}

void stream_pause(Stream *stream)
{
  if (stream->is_paused || stream->is_broken || stream->has_ended)
    return;
  stream->is_paused = true;
  stop_reading(stream);
}

void stream_resume(Stream *stream)
{
  if (!stream->is_paused || stream->is_broken || stream->has_ended)
    return;
  stream->is_paused = false;
  start_reading(stream);
}

static void on_written(uv_write_t *request, int status)
{
  Write *write = request->data;
  Stream *stream = write->stream;
  stream->queued -= write->len;
  buffer_done(&write->body);
  free(write);
  if (status < 0)
    broken(stream, uv_strerror(status));
  else if (!stream->is_closing)
    stream->events.on_drained(stream->events.context);
}

static bool write_whole(int fd, Str bytes)
{
  while (bytes.len > 0) {
    ssize_t count = write(fd, bytes.data, bytes.len);
    if (count < 0 && errno != EINTR)
      return false;
    bytes = str_slice(bytes, count > 0 ? (size_t)count : 0, bytes.len);
  }
  return true;
}

static void write_to_file(Stream *stream, Write *write)
{
  bool is_written =
      write_whole(stream->out_fd, str_from(write->header)) && write_whole(stream->out_fd, buffer_str(&write->body));
  buffer_done(&write->body);
  free(write);
  if (!is_written)
    broken(stream, strerror(errno));
}

void stream_write(Stream *stream, Buffer *body)
{
  if (stream->is_broken || stream->is_closing) {
    buffer_done(body);
    return;
  }
  Write *write = xcalloc(1, sizeof(*write));
  write->stream = stream;
  write->body = *body;
  *body = (Buffer){ 0 };
  snprintf(write->header, sizeof(write->header), "Content-Length: %zu\r\n\r\n", write->body.len);
  if (!stream->out) {
    write_to_file(stream, write);
    return;
  }
  write->request.data = write;
  write->len = strlen(write->header) + write->body.len;
  stream->queued += write->len;
  uv_buf_t parts[] = {
    { .base = write->header, .len = strlen(write->header) },
    { .base = write->body.data, .len = write->body.len },
  };
  int status = uv_write(&write->request, stream->out, parts, 2, on_written);
  if (status < 0)
    on_written(&write->request, status);
}

size_t stream_queued(const Stream *stream)
{
  return stream->queued;
}

bool stream_has_reader(const Stream *stream)
{
  uv_os_fd_t fd;
  if (stream->is_broken)
    return false;
  if (!stream->out || uv_fileno((const uv_handle_t *)stream->out, &fd) < 0)
    return true;
  struct pollfd poller = { .fd = fd };
  return poll(&poller, 1, 0) <= 0 || (poller.revents & (POLLERR | POLLHUP)) == 0;
}

static void on_closed(uv_handle_t *handle)
{
  Stream *stream = handle->data;
  free(handle);
  if (--stream->open_handles == 0)
    free(stream);
}

void stream_close(Stream *stream)
{
  if (!stream || stream->is_closing)
    return;
  stream->is_closing = true;
  uv_handle_t *out = (uv_handle_t *)stream->out;
  uv_handle_t *in = stream->in;
  if (in)
    uv_close(in, on_closed);
  if (out && out != in)
    uv_close(out, on_closed);
  if (!in && !out)
    free(stream);
}

/// NULL if libuv has none to give; what can't be initialised must not be closed either.
static uv_pipe_t *new_pipe(Stream *stream, uv_loop_t *loop, int *ret_status)
{
  uv_pipe_t *pipe = xcalloc(1, sizeof(*pipe));
  *ret_status = uv_pipe_init(loop, pipe, 0);
  if (*ret_status < 0) {
    free(pipe);
    return NULL;
  }
  pipe->data = stream;
  stream->open_handles++;
  return pipe;
}

// A descriptor that libuv can poll: pipe, socket or terminal.
static uv_stream_t *open_descriptor(Stream *stream, uv_loop_t *loop, int fd, int *ret_status)
{
  uv_pipe_t *pipe = new_pipe(stream, loop, ret_status);
  if (pipe)
    *ret_status = uv_pipe_open(pipe, fd);
  return (uv_stream_t *)pipe;
}

static int open_stdio(Stream *stream, uv_loop_t *loop)
{
  int status = 0;
  if (uv_guess_handle(STDIN_FILENO) == UV_FILE) {
    uv_idle_t *idle = xcalloc(1, sizeof(*idle));
    uv_idle_init(loop, idle);  // Never fails.
    idle->data = stream;
    stream->open_handles++;
    stream->in = (uv_handle_t *)idle;
    stream->in_fd = STDIN_FILENO;
  } else {
    stream->in = (uv_handle_t *)open_descriptor(stream, loop, STDIN_FILENO, &status);
  }
  if (status < 0)
    return status;
  if (uv_guess_handle(STDOUT_FILENO) == UV_FILE)
    stream->out_fd = STDOUT_FILENO;
  else
    stream->out = open_descriptor(stream, loop, STDOUT_FILENO, &status);
  return status;
}

static void on_connected(uv_connect_t *request, int status)
{
  Stream *stream = request->data;
  free(request);
  if (stream->is_closing)
    return;
  if (status < 0) {
    broken(stream, uv_strerror(status));
    return;
  }
  start_reading(stream);
  stream->events.on_open(stream->events.context);
}

static int connect_pipe(Stream *stream, uv_loop_t *loop, const char *path, uv_connect_t *request)
{
  int status;
  uv_pipe_t *pipe = new_pipe(stream, loop, &status);
  if (!pipe)
    return status;
  stream->in = (uv_handle_t *)pipe;
  stream->out = (uv_stream_t *)pipe;
  uv_pipe_connect(request, pipe, path, on_connected);
  return 0;
}

static int connect_socket(Stream *stream, uv_loop_t *loop, const char *port, uv_connect_t *request)
{
  struct sockaddr_in address;
  uv_tcp_t *tcp = xcalloc(1, sizeof(*tcp));
  int status = uv_tcp_init(loop, tcp);
  if (status < 0) {
    free(tcp);
    return status;
  }
  tcp->data = stream;
  stream->open_handles++;
  stream->in = (uv_handle_t *)tcp;
  stream->out = (uv_stream_t *)tcp;
  uv_ip4_addr("127.0.0.1", atoi(port), &address);
  uv_tcp_nodelay(tcp, 1);
  return uv_tcp_connect(request, tcp, (const struct sockaddr *)&address, on_connected);
}

static int connect_to(Stream *stream, uv_loop_t *loop, StreamKind kind, const char *address)
{
  uv_connect_t *request = xcalloc(1, sizeof(*request));
  request->data = stream;
  int status = kind == STREAM_PIPE ? connect_pipe(stream, loop, address, request)
                                   : connect_socket(stream, loop, address, request);
  if (status < 0)
    free(request);
  return status;
}

Status stream_open(uv_loop_t *loop, StreamKind kind, const char *address, const StreamEvents *events,
                   Stream **ret_stream)
{
  Stream *stream = xmalloc(sizeof(*stream));
  memset(stream, 0, offsetof(Stream, buffer));  // Of the buffer few pages are ever written to.
  stream->events = *events;
  stream->in_fd = -1;
  stream->out_fd = -1;
  int status = kind == STREAM_STDIO ? open_stdio(stream, loop) : connect_to(stream, loop, kind, address);
  if (status < 0) {
    stream_close(stream);
    return ERR_IO;
  }
  *ret_stream = stream;
  if (kind == STREAM_STDIO) {
    start_reading(stream);
    events->on_open(events->context);
  }
  return OK;
}
