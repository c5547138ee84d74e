// The engine's turn: bytes become messages, messages become work, and work is done in slices between polls.
#include <stdlib.h>

#include "base/limits.h"
#include "facts/symbolics.h"
#include "host/give_back.h"
#include "host/log.h"
#include "session/analysis.h"
#include "session/facts_load.h"
#include "session/jobs.h"
#include "session/lifecycle.h"
#include "session/state.h"
#include "session/timing.h"

static void on_idle(uv_idle_t *idle)
{
  // Only there to keep the loop from sleeping.
}

static void on_timer(uv_timer_t *timer)
{
  session_wake(timer->data);
}

static void on_rest(uv_timer_t *timer)
{
  give_back_heap();
  give_back_program();
}

static void on_quiet(uv_timer_t *timer)
{
  index_take_waiting(timer->data);
  session_wake(timer->data);
  uv_timer_start(timer, on_rest, REST_MS - QUIET_MS, 0);
}

void session_note_work(Session *session)
{
  if (!session->is_stopping)
    uv_timer_start(&session->quiet, on_quiet, QUIET_MS, 0);
}

void session_wake(Session *session)
{
  if (!session->is_stopping)
    uv_idle_start(&session->idle, on_idle);
}

/// Sets the timer for the next thing that is planned.
static void plan_timer(Session *session)
{
  uint64_t now = uv_now(session->loop);
  uint64_t due = analysis_next_due(session);
  if (session->settings_awaited_until > 0 && (due == 0 || session->settings_awaited_until < due))
    due = session->settings_awaited_until;
  if (due > 0)
    uv_timer_start(&session->timer, on_timer, due > now ? due - now : 0, 0);
  else
    uv_timer_stop(&session->timer);
}

// Decides whether to read on: what waits to be sent, and how many requests are open.
static void update_pressure(Session *session)
{
  size_t queued = session->output.queued ? session->output.queued(session->output.context) : 0;
  session->is_full = queued > (session->is_full ? OUTPUT_LOW : OUTPUT_HIGH);
  size_t limit = session->is_pressed ? REQUEST_LIMIT / 2 : REQUEST_LIMIT;
  bool is_pressed = session->is_full || session->requests.count > limit;
  if (is_pressed == session->is_pressed)
    return;
  session->is_pressed = is_pressed;
  log_line(LOG_DEBUG, "reading %s: %zu bytes to send, %zu requests", is_pressed ? "pauses" : "goes on", queued,
           session->requests.count);
  if (session->is_full)
    client_say_limit(session, LIMIT_OUTPUT, "onnxls waits for the client to read: 64 MB are on their way");
  else if (is_pressed)
    client_say_limit(session, LIMIT_REQUESTS, "onnxls answers before it reads on: 1,000 requests are open");
  if (session->output.on_pressure)
    session->output.on_pressure(is_pressed, session->output.context);
}

static bool is_timed_out(uint64_t start_ns)
{
  return uv_hrtime() - start_ns > (uint64_t)TURN_MS * 1000000;
}

static void dispatch_inbox(Session *session)
{
  uint64_t start = uv_hrtime();
  while (session->inbox_next < session->inbox.count && session->phase != PHASE_EXITED && !session->is_full &&
         !is_timed_out(start)) {
    method_dispatch(session, session->inbox.items[session->inbox_next++]);
    update_pressure(session);
  }
  if (session->inbox_next < session->inbox.count)
    return;
  session->inbox_next = 0;
  vec_clear(&session->inbox);
}

// Runs after each poll, so everything that was in the pipe has been read by now: the newest text is what gets analysed.
static void on_check(uv_check_t *check)
{
  Session *session = check->data;
  uv_idle_stop(&session->idle);
  if (session->is_stopping || session->phase == PHASE_EXITED)
    return;
  uv_update_time(session->loop);
  dispatch_inbox(session);
  if (session->phase == PHASE_EXITED)
    return;
  bool has_more = session->inbox.count > 0;
  if (!has_more && !session->is_full)
    analysis_pump_all(session);
  job_start_waiting(session);
  workspace_pull_turn(session);
  update_pressure(session);
  plan_timer(session);
  if (has_more && !session->is_full)
    session_wake(session);
}

Session *session_new(uv_loop_t *loop, const SessionOutput *output, size_t message_limit)
{
  Session *session = xcalloc(1, sizeof(*session));
  session->loop = loop;
  session->output = *output;
  session->documents = map_new();
  session->cells = map_new();
  session->index = index_new();
  session->next_outgoing_id = 1;
  session->next_stamp = 1;
  frame_decoder_init(&session->decoder, message_limit);
  uv_check_init(loop, &session->check);
  uv_idle_init(loop, &session->idle);
  uv_timer_init(loop, &session->timer);
  uv_timer_init(loop, &session->quiet);
  uv_unref((uv_handle_t *)&session->quiet);
  session->handles = 4;
  session->check.data = session;
  session->idle.data = session;
  session->timer.data = session;
  session->quiet.data = session;
  uv_check_start(&session->check, on_check);
  return session;
}

static void report_problem(Session *session, const FrameEvent *event)
{
  switch (event->problem) {
  case FRAME_GARBAGE:
    client_log(session, SHOW_WARNING, "bytes that are not a message were skipped");
    break;
  case FRAME_NO_LENGTH:
    client_log(session, SHOW_WARNING, "a message without Content-Length was skipped");
    break;
  case FRAME_BAD_LENGTH:
    client_log(session, SHOW_WARNING, "a message whose Content-Length is not a number was skipped");
    break;
  case FRAME_TOO_LARGE:
    client_show(session, SHOW_ERROR, "onnxls skipped a message of %llu bytes: the limit is %zu",
                (unsigned long long)event->length, session->decoder.limit);
    break;
  }
}

static void receive(Session *session, Message *message)
{
  Incoming incoming = { .message = message };
  switch (message_kind(message)) {
  case MESSAGE_INVALID:
    request_refuse(session, message);
    message_free(message);
    return;
  case MESSAGE_REQUEST:
    incoming = (Incoming){ .request = request_new(session, message) };
    break;
  case MESSAGE_NOTIFICATION:
    // Out of turn, because it is about what still waits for its turn.
    if (str_equal(message_method(message), STR("$/cancelRequest"))) {
      lifecycle_cancel(session, message, NULL);
      message_free(message);
      return;
    }
    break;
  case MESSAGE_RESPONSE:
    break;
  }
  vec_push(&session->inbox, incoming);
}

void session_feed(Session *session, Str bytes)
{
  while (session->phase != PHASE_EXITED) {
    FrameEvent event = frame_decoder_next(&session->decoder, &bytes);
    if (event.kind == FRAME_MORE)
      break;
    if (event.kind == FRAME_BODY)
      receive(session, message_parse(event.body, event.body_len));
    else
      report_problem(session, &event);
  }
  update_pressure(session);
  session_wake(session);
}

void session_on_drained(Session *session)
{
  bool was_full = session->is_full;
  update_pressure(session);
  if (was_full && !session->is_full)
    session_wake(session);
}

static void note_busy_document(Str uri, void *value, void *context)
{
  const OpenDocument *document = value;
  bool *is_busy = context;
  *is_busy |= document->is_due || document->due_at > 0 || document->analysis || document->check;
}

bool session_is_idle(const Session *session)
{
  bool is_busy = session->inbox.count > 0 || session->requests.count > 0 || session->jobs_running > 0 ||
                 session->analyses_running > 0 || session->checks_running > 0 || index_is_busy(session->index) ||
                 workspace_is_waiting(session);
  map_each(session->documents, note_busy_document, &is_busy);
  return !is_busy;
}

bool session_is_shut_down(const Session *session)
{
  return session->phase == PHASE_SHUT_DOWN;
}

static void drop_inbox(Session *session)
{
  for (; session->inbox_next < session->inbox.count; session->inbox_next++) {
    Incoming *incoming = &session->inbox.items[session->inbox_next];
    message_free(incoming->message);
    if (incoming->request) {
      if (!incoming->request->is_answered)
        request_fail(incoming->request, RPC_REQUEST_CANCELLED, "the server exits");
      request_free(incoming->request);
    }
  }
  session->inbox_next = 0;
  vec_clear(&session->inbox);
}

void session_stop(Session *session)
{
  if (session->is_stopping)
    return;
  session->is_stopping = true;
  uv_idle_stop(&session->idle);
  uv_timer_stop(&session->timer);
  uv_timer_stop(&session->quiet);
  drop_inbox(session);
  for (size_t i = session->requests.count; i-- > 0;) {
    Request *request = session->requests.items[i];
    if (!request->is_answered)
      request_fail(request, RPC_REQUEST_CANCELLED, "the server exits");
    atomic_store(&request->cancelled, true);
  }
  index_stop(session);
  documents_close_all(session);
  workspace_pull_stop(session);
  for (size_t i = 0; i < session->jobs.count; i++)
    request_free(session->jobs.items[i]);
  vec_clear(&session->jobs);
  client_forget_all(session);
  session->settings_awaited_until = 0;
  session->settings_changed = false;
}

static void on_closed(uv_handle_t *handle)
{
  Session *session = handle->data;
  if (--session->handles == 0)
    free(session);
}

void session_free(Session *session)
{
  if (!session)
    return;
  session_stop(session);
  workspace_done(session);
  index_free(session->index);
  workspace_release(session->workspace);
  map_free(session->documents);
  map_free(session->cells);
  frame_decoder_done(&session->decoder);
  vec_free(&session->inbox);
  vec_free(&session->requests);
  vec_free(&session->outgoing);
  vec_free(&session->jobs);
  vec_free(&session->pulls);
  pulled_files_free(session->pulled);
  uv_close((uv_handle_t *)&session->check, on_closed);
  uv_close((uv_handle_t *)&session->idle, on_closed);
  uv_close((uv_handle_t *)&session->timer, on_closed);
  uv_close((uv_handle_t *)&session->quiet, on_closed);
}
