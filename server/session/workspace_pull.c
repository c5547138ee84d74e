#include "session/workspace_pull.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/limits.h"
#include "host/files.h"
#include "host/lastwords.h"
#include "lsp/diagnostics_json.h"
#include "onnx_model/editor_text.h"
#include "session/progress.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

enum {
  BATCH_BYTES = 4 * 1024 * 1024,  ///< Of texts: a client hears of what was found about ten times a second.
  BATCH_FILES = 64,
};

typedef struct PulledFile {
  char *path;
  size_t size;
} PulledFile;

struct PulledFiles {
  uint64_t stamp;  ///< Session.world_stamp when they were found.
  Vec(PulledFile) items;
};

/// What a pull has to report.
typedef struct PullItem {
  Str uri;
  Str previous;            ///< Result that the client has; empty for none.
  Str result_id;           ///< Of an open document; that of a file is made when it is looked at.
  Snapshot *snapshot;      ///< Retained; of an open document.
  const PulledFile *file;  ///< Else.
  Target *target;          ///< Retained; of a file.
  uint64_t stamp;          ///< Folder.stamp of the target.
} PullItem;

typedef enum PullStep {
  PULL_WAITS,
  PULL_WALKS,
  PULL_CHECKS,
} PullStep;

struct WorkspacePull {
  uv_work_t work;
  Request *request;
  PullStep step;
  bool is_running;     ///< On the pool.
  uint64_t stamp;      ///< Session.world_stamp when it began.
  PulledFiles *files;  ///< Owned; from an earlier pull, or of this walk.
  FileList found;
  Vec(char *) roots;
  Vec(PullItem) items;
  size_t next;      ///< The first item that was not looked at.
  size_t bytes;     ///< Of files that were read in this batch.
  Map *previous;    ///< URI to the client's entry, for what is not reported yet.
  Buffer reports;   ///< Those that were not sent, an open array.
  Writer writer;    ///< Writes them.
  bool has_report;  ///< There is one in it.
  Progress *progress;
};

void pulled_files_free(PulledFiles *files)
{
  if (!files)
    return;
  for (size_t i = 0; i < files->items.count; i++) {
    free(files->items.items[i].path);
  }
  vec_free(&files->items);
  free(files);
}

void workspace_pull_note_change(Session *session)
{
  session->world_stamp++;
}

// --- Reports ---

static void start_reports(WorkspacePull *pull)
{
  pull->reports.len = 0;
  pull->writer = (Writer){ .out = &pull->reports };
  writer_open(&pull->writer, '[');
  pull->has_report = false;
}

/// Leaves an object open for its `items`. No version and no result where there is none.
static void begin_report(WorkspacePull *pull, const char *kind, Str uri, int64_t version, Str result_id)
{
  Writer *writer = &pull->writer;
  writer_open(writer, '{');
  writer_member_str(writer, "kind", str_from(kind));
  writer_member_str(writer, "uri", uri);
  writer_key(writer, "version");
  if (version == VERSION_UNKNOWN)
    writer_null(writer);
  else
    writer_int(writer, version);
  if (result_id.len > 0)
    writer_member_str(writer, "resultId", result_id);
  pull->has_report = true;
}

static void write_empty(WorkspacePull *pull, Str uri)
{
  begin_report(pull, "full", uri, VERSION_UNKNOWN, (Str){ 0 });
  writer_key(&pull->writer, "items");
  writer_raw(&pull->writer, STR("[]"));
  writer_close(&pull->writer, '}');
}

static void write_full(WorkspacePull *pull, const PullItem *item, const Snapshot *snapshot, Str result, Arena *arena)
{
  Request *request = pull->request;
  const ClientCapabilities *client = &request->session->client;
  lastwords_begin(message_method(request->message), item->uri, snapshot_version(snapshot));
  DiagnosticList list = diagnostics_unless(&request->cancelled, snapshot, arena);
  DiagnosticList shown = diagnostics_shown(snapshot, &list, arena);
  begin_report(pull, "full", item->uri, snapshot_version(snapshot), result);
  writer_key(&pull->writer, "items");
  diagnostics_write(&pull->writer, snapshot, NULL, &shown, client, arena);
  writer_close(&pull->writer, '}');
  lastwords_end();
}

static void send_reports(WorkspacePull *pull)
{
  const Value *token = pull->request->params.partial_token;
  if (!token || !pull->has_report)
    return;
  writer_close(&pull->writer, ']');
  Buffer body = { 0 };
  Writer writer = client_begin_notification("$/progress", &body);
  char *token_text = value_dump(token);
  writer_open(&writer, '{');
  writer_key(&writer, "token");
  writer_raw(&writer, str_from(token_text));
  writer_key(&writer, "value");
  writer_open(&writer, '{');
  writer_key(&writer, "items");
  writer_raw(&writer, buffer_str(&pull->reports));
  writer_close(&writer, '}');
  writer_close(&writer, '}');
  client_end_notification(pull->request->session, &body);
  free(token_text);
  start_reports(pull);
}

// --- Looking at files, on the pool ---

/// The state of a file, and what it is checked against.
static Str result_of(const struct stat *info, uint64_t stamp, Arena *arena)
{
  return arena_printf(arena, "%llx.%llx.%llx.%llx.%llu", (unsigned long long)info->st_mtim.tv_sec,
                      (unsigned long long)info->st_mtim.tv_nsec, (unsigned long long)info->st_ctim.tv_nsec,
                      (unsigned long long)info->st_size, (unsigned long long)stamp);
}

/// Of a binary model the text that an editor shows.
static Status read_document(const PullItem *item, bool is_model, Document **ret_document)
{
  FoundFile file = { .path = item->file->path, .size = item->file->size };
  char *text;
  size_t len;
  Arena arena = { 0 };
  Status status;
  if (is_model)
    status = document_new(model_editor_text(str_from(file.path), &arena), ret_document);
  else if ((status = files_read(&file, SCAN_SIZE_LIMIT, &text, &len)) == OK)
    status = document_new_taking(text, len, ret_document);
  arena_done(&arena);
  return status;
}

static Snapshot *read_item(WorkspacePull *pull, const PullItem *item)
{
  Document *document;
  bool is_model = files_is_model(item->file->path);
  if (read_document(item, is_model, &document) != OK)
    return NULL;
  pull->bytes += document_length(document);
  SnapshotInput input = { .uri = item->uri,
                          .version = VERSION_UNKNOWN,
                          .language_id = is_model ? STR("onnx-text") : (Str){ 0 },
                          .document = document,
                          .target = item->target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  document_release(document);
  return snapshot;
}

static void look_at(WorkspacePull *pull, const PullItem *item)
{
  Arena arena = { 0 };
  struct stat info;
  Str result = item->result_id;
  if (item->file && stat(item->file->path, &info) == 0)
    result = result_of(&info, item->stamp, &arena);
  bool is_unchanged = result.len > 0 && str_equal(item->previous, result);
  Snapshot *snapshot = item->snapshot ? snapshot_retain(item->snapshot) : NULL;
  if (item->file && !is_unchanged)
    snapshot = read_item(pull, item);
  if (is_unchanged) {
    begin_report(pull, "unchanged", item->uri, snapshot ? snapshot_version(snapshot) : VERSION_UNKNOWN, result);
    writer_close(&pull->writer, '}');
  } else if (snapshot) {
    write_full(pull, item, snapshot, result, &arena);
  } else if (item->previous.len > 0) {
    write_empty(pull, item->uri);  // It was there before.
  }
  snapshot_release(snapshot);
  arena_done(&arena);
}

static void run_on_pool(uv_work_t *work)
{
  WorkspacePull *pull = work->data;
  const atomic_bool *cancelled = &pull->request->cancelled;
  if (pull->step == PULL_WALKS) {
    for (size_t i = 0; i < pull->roots.count && !atomic_load(cancelled); i++)
      files_find(&pull->found, pull->roots.items[i]);
    return;
  }
  pull->bytes = 0;
  size_t end = pull->next + BATCH_FILES < pull->items.count ? pull->next + BATCH_FILES : pull->items.count;
  while (pull->next < end && pull->bytes < BATCH_BYTES && !atomic_load(cancelled))
    look_at(pull, &pull->items.items[pull->next++]);
}

static void after_run(uv_work_t *work, int status)
{
  WorkspacePull *pull = work->data;
  Session *session = pull->request->session;
  pull->is_running = false;
  session_wake(session);
  if (session->is_stopping)
    workspace_pull_turn(session);  // There are no turns any more.
}

static void start_running(WorkspacePull *pull)
{
  pull->is_running = true;
  pull->work.data = pull;
  uv_queue_work(pull->request->session->loop, &pull->work, run_on_pool, after_run);
}

// --- What there is to report ---

/// What the client has of it, which is then not gone.
static Str take_previous(WorkspacePull *pull, Str uri)
{
  Str previous = { 0 };
  value_to_str(value_get(map_remove(pull->previous, uri), "value"), &previous);
  return previous;
}

static void add_open(Str key, void *value, void *context)
{
  const OpenDocument *document = value;
  WorkspacePull *pull = context;
  const Folder *folder = workspace_folder(document->session, str_from(document->path));
  Arena *arena = &pull->request->arena;
  Str uri = workspace_uri(str_from(document->uri), arena);
  Str previous = take_previous(pull, uri);
  bool is_current =
      document->snapshot && !document->is_desynced && folder->path && document->path[0] &&
      snapshot_document(document->snapshot) == document->text &&
      snapshot_target(document->snapshot) == workspace_target(document->session, str_from(document->path));
  // Cells are asked for one by one, and what is made of its text will be asked for again.
  if (document->notebook || !is_current)
    return;
  PullItem item = { .uri = arena_copy(arena, str_from(document->uri)), .previous = previous };
  item.snapshot = snapshot_retain(document->snapshot);
  item.result_id =
      arena_printf(arena, "%llu.%llu.0", (unsigned long long)document->stamp, (unsigned long long)folder->stamp);
  vec_push(&pull->items, item);
}

static void add_file(WorkspacePull *pull, const PulledFile *file)
{
  Session *session = pull->request->session;
  Arena *arena = &pull->request->arena;
  const Folder *folder = workspace_folder(session, str_from(file->path));
  Str uri = uri_from_path(path_normalize(str_from(file->path), arena), arena);
  if (!folder->path || !folder->wants_index || !folder->targets || map_get(session->documents, uri))
    return;
  PullItem item = { .uri = uri, .file = file, .stamp = folder->stamp };
  item.previous = take_previous(pull, workspace_uri(uri, arena));
  item.target = target_retain(workspace_target(session, str_from(file->path)));
  vec_push(&pull->items, item);
}

static int compare_paths(const void *a, const void *b)
{
  return strcmp(((const PulledFile *)a)->path, ((const PulledFile *)b)->path);
}

/// The files of the walk, each once: a folder may be inside another one.
static PulledFiles *files_of_walk(WorkspacePull *pull)
{
  PulledFiles *files = xcalloc(1, sizeof(*files));
  size_t total = 0;
  bool is_cut_short = pull->found.seen > SCAN_ENTRY_LIMIT;
  for (size_t i = 0; i < pull->found.files.count; i++) {
    const FoundFile *found = &pull->found.files.items[i];
    bool has_room = found->size <= SCAN_SIZE_LIMIT && total + found->size <= SCAN_TOTAL_LIMIT &&
                    files->items.count < SCAN_FILE_LIMIT;
    is_cut_short |= !has_room;
    if (!has_room)
      continue;
    total += found->size;
    vec_push(&files->items, (PulledFile){ .path = xstrdup_str(str_from(found->path)), .size = found->size });
  }
  if (is_cut_short)
    client_say_limit(pull->request->session, LIMIT_PULL,
                     "onnxls does not check all files of the workspace: 50,000 entries of a folder, 5,000 files, 32 MB "
                     "a file and 256 MB are the limit");
  return files;
}

static void add_files(WorkspacePull *pull)
{
  vec_sort(&pull->files->items, compare_paths);
  for (size_t i = 0; i < pull->files->items.count; i++) {
    const PulledFile *file = &pull->files->items.items[i];
    if (i == 0 || strcmp(file->path, file[-1].path) != 0)
      add_file(pull, file);
  }
}

static void write_gone(Str uri, void *value, void *context)
{
  WorkspacePull *pull = context;
  Str spelled = uri;
  value_to_str(value_get(value, "uri"), &spelled);
  if (!documents_find(pull->request->session, spelled))
    write_empty(pull, spelled);
}

/// Files may be looked at now.
static void start_checks(WorkspacePull *pull)
{
  Session *session = pull->request->session;
  pull->step = PULL_CHECKS;
  map_each(session->documents, add_open, pull);
  add_files(pull);
  map_each(pull->previous, write_gone, pull);
}

// --- From a request to its answer ---

static void note_previous(WorkspacePull *pull)
{
  const Value *list = pull->request->params.previous_results;
  pull->previous = map_new();
  for (size_t i = 0; i < value_count(list); i++) {
    Str uri;
    if (value_to_str(value_get(value_at(list, i), "uri"), &uri))
      map_put(pull->previous, workspace_uri(uri, &pull->request->arena), (void *)value_at(list, i));
  }
}

static void run_pull(Request *request)
{
  WorkspacePull *pull = xcalloc(1, sizeof(*pull));
  pull->request = request;
  note_previous(pull);
  start_reports(pull);
  if (request->params.progress_token)
    pull->progress = progress_of_token(request->session, request->params.progress_token, "Checking the workspace");
  vec_push(&request->session->pulls, pull);
  session_wake(request->session);
}

static void free_pull(WorkspacePull *pull)
{
  progress_end(pull->progress);
  pulled_files_free(pull->files);
  files_done(&pull->found);
  for (size_t i = 0; i < pull->roots.count; i++)
    free(pull->roots.items[i]);
  vec_free(&pull->roots);
  for (size_t i = 0; i < pull->items.count; i++) {
    snapshot_release(pull->items.items[i].snapshot);
    target_release(pull->items.items[i].target);
  }
  vec_free(&pull->items);
  map_free(pull->previous);
  buffer_done(&pull->reports);
  request_free(pull->request);
  free(pull);
}

static void begin(WorkspacePull *pull)
{
  Session *session = pull->request->session;
  if (session->pulled && session->pulled->stamp == session->world_stamp && session->client.registers_watched_files) {
    pull->files = session->pulled;
    session->pulled = NULL;
    start_checks(pull);
    return;
  }
  pull->found = (FileList){ .languages = IN_CODE | IN_GRAPHS | IN_REQUIREMENTS,
                            .takes_models = true,
                            .cancelled = &pull->request->cancelled,
                            .is_quiet = true,
                            .limit = SCAN_ENTRY_LIMIT };
  for (size_t i = 0; i < session->folders.count; i++) {
    if (session->folders.items[i].path && session->folders.items[i].wants_index)
      vec_push(&pull->roots, xstrdup_str(str_from(session->folders.items[i].path)));
  }
  pull->step = PULL_WALKS;
  start_running(pull);
}

static void reply(WorkspacePull *pull)
{
  Request *request = pull->request;
  send_reports(pull);
  writer_close(&pull->writer, ']');
  Writer writer = request_begin_reply(request);
  writer_open(&writer, '{');
  writer_key(&writer, "items");
  writer_raw(&writer, buffer_str(&pull->reports));
  writer_close(&writer, '}');
  progress_end(pull->progress);
  pull->progress = NULL;
  request_end_reply(request);
}

/// Of the newest pull, so that the next one need not look at the disk if nothing changed.
static void keep_files(WorkspacePull *pull)
{
  Session *session = pull->request->session;
  pulled_files_free(session->pulled);
  session->pulled = pull->files;
  pull->files = NULL;
}

/// True when the pull is over.
static bool go_on(WorkspacePull *pull)
{
  Session *session = pull->request->session;
  if (pull->request->is_answered)
    return true;
  if (session->is_full)
    return false;
  if (pull->step == PULL_WALKS) {
    pull->files = files_of_walk(pull);
    pull->files->stamp = pull->stamp;
    start_checks(pull);
  } else if (pull->step == PULL_WAITS && !workspace_is_waiting(session) && !index_is_busy(session->index)) {
    pull->stamp = session->world_stamp;
    begin(pull);
  }
  if (pull->step != PULL_CHECKS)
    return false;
  send_reports(pull);
  if (pull->progress && pull->items.count > 0)
    progress_report(pull->progress, (unsigned)(pull->next * 100 / pull->items.count));
  if (pull->next < pull->items.count) {
    start_running(pull);
    return false;
  }
  reply(pull);
  keep_files(pull);
  return true;
}

void workspace_pull_turn(Session *session)
{
  for (size_t i = session->pulls.count; i-- > 0;) {
    WorkspacePull *pull = session->pulls.items[i];
    if (pull->is_running || !go_on(pull))
      continue;
    session->pulls.items[i] = *vec_last(&session->pulls);
    session->pulls.count--;
    free_pull(pull);
  }
}

void workspace_pull_stop(Session *session)
{
  workspace_pull_turn(session);
}

const FeatureMethod workspace_pull_methods[] = {
  { .name = "workspace/diagnostic", .empty = "{\"items\":[]}", .read = params_read_workspace_pull, .run = run_pull },
  { 0 },
};
