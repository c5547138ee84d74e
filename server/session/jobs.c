#include "session/jobs.h"

#include <unistd.h>

#include "base/limits.h"
#include "host/lastwords.h"
#include "host/read_file.h"
#include "session/code_actions.h"
#include "session/state.h"
#include "session/target_choices.h"
#include "session/work.h"
#include "text/path.h"
#include "text/uri.h"

/// Features ask about the same few source files again and again; each is looked for once in a call.
typedef struct FileCache {
  Map *seen;
  Arena *arena;
} FileCache;

static char exists_mark;
static char missing_mark;

static bool file_exists(Str path, void *context)
{
  FileCache *cache = context;
  void *mark = map_get(cache->seen, path);
  if (!mark) {
    Str name = arena_copy(cache->arena, path);
    mark = access(name.data, F_OK) == 0 ? &exists_mark : &missing_mark;
    map_put(cache->seen, path, mark);
  }
  return mark == &exists_mark;
}

static bool read_text(Str path, Arena *arena, Str *ret_text)
{
  Buffer text = { 0 };
  Status status = read_whole_file(arena_copy(arena, path).data, CLOSED_FILE_LIMIT, &text);
  if (status == OK)
    *ret_text = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return status == OK;
}

static void write_answer(Request *request, const FeatureContext *context, Writer *writer)
{
  const FeatureMethod *feature = request->feature;
  AnswerContext answer = {
    .snapshot = request->snapshot,
    .client = &request->session->client,
    .params = &request->params,
    .arena = &request->arena,
    .tokens_before = request->tokens_before,
    .ret_tokens = &request->tokens_after,
  };
  if (request->snapshot)
    feature_params_resolve(&request->params, request->snapshot, answer.client->encoding, &request->arena);
  feature->compute(context, &request->params, &request->result);
  feature->write(writer, &answer, &request->result);
}

// Writes the whole reply; runs on any thread.
static void answer(Request *request)
{
  Snapshot *snapshot = request->snapshot;
  FileCache cache = { .seen = map_new(), .arena = &request->arena };
  FeatureContext context = {
    .snapshot = snapshot,
    .arena = &request->arena,
    .cancelled = &request->cancelled,
    .file_exists = file_exists,
    .file_exists_context = &cache,
    .read_file = read_text,
    .workspace = request->workspace,
  };
  lastwords_begin(message_method(request->message), request->params.uri,
                  snapshot ? snapshot_version(snapshot) : VERSION_UNKNOWN);
  Writer writer = request_begin_reply(request);
  if (snapshot || request->feature->is_workspace)
    write_answer(request, &context, &writer);
  else
    writer_raw(&writer, str_from(request->feature->empty));
  lastwords_end();
  map_free(cache.seen);
}

static void keep_tokens(Request *request)
{
  OpenDocument *document = documents_find(request->session, request->params.uri);
  if (!document || !request->tokens_after)
    return;
  tokens_data_release(document->tokens);
  document->tokens = request->tokens_after;
  request->tokens_after = NULL;
}

static void finish(Request *request)
{
  if (!request->is_answered) {
    keep_tokens(request);
    if (request->feature->after)
      request->feature->after(request);
    Str refusal = request->feature->refusal ? request->feature->refusal(&request->result) : (Str){ 0 };
    if (refusal.len > 0)
      request_fail(request, RPC_REQUEST_FAILED, arena_copy(&request->arena, refusal).data);
    else
      request_end_reply(request);
  }
  if (request->is_too_large)
    client_say_limit(request->session, LIMIT_CLOSED,
                     "onnxls reads no file over 4 MB for a request unless an editor has it open");
  code_actions_say_limits(request);
  request_free(request);
}

// --- Files that no editor has open ---

static void read_closed(Request *request)
{
  Buffer text = { 0 };
  Document *document = NULL;
  Status status = read_whole_file(request->closed_path.data, CLOSED_FILE_LIMIT, &text);
  request->is_too_large = status == ERR_LIMIT;
  if (status == OK && document_new(buffer_str(&text), &document) == OK) {
    SnapshotInput input = { .uri = request->params.uri, .version = VERSION_UNKNOWN, .document = document };
    input.target = request->closed_target;
    request->snapshot = snapshot_new(&input, NULL);
    document_release(document);
  }
  buffer_done(&text);
}

// --- The pool ---

static void run_on_pool(uv_work_t *work)
{
  Request *request = work->data;
  if (atomic_load(&request->cancelled))
    return;
  if (request->closed_path.len > 0)
    read_closed(request);
  answer(request);
}

static void after_run(uv_work_t *work, int status)
{
  Request *request = work->data;
  Session *session = request->session;
  session->jobs_running--;
  finish(request);
  session_wake(session);
}

void job_start_waiting(Session *session)
{
  while (session->jobs.count > 0 && session->jobs_running < JOB_LIMIT) {
    Request *request = session->jobs.items[0];
    if (!request->is_answered && session->is_full)
      return;
    session->jobs.count--;
    memmove(session->jobs.items, session->jobs.items + 1, session->jobs.count * sizeof(*session->jobs.items));
    if (request->is_answered) {
      request_free(request);
      continue;
    }
    session->jobs_running++;
    request->work.data = request;
    uv_queue_work(session->loop, &request->work, run_on_pool, after_run);
  }
}

static void queue(Request *request)
{
  vec_push(&request->session->jobs, request);
  job_start_waiting(request->session);
}

// --- Where to run ---

static bool fits_loop(const Request *request, const OpenDocument *document)
{
  size_t work = 0;
  size_t limit = CHECK_BYTES;
  switch (request->feature->cost) {
  case COST_PLACE:
  case COST_NAME:
    work = request->feature->cost == COST_NAME ? work_of_name(document) : work_of_place(document);
    limit = LOOP_BYTES;
    break;
  case COST_CHECK:
    work = work_of_check(document);
    break;
  case COST_TEXT:
    work = language_work(snapshot_language(document->snapshot), document_length(request->text));
    break;
  }
  if (work > limit)
    return false;
  work_note(request->session, work);
  return true;
}

void job_run(Request *request, OpenDocument *document)
{
  Session *session = request->session;
  const Folder *folder = workspace_folder(session, str_from(document->path));
  request->snapshot = snapshot_retain(document->snapshot);
  request->workspace = workspace_retain(index_workspace(session));
  request->tokens_before = tokens_data_retain(document->tokens);
  // What is said hangs on the text and on the target, and each has a number.
  const Cell *cell = cells_find(request->cells, request->params.uri);
  request->params.result_id = arena_printf(&request->arena, "%llu.%llu.%u", (unsigned long long)request->text_stamp,
                                           (unsigned long long)folder->stamp, cell ? cell->number : 0);
  if (request->feature->wants_world)
    code_actions_gather(request);
  if (request->feature->wants_choices)
    target_choices_gather(request);
  if (request->feature->reads_files || !fits_loop(request, document)) {
    queue(request);
    return;
  }
  answer(request);
  finish(request);
}

bool job_run_closed(Request *request)
{
  Session *session = request->session;
  Str uri = request->params.uri;
  Str path = path_normalize(uri_to_path(uri, &request->arena), &request->arena);
  const Target *target = workspace_target(session, path);
  if (!index_has(session, uri) || !target || path.len == 0)
    return false;
  request->closed_path = arena_copy(&request->arena, path);
  request->closed_target = target_retain(target);
  request->workspace = workspace_retain(index_workspace(session));
  queue(request);
  return true;
}

void job_run_workspace(Request *request)
{
  request->workspace = workspace_retain(index_workspace(request->session));
  queue(request);
}
