// Either the client made a token for a request of its own, or we make one and may use it when the client says so.
#include "session/progress.h"

#include <stdlib.h>

#include "session/state.h"

struct Progress {
  Session *session;
  char *title;
  char *token;       ///< JSON.
  unsigned percent;  ///< The last that was reported.
  bool is_asked;     ///< The client has not answered yet.
  bool is_shown;     ///< "begin" was sent.
  bool is_over;      ///< Ended before the client answered.
  bool can_cancel;   ///< The client may say that nobody wants to wait.
};

static void free_progress(Progress *progress)
{
  free(progress->title);
  free(progress->token);
  free(progress);
}

static Writer begin_value(Progress *progress, const char *kind, Buffer *body)
{
  Writer writer = client_begin_notification("$/progress", body);
  writer_open(&writer, '{');
  writer_key(&writer, "token");
  writer_raw(&writer, str_from(progress->token));
  writer_key(&writer, "value");
  writer_open(&writer, '{');
  writer_member_str(&writer, "kind", str_from(kind));
  return writer;
}

static void end_value(Progress *progress, Writer *writer, Buffer *body)
{
  writer_close(writer, '}');
  writer_close(writer, '}');
  client_end_notification(progress->session, body);
}

static void show(Progress *progress)
{
  Buffer body = { 0 };
  Writer writer = begin_value(progress, "begin", &body);
  writer_member_str(&writer, "title", str_from(progress->title));
  writer_member_bool(&writer, "cancellable", progress->can_cancel);
  writer_member_int(&writer, "percentage", progress->percent);
  end_value(progress, &writer, &body);
  progress->is_shown = true;
}

static void on_created(Session *session, const Message *answer, void *context)
{
  Progress *progress = context;
  progress->is_asked = false;
  if (progress->is_over)
    free_progress(progress);
  else if (answer && message_result(answer))
    show(progress);
}

Progress *progress_new(Session *session, const char *title)
{
  if (!session->client.shows_progress)
    return NULL;
  Progress *progress = xcalloc(1, sizeof(*progress));
  progress->session = session;
  progress->title = xstrdup_str(str_from(title));
  progress->is_asked = true;
  Arena arena = { 0 };
  unsigned long long number = session->next_stamp++;
  progress->token = xstrdup_str(arena_printf(&arena, "\"onnxls-%llu\"", number));
  Str params = arena_printf(&arena, "{\"token\":%s}", progress->token);
  client_ask(session, "window/workDoneProgress/create", params, on_created, progress);
  arena_done(&arena);
  return progress;
}

Progress *progress_of_token(Session *session, const Value *token, const char *title)
{
  Progress *progress = xcalloc(1, sizeof(*progress));
  progress->session = session;
  progress->title = xstrdup_str(str_from(title));
  progress->token = value_dump(token);
  progress->can_cancel = true;
  show(progress);
  return progress;
}

void progress_report(Progress *progress, unsigned percent)
{
  if (percent > 100)
    percent = 100;
  if (percent <= progress->percent)
    return;
  progress->percent = percent;
  if (!progress->is_shown)
    return;
  Buffer body = { 0 };
  Writer writer = begin_value(progress, "report", &body);
  writer_member_int(&writer, "percentage", percent);
  end_value(progress, &writer, &body);
}

void progress_end(Progress *progress)
{
  if (!progress)
    return;
  if (progress->is_shown) {
    Buffer body = { 0 };
    Writer writer = begin_value(progress, "end", &body);
    end_value(progress, &writer, &body);
  }
  if (progress->is_asked)
    progress->is_over = true;  // Freed when the client answers.
  else
    free_progress(progress);
}
