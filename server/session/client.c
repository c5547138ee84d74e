#include "session/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "host/log.h"
#include "session/state.h"

Writer client_begin_notification(const char *method, Buffer *body)
{
  buffer_printf(body, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
  return (Writer){ .out = body };
}

void client_end_notification(Session *session, Buffer *body)
{
  buffer_append_char(body, '}');
  session->output.write(body, session->output.context);
}

void client_ask(Session *session, const char *method, Str params, ClientAnswer *on_answer, void *context)
{
  Outgoing outgoing = { .id = session->next_outgoing_id++, .on_answer = on_answer, .context = context };
  vec_push(&session->outgoing, outgoing);
  Buffer body = { 0 };
  buffer_printf(&body, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\"", (long long)outgoing.id, method);
  if (params.len > 0) {
    buffer_append(&body, STR(",\"params\":"));
    buffer_append(&body, params);
  }
  buffer_append_char(&body, '}');
  session->output.write(&body, session->output.context);
}

static bool take_outgoing(Session *session, Str id, Outgoing *ret_outgoing)
{
  for (size_t i = 0; i < session->outgoing.count; i++) {
    char text[24];
    snprintf(text, sizeof(text), "%lld", (long long)session->outgoing.items[i].id);
    if (!str_equal(id, str_from(text)))
      continue;
    *ret_outgoing = session->outgoing.items[i];
    session->outgoing.items[i] = *vec_last(&session->outgoing);
    session->outgoing.count--;
    return true;
  }
  return false;
}

void client_take_answer(Session *session, const Message *answer)
{
  Outgoing outgoing;
  if (take_outgoing(session, message_id(answer), &outgoing))
    outgoing.on_answer(session, answer, outgoing.context);
  else
    log_line(LOG_INFO, "an answer to nothing that was asked: id %.*s", STR_ARG(message_id(answer)));
}

void client_forget_all(Session *session)
{
  while (session->outgoing.count > 0) {
    Outgoing outgoing = session->outgoing.items[--session->outgoing.count];
    outgoing.on_answer(session, NULL, outgoing.context);
  }
}

static void tell(Session *session, const char *method, ShowType type, Str text)
{
  Buffer body = { 0 };
  Writer writer = client_begin_notification(method, &body);
  writer_open(&writer, '{');
  writer_member_int(&writer, "type", type);
  writer_member_str(&writer, "message", text);
  writer_close(&writer, '}');
  client_end_notification(session, &body);
}

static LogLevel level_of(ShowType type)
{
  return type == SHOW_ERROR ? LOG_ERROR : type == SHOW_WARNING ? LOG_WARNING : LOG_INFO;
}

static void log_and_tell(Session *session, const char *method, ShowType type, const char *format, va_list args)
{
  Arena arena = { 0 };
  Str text = arena_vprintf(&arena, format, args);
  log_line(level_of(type), "%.*s", STR_ARG(text));
  tell(session, method, type, text);
  arena_done(&arena);
}

void client_show(Session *session, ShowType type, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  log_and_tell(session, "window/showMessage", type, format, args);
  va_end(args);
}

void client_log(Session *session, ShowType type, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  log_and_tell(session, "window/logMessage", type, format, args);
  va_end(args);
}

void client_say_limit(Session *session, SessionLimit limit, const char *text)
{
  if (session->limits_said & limit)
    return;
  session->limits_said |= limit;
  client_log(session, SHOW_WARNING, "%s", text);
}

void client_trace(Session *session, Str text, const Value *verbose)
{
  if (session->trace == TRACE_OFF)
    return;
  Buffer body = { 0 };
  Writer writer = client_begin_notification("$/logTrace", &body);
  writer_open(&writer, '{');
  writer_member_str(&writer, "message", text);
  if (session->trace == TRACE_VERBOSE && verbose) {
    char *json = value_dump(verbose);
    writer_member_str(&writer, "verbose", str_from(json));
    free(json);
  }
  writer_close(&writer, '}');
  client_end_notification(session, &body);
}
