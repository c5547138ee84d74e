// Diagnostics: pulled by clients that can, and that can be told to pull again; pushed to all others. Never both.
#include "host/lastwords.h"
#include "lsp/diagnostics_json.h"
#include "session/state.h"

static void say_hidden(OpenDocument *document, size_t hidden)
{
  if (!document || hidden == 0 || document->has_said_hidden)
    return;
  document->has_said_hidden = true;
  client_log(document->session, SHOW_INFO, "%s has %zu more diagnostics than the setting maxDiagnostics lets through",
             document->uri, hidden);
}

static void write_publish(Writer *writer, const OpenDocument *document, Arena *arena, const DiagnosticList *list)
{
  const Session *session = document->session;
  writer_open(writer, '{');
  writer_member_str(writer, "uri", str_from(document->uri));
  if (document->version != VERSION_UNKNOWN)
    writer_member_int(writer, "version", document->version);
  writer_key(writer, "diagnostics");
  diagnostics_write(writer, document->snapshot, list, &session->client, arena);
  writer_close(writer, '}');
}

void publish_diagnostics(OpenDocument *document)
{
  Session *session = document->session;
  if (session->client.pulls_diagnostics || !document->snapshot)
    return;
  Arena arena = { 0 };
  Buffer body = { 0 };
  last_words_begin(STR("diagnostics"), str_from(document->uri), document->version);
  DiagnosticList list = diagnostics_of(document->snapshot, &arena);
  Writer writer = client_begin_notification(session, "textDocument/publishDiagnostics", &body);
  write_publish(&writer, document, &arena, &list);
  client_end_notification(session, &body);
  say_hidden(document, list.hidden);
  last_words_end();
  arena_done(&arena);
}

void publish_empty(Session *session, Str uri)
{
  if (session->client.pulls_diagnostics)
    return;
  Buffer body = { 0 };
  Writer writer = client_begin_notification(session, "textDocument/publishDiagnostics", &body);
  writer_open(&writer, '{');
  writer_member_str(&writer, "uri", uri);
  writer_key(&writer, "diagnostics");
  writer_raw(&writer, STR("[]"));
  writer_close(&writer, '}');
  client_end_notification(session, &body);
}

// The answer to a pull. What it says hangs on the text and on the target, and each has a number. Unlike other answers
// this one may look at the session: the method is RUN_LIGHT, so it is always made on the loop.
void publish_answer(FeatureCall *call, Writer *writer)
{
  const Request *request = call->request;
  Arena *arena = call->answer.arena;
  Str id = arena_printf(arena, "%llu.%llu", (unsigned long long)request->text_stamp,
                        (unsigned long long)request->target_stamp);
  bool is_unchanged = str_equal(id, call->params->previous_result_id);
  writer_open(writer, '{');
  writer_member_str(writer, "kind", is_unchanged ? STR("unchanged") : STR("full"));
  writer_member_str(writer, "resultId", id);
  if (!is_unchanged) {
    DiagnosticList list = diagnostics_of(call->answer.snapshot, arena);
    say_hidden(sync_find(request->session, call->params->uri), list.hidden);
    writer_key(writer, "items");
    diagnostics_write(writer, call->answer.snapshot, &list, call->answer.client, arena);
  }
  writer_close(writer, '}');
}
