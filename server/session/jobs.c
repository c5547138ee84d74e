// Features at work: light ones here and now, heavy ones on the pool with all they need in their hands.
#include <unistd.h>

#include "host/lastwords.h"
#include "host/read_file.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

enum {
  SMALL_DOCUMENT = 64 * 1024,        // Below this even heavy features take no time.
  CLOSED_DOCUMENT = 4 * 1024 * 1024  // A larger file is not read for one request.
};

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

// Writes the whole reply; runs on any thread.
static void answer(Request *request)
{
  Session *session = request->session;
  FileCache cache = { .seen = map_new(), .arena = &request->arena };
  FeatureCall call = {
    .answer = { .snapshot = request->snapshot, .client = &session->client, .arena = &request->arena },
    .feature = { .snapshot = request->snapshot,
                 .arena = &request->arena,
                 .cancelled = &request->cancelled,
                 .file_exists = file_exists,
                 .file_exists_context = &cache,
                 .workspace = request->workspace },
    .params = &request->params,
    .request = request,
  };
  last_words_begin(message_method(request->message), snapshot_uri(request->snapshot),
                   snapshot_version(request->snapshot));
  Writer writer = request_begin_reply(request);
  request->method->answer(&call, &writer);
  last_words_end();
  map_free(cache.seen);
}

static void keep_tokens(Request *request)
{
  OpenDocument *document = sync_find(request->session, request->params.uri);
  if (!document || !request->tokens_after)
    return;
  token_data_release(document->tokens);
  document->tokens = request->tokens_after;
  request->tokens_after = NULL;
}

static void finish(Request *request)
{
  if (!request->is_answered) {
    keep_tokens(request);
    request_end_reply(request);
  }
  request_free(request);
}

static void run_on_pool(uv_work_t *work)
{
  Request *request = work->data;
  if (!atomic_load(&request->cancelled))
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

void job_run(Request *request, Snapshot *snapshot)
{
  Session *session = request->session;
  OpenDocument *document = sync_find(session, request->params.uri);
  request->snapshot = snapshot_retain(snapshot);
  request->workspace = workspace_retain(index_workspace(session));
  request->result_id = session->next_stamp++;
  request->tokens_before = document ? token_data_retain(document->tokens) : NULL;
  if (request->method->kind == RUN_LIGHT || document_length(request->text) <= SMALL_DOCUMENT) {
    answer(request);
    finish(request);
    return;
  }
  vec_push(&session->jobs, request);
  job_start_waiting(session);
}

static Document *read_closed(const char *path)
{
  Buffer text = { 0 };
  Document *document = NULL;
  if (read_whole_file(path, CLOSED_DOCUMENT, &text) != OK || document_new(buffer_str(&text), &document) != OK)
    document = NULL;
  buffer_done(&text);
  return document;
}

bool job_run_closed(Request *request)
{
  Session *session = request->session;
  Str uri = request->params.uri;
  if (!index_has(session, uri))
    return false;
  Str path = arena_copy(&request->arena, path_normalize(uri_to_path(uri, &request->arena), &request->arena));
  const Folder *folder = workspace_folder(session, path);
  Document *document = read_closed(path.data);
  if (!document)
    return false;
  SnapshotInput input = { .uri = uri, .version = VERSION_UNKNOWN, .document = document, .target = folder->target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  request->text = document;
  request->target_stamp = folder->stamp;
  job_run(request, snapshot);
  snapshot_release(snapshot);
  return true;
}
