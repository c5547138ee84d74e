// Requests: each gets exactly one reply, whichever way it goes.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/log.h"
#include "session/state.h"

Request *request_new(Session *session, Message *message)
{
  Request *request = xcalloc(1, sizeof(*request));
  request->session = session;
  request->message = message;
  request->received_ns = uv_hrtime();
  vec_push(&session->requests, request);
  return request;
}

void request_free(Request *request)
{
  assert(request->is_answered);
  Session *session = request->session;
  for (size_t i = 0; i < session->requests.count; i++) {
    if (session->requests.items[i] == request) {
      session->requests.items[i] = *vec_last(&session->requests);
      session->requests.count--;
      break;
    }
  }
  document_release(request->text);
  snapshot_release(request->snapshot);
  workspace_release(request->workspace);
  token_data_release(request->tokens_before);
  token_data_release(request->tokens_after);
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

// Here, and nowhere else, a request becomes an answered one.
static void mark_answered(Request *request, const char *outcome)
{
  assert(!request->is_answered);
  request->is_answered = true;
  note_answer(request, outcome);
}

Writer request_begin_reply(Request *request)
{
  begin_reply(&request->reply, message_id(request->message));
  buffer_append(&request->reply, STR(",\"result\":"));
  return (Writer){ .out = &request->reply };
}

void request_end_reply(Request *request)
{
  buffer_append_char(&request->reply, '}');
  write_body(request->session, &request->reply);
  mark_answered(request, "answered");
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
  Buffer body = { 0 };
  begin_reply(&body, message_id(request->message));
  write_error(&body, error, text);
  write_body(request->session, &body);
  mark_answered(request, text);
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
  const Method *method = request->method ? request->method : method_find(message_method(request->message));
  return method && method->kind != RUN_STATE && !request->is_answered;
}

void request_cancel(Session *session, Str id)
{
  for (size_t i = 0; i < session->requests.count; i++) {
    Request *request = session->requests.items[i];
    if (!str_equal(message_id(request->message), id) || !is_cancellable(request))
      continue;
    atomic_store(&request->cancelled, true);
    request_fail(request, RPC_REQUEST_CANCELLED, "cancelled");
    session_wake(session);
  }
}
