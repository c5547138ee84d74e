#include "session/methods.h"

#include <stdlib.h>

#include "host/lastwords.h"
#include "host/log.h"
#include "session/analysis.h"
#include "session/code_actions.h"
#include "session/jobs.h"
#include "session/lifecycle.h"
#include "session/model_content.h"
#include "session/notebooks.h"
#include "session/publish.h"
#include "session/state.h"
#include "session/target_choices.h"
#include "session/workspace_pull.h"

/// Those that change the session.
static const Method methods[] = {
  // Keep alphabetized.
  { "$/cancelRequest", IS_NOTIFICATION, lifecycle_cancel },
  { "$/setTrace", IS_NOTIFICATION, lifecycle_set_trace },
  { "exit", IS_NOTIFICATION, lifecycle_exit },
  { "initialize", IS_REQUEST, lifecycle_initialize },
  { "initialized", IS_NOTIFICATION, lifecycle_initialized },
  { "notebookDocument/didChange", IS_NOTIFICATION, notebooks_did_change },
  { "notebookDocument/didClose", IS_NOTIFICATION, notebooks_did_close },
  { "notebookDocument/didOpen", IS_NOTIFICATION, notebooks_did_open },
  { "notebookDocument/didSave", IS_NOTIFICATION, notebooks_did_save },
  { "shutdown", IS_REQUEST, lifecycle_shutdown },
  { "textDocument/didChange", IS_NOTIFICATION, documents_did_change },
  { "textDocument/didClose", IS_NOTIFICATION, documents_did_close },
  { "textDocument/didOpen", IS_NOTIFICATION, documents_did_open },
  { "textDocument/didSave", IS_NOTIFICATION, documents_did_save },
  { "window/workDoneProgress/cancel", IS_NOTIFICATION, lifecycle_cancel_progress },
  { "workspace/didChangeConfiguration", IS_NOTIFICATION, workspace_did_change_configuration },
  { "workspace/didChangeWatchedFiles", IS_NOTIFICATION, workspace_did_change_files },
  { "workspace/didChangeWorkspaceFolders", IS_NOTIFICATION, workspace_did_change_folders },
};

static int compare_to_name(const void *key, const void *item)
{
  const Str *name = key;
  const Method *method = item;
  return str_compare(*name, str_from(method->name));
}

static const Method *find_method(Str name)
{
  return bsearch(&name, methods, COUNT(methods), sizeof(*methods), compare_to_name);
}

const FeatureMethod *method_find_feature(Str name)
{
  const FeatureMethod *method = feature_method_find(name);
  if (!method)
    method = feature_method_in(publish_methods, name);
  if (!method)
    method = feature_method_in(workspace_pull_methods, name);
  if (!method)
    method = feature_method_in(target_choices_methods, name);
  if (!method)
    method = feature_method_in(command_methods, name);
  return method ? method : feature_method_in(model_content_methods, name);
}

static void reply_empty(Request *request)
{
  request_reply(request, str_from(request->feature->empty));
  request_free(request);
}

// From its params to an answer, now or later. The request has a new holder then.
static void dispatch_feature(Session *session, Request *request)
{
  const FeatureMethod *feature = request->feature;
  if (!feature->read(message_params(request->message), &request->arena, &request->params)) {
    request_fail(request, RPC_INVALID_PARAMS, "the params are not those of this method");
    request_free(request);
    return;
  }
  if (feature->run) {
    feature->run(request);
    return;
  }
  if (feature->is_workspace) {
    job_run_workspace(request);
    return;
  }
  OpenDocument *document = documents_find(session, request->params.uri);
  if (!document && feature->is_closed && job_run_closed(request))
    return;
  if (!document || document->is_desynced)
    reply_empty(request);
  else
    analysis_await(document, request);
}

// Why a request can't be served in this phase; false if it can.
static bool refuse_in_phase(const Session *session, Request *request)
{
  bool is_initialize = str_equal(message_method(request->message), STR("initialize"));
  if (session->phase == PHASE_SHUT_DOWN)
    request_fail(request, RPC_INVALID_REQUEST, "the server was shut down");
  else if (session->phase == PHASE_NEW && !is_initialize)
    request_fail(request, RPC_NOT_INITIALIZED, "the first request must be initialize");
  else if (session->phase == PHASE_RUNNING && is_initialize)
    request_fail(request, RPC_INVALID_REQUEST, "the server was initialized before");
  else
    return false;
  return true;
}

static void dispatch_request(Session *session, Request *request)
{
  Str name = message_method(request->message);
  const Method *method = find_method(name);
  if (request->is_answered || refuse_in_phase(session, request)) {
    request_free(request);
    return;
  }
  request->feature = method_find_feature(name);
  if (request->feature) {
    dispatch_feature(session, request);
    return;
  }
  if (method && method->shape == IS_REQUEST)
    method->handle(session, request->message, request);
  else
    request_fail(request, RPC_METHOD_NOT_FOUND, "there is no such request");
  request_free(request);
}

static void dispatch_notification(Session *session, Message *message)
{
  Str name = message_method(message);
  const Method *method = find_method(name);
  bool is_exit = str_equal(name, STR("exit"));
  if (session->phase != PHASE_RUNNING && !is_exit)
    log_line(LOG_INFO, "%.*s was ignored, which came before initialize or after shutdown", STR_ARG(name));
  else if (method && method->shape == IS_NOTIFICATION)
    method->handle(session, message, NULL);
  else if (!str_starts_with(name, STR("$/")))
    log_line(LOG_INFO, "%.*s was ignored: there is no such notification", STR_ARG(name));
}

void method_dispatch(Session *session, Incoming incoming)
{
  Message *message = incoming.request ? incoming.request->message : incoming.message;
  lastwords_begin(message_method(message), document_params_read_uri(message_params(message)), VERSION_UNKNOWN);
  if (incoming.request) {
    dispatch_request(session, incoming.request);
  } else {
    if (message_kind(message) == MESSAGE_RESPONSE)
      client_take_answer(session, message);
    else
      dispatch_notification(session, message);
    message_free(message);
  }
  lastwords_end();
}
