// What rules say of a document, to the client. A check is one run of all rules over a snapshot: here if there is little
// to look at, else on the pool.
#include "session/publish.h"

#include <stdlib.h>

#include "base/limits.h"
#include "host/lastwords.h"
#include "lsp/diagnostics_json.h"
#include "session/state.h"
#include "session/work.h"

struct Check {
  uv_work_t work;
  Session *session;
  OpenDocument *document;  ///< NULL after it was given up.
  Snapshot *snapshot;      ///< Retained.
  Arena arena;
  DiagnosticList list;
  Vec(Buffer) bodies;  ///< The notification, but for its end; of a notebook one for each cell.
  atomic_bool cancelled;
};

/// Notes how many diagnostics the document's text has, shown or not, and says once if some are hidden.
static void note_hidden(OpenDocument *document, const Snapshot *snapshot, const DiagnosticList *list)
{
  const Folder *folder = workspace_folder(document->session, str_from(document->path));
  if (snapshot_target(snapshot) == workspace_target(document->session, str_from(document->path))) {
    document->checked_stamp = folder->stamp;
    document->found = list->count + list->hidden + list->suppressed_total;
  }
  if (list->hidden == 0 || document->has_said_hidden)
    return;
  document->has_said_hidden = true;
  client_log(document->session, SHOW_INFO, "%s has %zu more diagnostics than the setting maxDiagnostics lets through",
             document->uri, list->hidden);
}

/// `cell` is NULL for a document that is no notebook.
static void write_publish(Check *check, const Cell *cell)
{
  Buffer body = { 0 };
  Writer writer = client_begin_notification("textDocument/publishDiagnostics", &body);
  int64_t version = cell ? cell->version : snapshot_version(check->snapshot);
  writer_open(&writer, '{');
  writer_member_str(&writer, "uri", cell ? cell->uri : snapshot_uri(check->snapshot));
  if (version != VERSION_UNKNOWN)
    writer_member_int(&writer, "version", version);
  writer_key(&writer, "diagnostics");
  DiagnosticList shown = diagnostics_shown(check->snapshot, &check->list, &check->arena);
  diagnostics_write(&writer, check->snapshot, cell, &shown, &check->session->client, &check->arena);
  writer_close(&writer, '}');
  vec_push(&check->bodies, body);
}

static void write_all(Check *check)
{
  const CellMap *cells = snapshot_cells(check->snapshot);
  for (size_t i = 0; i < cells_count(cells); i++)
    write_publish(check, cells_item(cells, i));
  if (!cells)
    write_publish(check, NULL);
}

// On any thread.
static void run_check(Check *check)
{
  if (atomic_load(&check->cancelled))
    return;
  lastwords_begin(STR("diagnostics"), snapshot_uri(check->snapshot), snapshot_version(check->snapshot));
  check->list = diagnostics_unless(&check->cancelled, check->snapshot, &check->arena);
  if (!atomic_load(&check->cancelled))
    write_all(check);
  lastwords_end();
}

static void finish_check(Check *check)
{
  if (check->document) {
    for (size_t i = 0; i < check->bodies.count; i++)
      client_end_notification(check->session, &check->bodies.items[i]);
    note_hidden(check->document, check->snapshot, &check->list);
  }
  snapshot_release(check->snapshot);
  for (size_t i = 0; i < check->bodies.count; i++)
    buffer_done(&check->bodies.items[i]);
  vec_free(&check->bodies);
  arena_done(&check->arena);
  free(check);
}

static void run_on_pool(uv_work_t *work)
{
  run_check(work->data);
}

static void after_run(uv_work_t *work, int status)
{
  Check *check = work->data;
  Session *session = check->session;
  session->checks_running--;
  if (check->document)
    check->document->check = NULL;
  finish_check(check);
  session_note_work(session);
  session_wake(session);
}

void publish_abandon(OpenDocument *document)
{
  if (!document->check)
    return;
  atomic_store(&document->check->cancelled, true);
  document->check->document = NULL;
  document->check = NULL;
}

void publish_diagnostics(OpenDocument *document)
{
  Session *session = document->session;
  if (session->client.pulls_diagnostics || !document->snapshot)
    return;
  publish_abandon(document);
  Check *check = xcalloc(1, sizeof(*check));
  check->session = session;
  check->document = document;
  check->snapshot = snapshot_retain(document->snapshot);
  size_t work = work_of_check(document);
  if (work <= CHECK_BYTES) {
    work_note(session, work);
    run_check(check);
    finish_check(check);
    return;
  }
  document->check = check;
  session->checks_running++;
  check->work.data = check;
  uv_queue_work(session->loop, &check->work, run_on_pool, after_run);
}

void publish_empty(Session *session, Str uri)
{
  if (session->client.pulls_diagnostics)
    return;
  Buffer body = { 0 };
  Writer writer = client_begin_notification("textDocument/publishDiagnostics", &body);
  writer_open(&writer, '{');
  writer_member_str(&writer, "uri", uri);
  writer_key(&writer, "diagnostics");
  writer_raw(&writer, STR("[]"));
  writer_close(&writer, '}');
  client_end_notification(session, &body);
}

// --- Pulling ---

static bool is_unchanged(const FeatureParams *params)
{
  return str_equal(params->result_id, params->previous_result_id);
}

static void compute_pull(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  if (!is_unchanged(params))
    ret_result->diagnostics = diagnostics_unless(context->cancelled, context->snapshot, context->arena);
}

static void write_pull(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  const FeatureParams *params = context->params;
  writer_open(writer, '{');
  writer_member_str(writer, "kind", is_unchanged(params) ? STR("unchanged") : STR("full"));
  writer_member_str(writer, "resultId", params->result_id);
  if (!is_unchanged(params)) {
    writer_key(writer, "items");
    const Cell *cell = cells_find(snapshot_cells(context->snapshot), params->uri);
    DiagnosticList shown = diagnostics_shown(context->snapshot, &result->diagnostics, context->arena);
    diagnostics_write(writer, context->snapshot, cell, &shown, context->client, context->arena);
  }
  writer_close(writer, '}');
}

static void after_pull(Request *request)
{
  OpenDocument *document = documents_find(request->session, request->params.uri);
  if (document && !is_unchanged(&request->params))
    note_hidden(document, request->snapshot, &request->result.diagnostics);
}

const FeatureMethod publish_methods[] = {
  { .name = "textDocument/diagnostic",
    .cost = COST_CHECK,
    .empty = "{\"kind\":\"full\",\"items\":[]}",
    .read = params_read_pull,
    .compute = compute_pull,
    .write = write_pull,
    .after = after_pull },
  { 0 },
};
