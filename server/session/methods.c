// The table of methods, and the way of a message to its handler.
#include <stdlib.h>

#include "host/lastwords.h"
#include "host/log.h"
#include "session/state.h"

#define STATE_REQUEST(method, handler)                                                                                 \
  {                                                                                                                    \
    .name = method, .kind = RUN_STATE, .shape = IS_REQUEST, .handle = handler                                          \
  }
#define NOTIFICATION(method, handler)                                                                                  \
  {                                                                                                                    \
    .name = method, .kind = RUN_STATE, .shape = IS_NOTIFICATION, .handle = handler                                     \
  }
#define FEATURE(method, how, reader, answerer, nothing)                                                                \
  {                                                                                                                    \
    .name = method, .kind = how, .shape = IS_REQUEST, .read = reader, .answer = answerer, .empty = nothing             \
  }

static const Method methods[] = {
  // Keep alphabetized.
  NOTIFICATION("$/cancelRequest", lifecycle_cancel),
  NOTIFICATION("$/setTrace", lifecycle_set_trace),
  FEATURE("callHierarchy/incomingCalls", RUN_HEAVY, params_read_call_item, answer_incoming_calls, "[]"),
  FEATURE("callHierarchy/outgoingCalls", RUN_HEAVY, params_read_call_item, answer_outgoing_calls, "[]"),
  NOTIFICATION("exit", lifecycle_exit),
  STATE_REQUEST("initialize", lifecycle_initialize),
  NOTIFICATION("initialized", lifecycle_initialized),
  STATE_REQUEST("shutdown", lifecycle_shutdown),
  FEATURE("textDocument/codeAction", RUN_LIGHT, params_read_actions, answer_actions, "[]"),
  FEATURE("textDocument/codeLens", RUN_HEAVY, params_read_document, answer_lenses, "[]"),
  FEATURE("textDocument/completion", RUN_LIGHT, params_read_completion, answer_completion,
          "{\"isIncomplete\":false,\"items\":[]}"),
  FEATURE("textDocument/definition", RUN_LIGHT, params_read_position, answer_definition, "[]"),
  FEATURE("textDocument/diagnostic", RUN_LIGHT, params_read_pull, publish_answer, "{\"kind\":\"full\",\"items\":[]}"),
  NOTIFICATION("textDocument/didChange", sync_did_change),
  NOTIFICATION("textDocument/didClose", sync_did_close),
  NOTIFICATION("textDocument/didOpen", sync_did_open),
  NOTIFICATION("textDocument/didSave", sync_did_save),
  FEATURE("textDocument/documentHighlight", RUN_LIGHT, params_read_position, answer_highlight, "[]"),
  FEATURE("textDocument/documentLink", RUN_HEAVY, params_read_document, answer_links, "[]"),
  FEATURE("textDocument/documentSymbol", RUN_HEAVY, params_read_document, answer_symbols, "[]"),
  FEATURE("textDocument/foldingRange", RUN_HEAVY, params_read_document, answer_folding, "[]"),
  FEATURE("textDocument/hover", RUN_LIGHT, params_read_position, answer_hover, "null"),
  FEATURE("textDocument/implementation", RUN_LIGHT, params_read_position, answer_implementation, "[]"),
  FEATURE("textDocument/inlayHint", RUN_HEAVY, params_read_range, answer_inlay_hints, "[]"),
  FEATURE("textDocument/prepareCallHierarchy", RUN_LIGHT, params_read_position, answer_call_items, "null"),
  FEATURE("textDocument/references", RUN_HEAVY, params_read_references, answer_references, "[]"),
  FEATURE("textDocument/selectionRange", RUN_LIGHT, params_read_positions, answer_selection, "null"),
  FEATURE("textDocument/semanticTokens/full", RUN_HEAVY, params_read_document, answer_tokens_full, "null"),
  FEATURE("textDocument/semanticTokens/full/delta", RUN_HEAVY, params_read_delta, answer_tokens_delta, "null"),
  FEATURE("textDocument/semanticTokens/range", RUN_HEAVY, params_read_range, answer_tokens_range, "null"),
  FEATURE("textDocument/signatureHelp", RUN_LIGHT, params_read_position, answer_signature, "null"),
  NOTIFICATION("window/workDoneProgress/cancel", lifecycle_ignore),
  NOTIFICATION("workspace/didChangeConfiguration", workspace_did_change_configuration),
  NOTIFICATION("workspace/didChangeWatchedFiles", workspace_did_change_files),
  NOTIFICATION("workspace/didChangeWorkspaceFolders", workspace_did_change_folders),
  FEATURE("workspace/executeCommand", RUN_LIGHT, params_read_command, answer_command, "null"),
  STATE_REQUEST("workspace/symbol", workspace_symbols),
};

static int compare_to_name(const void *key, const void *item)
{
  const Str *name = key;
  const Method *method = item;
  return str_compare(*name, str_from(method->name));
}

const Method *method_find(Str name)
{
  return bsearch(&name, methods, sizeof(methods) / sizeof(*methods), sizeof(*methods), compare_to_name);
}

// A feature that needs a document: from its state to an answer, now or later. The request has a new holder then.
static void dispatch_feature(Session *session, Request *request)
{
  const Method *method = request->method;
  if (!method->read(message_params(request->message), &request->arena, &request->params)) {
    request_fail(request, RPC_INVALID_PARAMS, "the params are not those of this method");
    request_free(request);
    return;
  }
  OpenDocument *document = sync_find(session, request->params.uri);
  if (!document && method->read == params_read_call_item && job_run_closed(request))
    return;
  if (!document || document->is_desynced) {
    request_reply(request, str_from(method->empty));
    request_free(request);
    return;
  }
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
  const Method *method = method_find(message_method(request->message));
  request->method = method;
  if (request->is_answered || refuse_in_phase(session, request)) {
    request_free(request);
    return;
  }
  if (!method || method->shape != IS_REQUEST) {
    request_fail(request, RPC_METHOD_NOT_FOUND, "there is no such request");
    request_free(request);
    return;
  }
  if (method->kind != RUN_STATE) {
    dispatch_feature(session, request);
    return;
  }
  method->handle(session, request->message, request);
  request_free(request);
}

static void dispatch_notification(Session *session, Message *message)
{
  Str name = message_method(message);
  const Method *method = method_find(name);
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
  last_words_begin(message_method(message), documents_read_uri(message_params(message)), VERSION_UNKNOWN);
  if (incoming.request) {
    dispatch_request(session, incoming.request);
  } else {
    if (message_kind(message) == MESSAGE_RESPONSE)
      client_take_answer(session, message);
    else
      dispatch_notification(session, message);
    message_free(message);
  }
  last_words_end();
}
