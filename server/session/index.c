// The index of the workspace: which symbolic functions its Python files register, which operators its dumps use. Files
// on disk are read on the pool; of an open document its snapshot counts.
#include <stdlib.h>

#include "analysis/workspace.h"
#include "session/file_scan.h"
#include "session/log.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

struct Scan {
  uv_work_t work;
  Session *session;
  Vec(char *) paths;  ///< Folders and files.
  atomic_bool cancelled;
  FileScan files;
  Progress *progress;
};

/// On the pool.
static void run_scan(uv_work_t *work)
{
  Scan *scan = work->data;
  for (size_t i = 0; i < scan->paths.count && !atomic_load(&scan->cancelled); i++)
    file_scan_add(&scan->files, scan->paths.items[i], &scan->cancelled);
}

static void collect_file(Str uri, void *value, void *context)
{
  Vec(WorkspaceFile *) *files = context;
  vec_push(files, (WorkspaceFile *)value);
}

/// Puts the summaries together again.
static void rebuild(Session *session)
{
  Vec(WorkspaceFile *) files = { 0 };
  map_each(session->index, collect_file, &files);
  workspace_release(session->workspace);
  session->workspace = workspace_new(files.items, files.count);
  vec_free(&files);
}

/// Takes over `file` (may be NULL); says whether other operators are supported now.
static bool put_file(Session *session, Str uri, WorkspaceFile *file)
{
  WorkspaceFile *before = file ? map_put(session->index, uri, file) : map_remove(session->index, uri);
  bool is_same = workspace_file_same_support(before, file);
  workspace_file_release(before);
  return !is_same;
}

static void settle(Session *session, bool support_changed)
{
  rebuild(session);
  if (support_changed)
    workspace_apply_symbolics(session);
}

static void free_scan(Scan *scan)
{
  for (size_t i = 0; i < scan->paths.count; i++)
    free(scan->paths.items[i]);
  vec_free(&scan->paths);
  file_scan_done(&scan->files);
  progress_end(scan->progress);
  free(scan);
}

static void take_results(Session *session, Scan *scan)
{
  bool changed = false;
  size_t next = 0;
  for (size_t i = 0; i < scan->files.read.count; i++) {
    Str uri = str_from(scan->files.read.items[i]);
    WorkspaceFile *file = NULL;
    // Both lists are in the same order.
    if (next < scan->files.found.count && str_equal(scan->files.found.items[next]->uri, uri)) {
      file = scan->files.found.items[next];
      scan->files.found.items[next++] = NULL;
    }
    if (sync_find(session, uri))
      workspace_file_release(file);  // What the editor has counts.
    else
      changed |= put_file(session, uri, file);
  }
  log_line(LOG_INFO, "index: %zu files read, %zu of interest", scan->files.read.count, next);
  settle(session, changed);
}

static void after_scan(uv_work_t *work, int status)
{
  Scan *scan = work->data;
  Session *session = scan->session;
  for (size_t i = 0; i < session->scans.count; i++) {
    if (session->scans.items[i] == scan)
      session->scans.items[i] = session->scans.items[--session->scans.count];
  }
  if (!atomic_load(&scan->cancelled))
    take_results(session, scan);
  free_scan(scan);
  session_wake(session);
}

static Scan *new_scan(Session *session)
{
  Scan *scan = xcalloc(1, sizeof(*scan));
  scan->session = session;
  scan->work.data = scan;
  return scan;
}

/// Consumes the scan.
static void start_scan(Scan *scan)
{
  Session *session = scan->session;
  if (session->is_stopping || scan->paths.count == 0) {
    free_scan(scan);
    return;
  }
  vec_push(&session->scans, scan);
  uv_queue_work(session->loop, &scan->work, run_scan, after_scan);
}

void index_start(Session *session)
{
  Scan *scan = new_scan(session);
  for (size_t i = 0; i < session->folders.count; i++) {
    const Folder *folder = &session->folders.items[i];
    if (!folder->path || !folder->wants_index)
      continue;
    vec_push(&scan->paths, xstrdup_str(str_from(folder->path)));
    // torch's own functions, for going to them: they lie below a source root.
    static const char *const places[] = { "torch/onnx", "onnx" };
    for (size_t k = 0; folder->target && k < folder->target->source_root_count; k++) {
      for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
        Arena arena = { 0 };
        Str path = path_join(folder->target->source_roots[k], str_from(places[p]), &arena);
        vec_push(&scan->paths, xstrdup_str(path));
        arena_done(&arena);
      }
    }
  }
  if (scan->paths.count > 0)
    scan->progress = progress_new(session, "Looking for symbolic functions");
  start_scan(scan);
}

void index_take(OpenDocument *document)
{
  Session *session = document->session;
  Snapshot *snapshot = document->snapshot;
  DocumentKind kind = snapshot ? snapshot_kind(snapshot) : DOC_UNKNOWN;
  bool is_dump = kind == DOC_TORCH_IR;
  Str uri = str_from(document->uri);
  // Counting the operators of a large dump takes longer than a keystroke may; they are counted when it is opened.
  if ((kind != DOC_PYTHON && !is_dump) || (is_dump && map_get(session->index, uri) && document->streak > 0))
    return;
  WorkspaceFile *before = map_get(session->index, uri);
  WorkspaceFile *file = workspace_file_new(snapshot);
  if (!before && !file)
    return;
  if (!is_dump && workspace_file_same_symbolics(before, file)) {
    workspace_file_release(file);
    return;
  }
  settle(session, put_file(session, uri, file));
}

void index_read_file(Session *session, Str uri)
{
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  const Folder *folder = workspace_folder(session, path);
  if (path.len > 0 && folder->path && folder->wants_index) {
    Scan *scan = new_scan(session);
    vec_push(&scan->paths, xstrdup_str(path));
    start_scan(scan);
  } else if (map_get(session->index, uri)) {
    settle(session, put_file(session, uri, NULL));
  }
  arena_done(&arena);
}

void index_stop(Session *session)
{
  for (size_t i = 0; i < session->scans.count; i++)
    atomic_store(&session->scans.items[i]->cancelled, true);
}

static void release_file(Str uri, void *value, void *context)
{
  workspace_file_release(value);
}

void index_done(Session *session)
{
  map_each(session->index, release_file, NULL);
  map_free(session->index);
  workspace_release(session->workspace);
  vec_free(&session->scans);
}
