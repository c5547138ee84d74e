// A whole session in one process, without streams. Each line of the input is the body of a message, which gets its
// header here; a line that starts with '!' is bytes for the framer. Each request must get one answer (request.c asserts
// that), and nothing may be left after.
#include <stdlib.h>

#include "quiet.h"
#include "rpc/frame.h"
#include "session/session.h"

static void check(bool is_true)
{
  if (!is_true)
    abort();
}

static void swallow(Buffer *body, void *context)
{
  size_t *count = context;
  check(body->len > 0 && body->data[0] == '{' && body->data[body->len - 1] == '}');
  buffer_done(body);
  ++*count;
}

static void feed_line(Session *session, Str line)
{
  if (str_starts_with(line, STR("!"))) {
    session_feed(session, str_slice(line, 1, line.len));
    return;
  }
  Buffer framed = { 0 };
  buffer_printf(&framed, "Content-Length: %zu\r\n\r\n", line.len);
  buffer_append(&framed, line);
  session_feed(session, buffer_str(&framed));
  buffer_done(&framed);
}

static void turn(Session *session, uv_loop_t *loop)
{
  for (int i = 0; i < 200 && !session_is_idle(session); i++)
    uv_run(loop, UV_RUN_NOWAIT);
}

static void play(Session *session, uv_loop_t *loop, Str script)
{
  size_t line_number = 0;
  for (size_t at = 0; at < script.len; line_number++) {
    size_t end = str_find_char(script, '\n', at);
    end = end == STR_NOT_FOUND ? script.len : end;
    feed_line(session, str_slice(script, at, end));
    at = end + 1;
    // Some lines arrive together, others after what came before was done.
    if (line_number % 3 == 2)
      turn(session, loop);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  be_quiet();
  uv_loop_t loop;
  size_t written = 0;
  uv_loop_init(&loop);
  SessionOutput output = { .write = swallow, .context = &written };
  Session *session = session_new(&loop, &output, 1 << 20);
  feed_line(session, STR("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"capabilities\":{}}}"));
  turn(session, &loop);
  check(written == 1);
  play(session, &loop, str_make((const char *)data, size));
  turn(session, &loop);
  session_stop(session);
  while (!session_is_idle(session))
    uv_run(&loop, UV_RUN_ONCE);
  session_free(session);
  while (uv_loop_alive(&loop))
    uv_run(&loop, UV_RUN_DEFAULT);
  check(uv_loop_close(&loop) == 0);
  return 0;
}
