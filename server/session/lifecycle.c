#include "session/lifecycle.h"

#include <stdlib.h>

#include "host/log.h"
#include "session/state.h"

static Trace read_trace(const Value *value)
{
  Str trace = { 0 };
  value_to_str(value, &trace);
  if (str_equal(trace, STR("messages")))
    return TRACE_MESSAGES;
  return str_equal(trace, STR("verbose")) ? TRACE_VERBOSE : TRACE_OFF;
}

static void note_client(const Value *params)
{
  Str name = STR("an unnamed client");
  Str version = { 0 };
  value_to_str(value_path(params, "clientInfo.name"), &name);
  value_to_str(value_path(params, "clientInfo.version"), &version);
  log_line(LOG_INFO, "onnxls %s for %.*s %.*s", ONNXLS_VERSION, STR_ARG(name), STR_ARG(version));
}

/// Only the client may say no: what a workspace says is what the process is confined against.
static void offer_folders(Session *session)
{
  bool wants_sandbox = true;
  value_to_bool(value_get(session->init_options, "sandbox"), &wants_sandbox);
  if (!wants_sandbox || !session->output.on_folders)
    return;
  Vec(Str) paths = { 0 };
  for (size_t i = 0; i < session->folders.count; i++) {
    if (session->folders.items[i].path)
      vec_push(&paths, str_from(session->folders.items[i].path));
  }
  session->output.on_folders(paths.items, paths.count, session->output.context);
  vec_free(&paths);
}

void lifecycle_initialize(Session *session, Message *message, Request *request)
{
  const Value *params = message_params(message);
  if (value_kind(params) != VALUE_OBJECT) {
    request_fail(request, RPC_INVALID_PARAMS, "initialize needs params");
    return;
  }
  note_client(params);
  capabilities_read(value_get(params, "capabilities"), &session->client);
  session->trace = read_trace(value_get(params, "trace"));
  int64_t parent;
  if (value_to_int(value_get(params, "processId"), &parent) && session->output.on_parent)
    session->output.on_parent(parent, session->output.context);
  workspace_init(session, params);
  offer_folders(session);
  session->phase = PHASE_RUNNING;

  Writer writer = request_begin_reply(request);
  capabilities_write(&writer, &session->client);
  request_end_reply(request);
}

void lifecycle_initialized(Session *session, Message *message, Request *request)
{
  workspace_start(session);
}

void lifecycle_shutdown(Session *session, Message *message, Request *request)
{
  session->phase = PHASE_SHUT_DOWN;
  request_reply(request, STR("null"));
}

// Source: LSP 3.17 "Exit Notification": 0 if shutdown came before, 1 otherwise.
void lifecycle_exit(Session *session, Message *message, Request *request)
{
  int code = session->phase == PHASE_SHUT_DOWN ? 0 : 1;
  session->phase = PHASE_EXITED;
  if (session->output.on_exit)
    session->output.on_exit(code, session->output.context);
}

void lifecycle_cancel(Session *session, Message *message, Request *request)
{
  char *id = message_id_of(value_get(message_params(message), "id"));
  if (id)
    request_cancel(session, str_from(id));
  free(id);
}

void lifecycle_set_trace(Session *session, Message *message, Request *request)
{
  session->trace = read_trace(value_get(message_params(message), "value"));
}

void lifecycle_cancel_progress(Session *session, Message *message, Request *request)
{
  char *token = value_dump(value_get(message_params(message), "token"));
  request_cancel_by_token(session, str_from(token));
  free(token);
}
