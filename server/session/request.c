#include "session/request.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/log.h"
#include "session/code_actions.h"
#include "session/state.h"
#include "session/target_choices.h"

Request *request_new(Session *session, Message *message)
{
  Request *request = xcalloc(1, sizeof(*request));
  request->session = session;
  request->message = message;
  request->received_ns = uv_hrtime();
  vec_push(&session->requests, request);
  return request;
}

static void forget(Request *request)
{
  Session *session = request->session;
  for (size_t i = 0; i < session->requests.count; i++) {
    if (session->requests.items[i] != request)
      continue;
    session->requests.items[i] = *vec_last(&session->requests);
    session->requests.count--;
    return;
  }
}

// A mistake of ours, which the client need not wait for ever for.
static void answer_lost(Request *request)
{
  request->session->lost_requests++;
  log_line(LOG_ERROR, "%.*s was dropped without an answer", STR_ARG(message_method(request->message)));
  request_fail(request, RPC_INTERNAL_ERROR, "the server lost this request");
}

void request_free(Request *request)
{
  if (!request)
    return;
  if (!request->is_answered)
    answer_lost(request);
  forget(request);
  document_release(request->text);
  cells_release(request->cells);
  snapshot_release(request->snapshot);
  target_release(request->closed_target);
  workspace_release(request->workspace);
  action_texts_free(request->texts);
  target_choices_free(request->choices);
  tokens_data_release(request->tokens_before);
  tokens_data_release(request->tokens_after);
  buffer_done(&request->reply);
  arena_done(&request->arena);
  message_free(request->message);
  free(request);
}

static void begin_reply(Buffer *body, Str id)
{
  buffer_append(body, STR("{\"jsonrpc\":\"2.0\",\"id\":"));
  buffer_append(body, id);
}

static void write_body(Session *session, Buffer *body)
{
  session->output.write(body, session->output.context);
}

static void note_answer(Request *request, const char *outcome)
{
  double ms = (double)(uv_hrtime() - request->received_ns) / 1e6;
  Str method = message_method(request->message);
  char line[256];
  snprintf(line, sizeof(line), "%.*s (%.*s): %s after %.2f ms", STR_ARG(str_slice(method, 0, 80)),
           STR_ARG(str_slice(message_id(request->message), 0, 40)), outcome, ms);
  log_line(LOG_DEBUG, "%s", line);
  client_trace(request->session, str_from(line), message_params(request->message));
}

// Here, and nowhere else, a request becomes an answered one. False if it was one before: nothing may be sent then.
static bool claim_reply(Request *request)
{
  if (request->is_answered) {
    request->session->refused_replies++;
    log_line(LOG_ERROR, "a second answer to %.*s was not sent", STR_ARG(message_method(request->message)));
    return false;
  }
  request->is_answered = true;
  return true;
}

Writer request_begin_reply(Request *request)
{
  begin_reply(&request->reply, message_id(request->message));
  buffer_append(&request->reply, STR(",\"result\":"));
  return (Writer){ .out = &request->reply };
}

void request_end_reply(Request *request)
{
  if (!claim_reply(request))
    return;
  buffer_append_char(&request->reply, '}');
  write_body(request->session, &request->reply);
  note_answer(request, "answered");
}

void request_reply(Request *request, Str result)
{
  Writer writer = request_begin_reply(request);
  writer_raw(&writer, result);
  request_end_reply(request);
}

static void write_error(Buffer *body, RpcError error, const char *text)
{
  buffer_append(body, STR(",\"error\":"));
  Writer writer = { .out = body };
  writer_open(&writer, '{');
  writer_member_int(&writer, "code", error);
  writer_member_str(&writer, "message", str_from(text));
  writer_close(&writer, '}');
  buffer_append_char(body, '}');
}

// Not by way of `reply`: a pool thread may be writing that one.
void request_fail(Request *request, RpcError error, const char *text)
{
  if (!claim_reply(request))
    return;
  Buffer body = { 0 };
  begin_reply(&body, message_id(request->message));
  write_error(&body, error, text);
  write_body(request->session, &body);
  note_answer(request, text);
}

void request_refuse(Session *session, const Message *message)
{
  Buffer body = { 0 };
  begin_reply(&body, message_id(message));
  write_error(&body, message_error(message), message_error_text(message));
  log_line(LOG_WARNING, "a message was refused: %s", message_error_text(message));
  write_body(session, &body);
}

// What changes the session can't be taken back; features can.
static bool is_cancellable(const Request *request)
{
  return !request->is_answered && method_find_feature(message_method(request->message));
}

static void cancel(Request *request)
{
  if (!is_cancellable(request))
    return;
  atomic_store(&request->cancelled, true);
  request_fail(request, RPC_REQUEST_CANCELLED, "cancelled");
  session_wake(request->session);
}

void request_cancel(Session *session, Str id)
{
  for (size_t i = 0; i < session->requests.count; i++) {
    if (str_equal(message_id(session->requests.items[i]->message), id))
      cancel(session->requests.items[i]);
  }
}

void request_cancel_by_token(Session *session, Str token)
{
  for (size_t i = 0; i < session->requests.count; i++) {
    Request *request = session->requests.items[i];
    char *own = request->params.progress_token ? value_dump(request->params.progress_token) : NULL;
    if (own && str_equal(str_from(own), token))
      cancel(request);
    free(own);
  }
}
