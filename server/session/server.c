#include "session/server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/limits.h"
#include "base/memory.h"
#include "host/crash_list.h"
#include "host/log.h"
#include "host/sandbox.h"
#include "host/watch.h"
#include "rpc/frame.h"
#include "rpc/stream.h"
#include "session/session.h"

enum {
  CODE_GRACEFUL = 0,
  CODE_ABANDONED = 1,
  CODE_NO_STREAM = 2,
  DRAIN_MS = 20000,  // After the end of input: how long the next answer may take...
  READER_MS = 100,   // ...and how often to look whether anybody would read it.
  STOP_MS = 800,     // After exit: for jobs to notice, and for the last bytes to leave.
  DESCRIPTORS = 12,  // The loop has six, then the log, the client's process, and some to read files with.
};

static const int end_signals[] = { SIGTERM, SIGINT, SIGHUP };
enum { END_SIGNAL_COUNT = COUNT(end_signals) };

typedef struct Server {
  uv_loop_t loop;
  Stream *stream;
  Session *session;
  Watch *watch;
  uv_signal_t signals[END_SIGNAL_COUNT];
  size_t signal_count;  ///< Those that are watched.
  uv_timer_t deadline;
  const char *address;  ///< For messages; NULL for standard input and output.
  bool is_unconfined;
  bool is_open;
  bool is_late;    ///< The deadline has passed.
  bool has_ended;  ///< No more input; what is being done gets done.
  bool is_over;    ///< No matter what is being done.
  bool is_broken;  ///< Nobody reads what we write.
  size_t sent;     ///< Messages.
  int code;
} Server;

// The first reason to end is the one that counts.
static void end(Server *server, int code, const char *why)
{
  if (server->is_over)
    return;
  server->is_over = true;
  server->code = code;
  log_line(LOG_INFO, "ends: %s", why);
  uv_stop(&server->loop);
}

static void on_open(void *context)
{
  ((Server *)context)->is_open = true;
}

static void on_bytes(Str bytes, void *context)
{
  session_feed(((Server *)context)->session, bytes);
}

static void on_end(void *context)
{
  Server *server = context;
  server->has_ended = true;
  uv_stop(&server->loop);
}

static void on_drained(void *context)
{
  session_on_drained(((Server *)context)->session);
}

static void on_broken(const char *why, void *context)
{
  Server *server = context;
  server->is_broken = true;
  if (server->is_open)
    log_line(LOG_WARNING, "the connection to the client is gone: %s", why);
  else
    log_line(LOG_ERROR, "can't connect to %s: %s", server->address, why);
  end(server, server->is_open ? CODE_ABANDONED : CODE_NO_STREAM, "nobody reads");
}

static void write_body(Buffer *body, void *context)
{
  Server *server = context;
  server->sent++;
  stream_write(server->stream, body);
}

static size_t queued(void *context)
{
  return stream_queued(((Server *)context)->stream);
}

static void on_exit_message(int code, void *context)
{
  end(context, code, "exit");
}

static void on_pressure(bool is_high, void *context)
{
  Server *server = context;
  if (is_high)
    stream_pause(server->stream);
  else
    stream_resume(server->stream);
}

static void on_parent_gone(void *context)
{
  end(context, CODE_ABANDONED, "the client's process is gone");
}

static void on_parent(int64_t process, void *context)
{
  Server *server = context;
  if (server->watch || process <= 0)
    return;
  server->watch = watch_start(&server->loop, process, on_parent_gone, server);
  if (!server->watch)
    log_line(LOG_INFO, "the client's process %lld can't be seen from here and is not watched", (long long)process);
}

static void on_folders(const Str *paths, size_t count, void *context)
{
  if (((Server *)context)->is_unconfined) {
    log_line(LOG_INFO, "keeps all rights of its user (--no-sandbox)");
    return;
  }
  Sandbox sandbox = sandbox_enter(paths, count);
  log_line(LOG_INFO, "gave up %s", sandbox_say(sandbox));
}

static void on_signal(uv_signal_t *handle, int number)
{
  end(handle->data, CODE_GRACEFUL, strsignal(number));
}

static void on_deadline(uv_timer_t *timer)
{
  ((Server *)timer->data)->is_late = true;
}

// Analysis and two heavy requests can run at once; libuv starts these threads when there is first something to do.
static void tune_threads(void)
{
  setenv("UV_THREADPOOL_SIZE", "6", 0);
}

// A closed standard stream would give its number to the next file that is opened.
static void fill_standard_streams(void)
{
  int opened;
  do {
    opened = open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0)
    close(opened);
}

static void tune_memory(void)
{
#ifdef __GLIBC__
  // One heap, as what one thread gives up is what another one wants next, and large blocks outside of it: what a large
  // document needed for a moment goes back to the system. Below that limit is what an edit may need: the diagnostics
  // of a whole document are some 400 kB.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  mallopt(M_TRIM_THRESHOLD, 4 * 1024 * 1024);
#endif
}

// Where libuv gets no memory it aborts, in the middle of things; ours ends the process with a word.
static void take_memory_from_us(void)
{
  int ignored = uv_replace_allocator(xmalloc, xrealloc, xcalloc, free);
  (void)ignored;
}

// libuv aborts where it can't make the pipe that signals come through, so room is looked for before it is asked.
static bool has_descriptors(void)
{
  int opened[DESCRIPTORS];
  size_t count = 0;
  while (count < DESCRIPTORS && (opened[count] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)) >= 0)
    count++;
  bool is_enough = count == DESCRIPTORS;
  while (count > 0)
    close(opened[--count]);
  return is_enough;
}

static int watch_signals(Server *server)
{
  for (size_t i = 0; i < END_SIGNAL_COUNT; i++) {
    uv_signal_t *handle = &server->signals[i];
    int status = uv_signal_init(&server->loop, handle);
    if (status < 0)
      return status;
    server->signal_count++;
    handle->data = server;
    status = uv_signal_start(handle, on_signal, end_signals[i]);
    if (status < 0)
      return status;
  }
  return 0;
}

// 0, or a libuv error; close_all() is right after either.
static int start(Server *server, const ServerOptions *options)
{
  server->address = options->address;
  server->is_unconfined = options->is_unconfined;
  SessionOutput output = { write_body, queued, on_exit_message, on_parent, on_pressure, on_folders, server };
  server->session = session_new(&server->loop, &output, options->message_limit ? options->message_limit : FRAME_LIMIT);
  uv_timer_init(&server->loop, &server->deadline);  // Never fails, as those of the session.
  server->deadline.data = server;
  int status = watch_signals(server);
  if (status == 0)
    on_parent(options->client_process, server);
  return status;
}

MUST_USE static Status open_stream(Server *server, const ServerOptions *options)
{
  static const StreamKind kinds[] = { STREAM_STDIO, STREAM_PIPE, STREAM_SOCKET };
  StreamEvents events = { on_open, on_bytes, on_end, on_drained, on_broken, server };
  return stream_open(&server->loop, kinds[options->transport], options->address, &events, &server->stream);
}

static bool has_work(const Server *server)
{
  return !session_is_idle(server->session) || (!server->is_broken && stream_queued(server->stream) > 0);
}

// Turns the loop until nothing is left to do, or the time is up; while not stopping, also until there is a reason to.
static void run_until_done(Server *server, uint64_t limit_ms, bool is_stopping)
{
  server->is_late = false;
  uv_timer_start(&server->deadline, on_deadline, limit_ms, 0);
  while (has_work(server) && !server->is_late && (is_stopping || !server->is_over))
    uv_run(&server->loop, UV_RUN_ONCE);
  uv_timer_stop(&server->deadline);
}

// The client sends no more. If it still reads, it gets what it asked for: a script in a file works like this.
static void drain(Server *server)
{
  uint64_t waited_ms = 0;
  while (has_work(server) && !server->is_over && waited_ms < DRAIN_MS && stream_has_reader(server->stream)) {
    size_t sent = server->sent;
    size_t waiting = stream_queued(server->stream);
    run_until_done(server, READER_MS, false);
    bool is_stuck = server->sent == sent && stream_queued(server->stream) == waiting;
    waited_ms = is_stuck ? waited_ms + READER_MS : 0;
  }
  end(server, session_is_shut_down(server->session) ? CODE_GRACEFUL : CODE_ABANDONED, "the input has ended");
}

static void stop(Server *server)
{
  stream_pause(server->stream);
  session_stop(server->session);
  run_until_done(server, STOP_MS, true);
  if (session_is_idle(server->session))
    return;
  // A job that does not look at its flag must not keep the process; nothing is lost with it.
  log_line(LOG_WARNING, "a job did not stop in time");
  _exit(server->code);
}

static void close_all(Server *server)
{
  watch_stop(server->watch);
  stream_close(server->stream);
  session_free(server->session);
  for (size_t i = 0; i < server->signal_count; i++)
    uv_close((uv_handle_t *)&server->signals[i], NULL);
  uv_close((uv_handle_t *)&server->deadline, NULL);
  while (uv_loop_alive(&server->loop))
    uv_run(&server->loop, UV_RUN_DEFAULT);
  uv_loop_close(&server->loop);
}

static void serve(Server *server, const ServerOptions *options)
{
  int error = start(server, options);
  if (error < 0) {
    log_line(LOG_ERROR, "can't watch for signals: %s", uv_strerror(error));
    server->code = CODE_NO_STREAM;
  } else if (open_stream(server, options) == OK) {
    while (!server->is_over && !server->has_ended)
      uv_run(&server->loop, UV_RUN_DEFAULT);
    if (!server->is_over)
      drain(server);
    stop(server);
  } else {
    log_line(LOG_ERROR, "%s can't be used", options->address ? options->address : "standard input or output");
    server->code = CODE_NO_STREAM;
  }
  close_all(server);
}

int server_run(const ServerOptions *options)
{
  Server server = { .code = CODE_NO_STREAM };
  fill_standard_streams();
  if (options->log_file && log_open(options->log_file) != OK)
    log_line(LOG_WARNING, "%s can't be written; there will be no log", options->log_file);
  tune_memory();
  take_memory_from_us();
  tune_threads();
  signal(SIGPIPE, SIG_IGN);
  int error = has_descriptors() ? uv_loop_init(&server.loop) : UV_EMFILE;
  if (error == 0) {
    crash_list_open();
    serve(&server, options);
  } else {
    log_line(LOG_ERROR, "can't start: %s; it takes %d more open files than there are now (ulimit -n)",
             uv_strerror(error), DESCRIPTORS);
  }
  log_close();
  return server.code;
}
