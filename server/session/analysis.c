// From edits to snapshots: what is analysed when, and where.
//
// A request sees exactly the edits before it, so it waits for the analysis of the text that was there when it came.
// Without requests, edits are gathered: only the newest text is analysed, after a delay that starts at about nothing
// and grows with the cost of an analysis and with continued typing.
#include "session/analysis.h"

#include <stdlib.h>

#include "base/limits.h"
#include "core/unread.h"
#include "host/lastwords.h"
#include "host/log.h"
#include "session/jobs.h"
#include "session/progress.h"
#include "session/publish.h"
#include "session/state.h"
#include "session/timing.h"
#include "session/work.h"

typedef struct Worker {
  uv_work_t work;
  Analysis *analysis;
} Worker;

struct Analysis {
  Session *session;
  OpenDocument *document;    ///< NULL after it was given up.
  SnapshotPlan *plan;        ///< Shared by the workers; consumed by the last one.
  uint32_t count;            ///< Chunks to lower.
  atomic_uint next;          ///< First chunk that nobody took.
  atomic_uint lowered;       ///< How many are done, for progress.
  atomic_uint workers_left;  ///< The last one finishes the plan.
  atomic_bool cancelled;
  Snapshot *result;          ///< Written by the last worker; NULL if it was cancelled.
  Progress *progress;        ///< NULL if none is shown.
  unsigned workers_running;  ///< The loop's count of them.
  uint64_t start_ns;
  char *uri;  ///< For last words.
  int64_t version;
  Worker workers[ANALYSIS_THREADS];
};

static void run_worker(uv_work_t *work)
{
  Analysis *analysis = ((Worker *)work->data)->analysis;
  lastwords_begin(STR("analysis"), str_from(analysis->uri), analysis->version);
  while (!atomic_load(&analysis->cancelled)) {
    uint32_t chunk = atomic_fetch_add(&analysis->next, 1);
    if (chunk >= analysis->count)
      break;
    snapshot_plan_run(analysis->plan, chunk);
    atomic_fetch_add(&analysis->lowered, 1);
  }
  if (atomic_fetch_sub(&analysis->workers_left, 1) == 1) {
    if (atomic_load(&analysis->cancelled))
      snapshot_plan_free(analysis->plan);
    else
      analysis->result = snapshot_plan_finish(analysis->plan);
  }
  lastwords_end();
}

static double ms_since(uint64_t start_ns)
{
  return (double)(uv_hrtime() - start_ns) / 1e6;
}

/// Without a word, a part that no diagnostic is in would pass for a good one.
static void say_unread(OpenDocument *document)
{
  Arena arena = { 0 };
  UnreadList unread = snapshot_unread(document->snapshot, &arena);
  if (unread.count > 0 && !document->has_said_unread) {
    Str text = unread_say(document->snapshot, &unread.items[0], &arena);
    client_show(document->session, SHOW_WARNING, "%s: %.*s", document->uri, STR_ARG(text));
  }
  document->has_said_unread |= unread.count > 0;
  arena_done(&arena);
}

static void set_snapshot(OpenDocument *document, Snapshot *snapshot, uint32_t chunks, double ms)
{
  // What opening cost says nothing about what an edit costs.
  if (document->snapshot)
    document->cost_ms = document->cost_ms == 0 ? ms : (document->cost_ms * 3 + ms) / 4;
  log_line(LOG_DEBUG, "analysed version %lld of %s: %u chunks in %.2f ms", (long long)snapshot_version(snapshot),
           document->uri, chunks, ms);
  snapshot_release(document->snapshot);
  document->snapshot = snapshot;
  say_unread(document);
  index_take(document);
}

static void free_analysis(Analysis *analysis)
{
  progress_end(analysis->progress);
  free(analysis->uri);
  free(analysis);
}

static void after_worker(uv_work_t *work, int status)
{
  Analysis *analysis = ((Worker *)work->data)->analysis;
  if (--analysis->workers_running > 0)
    return;
  Session *session = analysis->session;
  OpenDocument *document = analysis->document;
  session->analyses_running--;
  if (document) {
    document->analysis = NULL;
    set_snapshot(document, analysis->result, analysis->count, ms_since(analysis->start_ns));
    session_wake(session);
  } else {
    snapshot_release(analysis->result);
  }
  free_analysis(analysis);
  session_note_work(session);
}

static unsigned worker_count(uint32_t chunks)
{
  unsigned count = uv_available_parallelism();
  if (count > ANALYSIS_THREADS)
    count = ANALYSIS_THREADS;
  return chunks < count ? (chunks > 0 ? chunks : 1) : count;
}

static void start_on_pool(OpenDocument *document, SnapshotPlan *plan, int64_t version)
{
  Session *session = document->session;
  Analysis *analysis = xcalloc(1, sizeof(*analysis));
  analysis->session = session;
  analysis->document = document;
  analysis->plan = plan;
  analysis->count = snapshot_plan_count(plan);
  analysis->start_ns = uv_hrtime();
  analysis->uri = xstrdup_str(str_from(document->uri));
  analysis->version = version;
  analysis->workers_running = worker_count(analysis->count);
  atomic_store(&analysis->workers_left, analysis->workers_running);
  document->analysis = analysis;
  session->analyses_running++;
  if (analysis->count >= PROGRESS_CHUNKS)
    analysis->progress = progress_new(session, "Reading the file");
  for (unsigned i = 0; i < analysis->workers_running; i++) {
    analysis->workers[i].analysis = analysis;
    analysis->workers[i].work.data = &analysis->workers[i];
    uv_queue_work(session->loop, &analysis->workers[i].work, run_worker, after_worker);
  }
}

/// What is new, or all of it if it has to be checked against something else.
static bool fits_loop(const OpenDocument *document, const SnapshotPlan *plan, const SnapshotInput *input)
{
  size_t fresh = snapshot_plan_bytes(plan);
  bool is_recheck = !document->snapshot || snapshot_target(document->snapshot) != input->target;
  size_t work = work_of_reading(input->document, snapshot_plan_language(plan),
                                is_recheck ? document_length(input->document) : fresh);
  if (language_work(snapshot_plan_language(plan), fresh) > INLINE_BYTES || work > LOOP_BYTES)
    return false;
  work_note(document->session, work);
  return true;
}

static const Target *target_of(OpenDocument *document)
{
  return workspace_target(document->session, str_from(document->path));
}

// Ends with the document's snapshot being that of `text`, or with an analysis in flight.
static void start(OpenDocument *document, Document *text, const CellMap *cells, int64_t version)
{
  const Target *target = target_of(document);
  SnapshotInput input = {
    .uri = str_from(document->uri),
    .version = version,
    .language_id = str_from(document->language_id),
    .document = text,
    .target = target,
    .cells = cells,
  };
  uint64_t start_ns = uv_hrtime();
  lastwords_begin(STR("analysis"), input.uri, version);
  SnapshotPlan *plan = snapshot_plan(&input, document->snapshot);
  if (fits_loop(document, plan, &input)) {
    uint32_t count = snapshot_plan_count(plan);
    Snapshot *snapshot = snapshot_plan_finish(plan);
    set_snapshot(document, snapshot, count, ms_since(start_ns));
  } else {
    start_on_pool(document, plan, version);
  }
  lastwords_end();
}

static bool has_snapshot_of(OpenDocument *document, const Document *text)
{
  const Snapshot *snapshot = document->snapshot;
  return snapshot && snapshot_document(snapshot) == text && snapshot_target(snapshot) == target_of(document);
}

static Request *take_first_waiting(OpenDocument *document)
{
  Request *request = document->waiting.items[0];
  document->waiting.count--;
  memmove(document->waiting.items, document->waiting.items + 1,
          document->waiting.count * sizeof(*document->waiting.items));
  return request;
}

// Serves the requests at the head of the line that can be served, and drops those that were cancelled.
static void serve_waiting(OpenDocument *document)
{
  while (document->waiting.count > 0) {
    const Request *first = document->waiting.items[0];
    if (first->is_answered) {
      request_free(take_first_waiting(document));
    } else if (has_snapshot_of(document, first->text)) {
      Request *request = take_first_waiting(document);
      job_run(request, document);
    } else {
      return;
    }
  }
}

/// Does what can be done for this document now: analysis, waiting requests, diagnostics.
static void pump(OpenDocument *document)
{
  if (workspace_is_waiting(document->session))
    return;
  for (;;) {
    serve_waiting(document);
    if (document->analysis)
      return;
    const Request *first = document->waiting.count > 0 ? document->waiting.items[0] : NULL;
    if (first)
      start(document, first->text, first->cells, first->version);
    else if (document->is_due && !has_snapshot_of(document, document->text))
      start(document, document->text, document->cells, document->version);
    else
      break;
  }
  if (document->is_due) {
    document->is_due = false;
    document->dirty_since = 0;
    document->streak = 0;
    publish_diagnostics(document);
  }
}

static void report_progress(const Analysis *analysis)
{
  if (analysis && analysis->progress && analysis->count > 0)
    progress_report(analysis->progress, atomic_load(&analysis->lowered) * 100 / analysis->count);
}

static void pump_visited(Str uri, void *value, void *context)
{
  OpenDocument *document = value;
  if (document->due_at > 0 && document->due_at <= uv_now(document->session->loop)) {
    document->due_at = 0;
    document->is_due = !document->is_desynced;
  }
  report_progress(document->analysis);
  pump(document);
}

void analysis_pump_all(Session *session)
{
  if (session->settings_awaited_until > uv_now(session->loop))
    return;
  session->settings_awaited_until = 0;
  if (workspace_is_waiting(session))
    return;
  // Not before somebody needs it: the answer to initialize comes first, and it comes at once.
  if (session->settings_changed && (session->is_initialized || map_count(session->documents) > 0))
    workspace_apply_changes(session);
  map_each(session->documents, pump_visited, session);
}

void analysis_await(OpenDocument *document, Request *request)
{
  request->text = document_retain(document->text);
  request->cells = cells_retain(document->cells);
  request->version = document->version;
  request->text_stamp = document->stamp;
  vec_push(&document->waiting, request);
  if (document->session->settings_changed && !workspace_is_waiting(document->session))
    workspace_apply_changes(document->session);
  pump(document);
}

// How long to wait for more edits: next to nothing as long as diagnostics keep up with typing, and longer the costlier
// an analysis is and the more edits came without one before this.
static uint64_t delay_of(const OpenDocument *document)
{
  double delay = DELAY_MIN_MS + (document->streak - 1) * document->cost_ms / 4;
  return delay < DELAY_MAX_MS ? (uint64_t)delay : DELAY_MAX_MS;
}

void analysis_plan(OpenDocument *document, bool is_edit)
{
  uint64_t now = uv_now(document->session->loop);
  if (!is_edit) {
    document->due_at = now > 0 ? now : 1;
    return;
  }
  document->streak++;
  if (document->dirty_since == 0)
    document->dirty_since = now > 0 ? now : 1;
  uint64_t deadline = document->dirty_since + DELAY_MAX_MS;
  uint64_t wanted = now + delay_of(document);
  document->due_at = wanted < deadline ? wanted : deadline;
}

void analysis_abandon(OpenDocument *document)
{
  if (document->analysis) {
    atomic_store(&document->analysis->cancelled, true);
    document->analysis->document = NULL;
    document->analysis = NULL;
  }
  publish_abandon(document);
  document->is_due = false;
  document->due_at = 0;
  while (document->waiting.count > 0) {
    Request *request = take_first_waiting(document);
    if (!request->is_answered)
      request_reply(request, str_from(request->feature->empty));
    request_free(request);
  }
}

static void find_next_due(Str uri, void *value, void *context)
{
  const OpenDocument *document = value;
  uint64_t *due = context;
  uint64_t mine = document->due_at;
  if (document->analysis && document->analysis->progress)
    mine = uv_now(document->session->loop) + PROGRESS_MS;
  if (mine > 0 && (*due == 0 || mine < *due))
    *due = mine;
}

uint64_t analysis_next_due(const Session *session)
{
  uint64_t due = 0;
  map_each(session->documents, find_next_due, &due);
  return due;
}
