// The index of the workspace: which symbolic functions its Python files register, which operators its dumps use. Files
// on disk are read on the pool; of an open document its snapshot counts.
//
// One scan runs at a time. What changes meanwhile is read after it, so an older text never wins over a newer one; and
// thousands of changes at once (another branch is checked out) become one scan.
#include "session/index.h"

#include <stdlib.h>

#include "base/limits.h"
#include "host/file_scan.h"
#include "host/files.h"
#include "host/log.h"
#include "session/index_imports.h"
#include "session/progress.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

/// What folders are searched for.
enum { INDEXED = IN_CODE | IN_SOURCES | IN_GRAPHS };

typedef struct Scan {
  uv_work_t work;
  Session *session;
  Vec(char *) paths;  ///< Folders and files.
  Workspace *known;   ///< What is known when it begins; NULL for nothing.
  Map *wanted;        ///< Those of `paths` whose names other files import; NULL for none.
  char *roots;        ///< As Index.roots: what those paths have to be below; NULL if they are the roots themselves.
  atomic_bool cancelled;
  FileScan files;
  Progress *progress;
} Scan;

struct Index {
  Map *files;         ///< URI to WorkspaceFile, retained.
  Scan *scan;         ///< On the pool; NULL if none is.
  char *roots;        ///< What is covered, a path a line...
  char *left_out;     ///< ...but for these folders inside of it.
  unsigned due;       ///< ScanKinds that the roots have to be searched for.
  Map *changed;       ///< Paths that have to be read.
  Map *wanted;        ///< Paths, there or not, of files whose names other files import.
  Vec(char *) order;  ///< Those paths.
  bool is_stale;      ///< Session.workspace is older than the files.
  bool has_untold;    ///< Some open document is.
};

Index *index_new(void)
{
  Index *index = xcalloc(1, sizeof(*index));
  index->files = map_new();
  index->changed = map_new();
  index->wanted = map_new();
  return index;
}

static void release_file(Str uri, void *value, void *context)
{
  workspace_file_release(value);
}

static void forget_changed(Index *index)
{
  for (size_t i = 0; i < index->order.count; i++)
    free(index->order.items[i]);
  vec_free(&index->order);
  map_free(index->changed);
  index->changed = NULL;
}

void index_free(Index *index)
{
  if (!index)
    return;
  map_each(index->files, release_file, NULL);
  map_free(index->files);
  forget_changed(index);
  map_free(index->wanted);
  free(index->roots);
  free(index->left_out);
  free(index);
}

bool index_is_busy(const Index *index)
{
  return index->scan != NULL;
}

// --- What is known ---

static void collect_file(Str uri, void *value, void *context)
{
  Vec(WorkspaceFile *) *files = context;
  vec_push(files, (WorkspaceFile *)value);
}

const Workspace *index_workspace(Session *session)
{
  Index *index = session->index;
  index_take_waiting(session);
  if (!index->is_stale)
    return session->workspace;
  Vec(WorkspaceFile *) files = { 0 };
  map_each(index->files, collect_file, &files);
  workspace_release(session->workspace);
  session->workspace = workspace_new(files.items, files.count);
  vec_free(&files);
  index->is_stale = false;
  return session->workspace;
}

bool index_has(const Session *session, Str uri)
{
  Arena arena = { 0 };
  bool has = map_get(session->index->files, workspace_uri(uri, &arena)) != NULL;
  arena_done(&arena);
  return has;
}

typedef struct Change {
  bool support;    ///< Other operators are supported.
  bool constants;  ///< Names that others import stand for something else.
  bool uses;       ///< Operators are used more or less often.
} Change;

/// Takes over `file`, which may be NULL: nothing to tell.
static Change put_file(Index *index, Str uri, WorkspaceFile *file)
{
  WorkspaceFile *before = file ? map_put(index->files, uri, file) : map_remove(index->files, uri);
  Change change = { !workspace_file_same_support(before, file), !workspace_file_same_constants(before, file),
                    !workspace_file_same_uses(before, file) };
  index->is_stale |= before || file;
  workspace_file_release(before);
  return change;
}

static void add_change(Change *all, Change change)
{
  all->support |= change.support;
  all->constants |= change.constants;
  all->uses |= change.uses;
}

typedef struct OpenFiles {
  Vec(Str) uris;
} OpenFiles;

static void note_open_file(Str uri, void *value, void *context)
{
  const WorkspaceFile *file = value;
  OpenFiles *open = context;
  if (file->is_open)
    vec_push(&open->uris, file->uri);
}

/// Closed files whose registrations depend on names of others are read again; of what an editor has the snapshot will
/// be another one.
static void read_open_files(Session *session)
{
  OpenFiles open = { 0 };
  map_each(session->index->files, note_open_file, &open);
  for (size_t i = 0; i < open.uris.count; i++) {
    if (!map_get(session->documents, open.uris.items[i]))
      index_read_file(session, open.uris.items[i]);
  }
  vec_free(&open.uris);
}

static void settle(Session *session, Change change)
{
  if (change.constants)
    read_open_files(session);
  if (change.support)
    workspace_apply_symbolics(session);
  if (change.support || change.uses)
    workspace_refresh_lenses(session);
}

// --- Scans ---

/// True when reading the roots comes to the path; asks the file system.
static bool is_walked(const char *roots, const char *path, bool is_wanted)
{
  Arena arena = { 0 };
  bool is_found = false;
  for (Str rest = str_from(roots); rest.len > 0 && !is_found;)
    is_found = files_is_walked(arena_copy(&arena, str_take(&rest, '\n')).data, path, INDEXED, is_wanted);
  arena_done(&arena);
  return is_found;
}

/// On the pool.
static void run_scan(uv_work_t *work)
{
  Scan *scan = work->data;
  for (size_t i = 0; i < scan->paths.count && !atomic_load(&scan->cancelled); i++) {
    const char *path = scan->paths.items[i];
    bool is_wanted = scan->wanted && map_get(scan->wanted, str_from(path));
    if (scan->roots && !is_walked(scan->roots, path, is_wanted))
      file_scan_skip(&scan->files, path);
    else if (is_wanted)
      file_scan_add_wanted(&scan->files, path);
    else
      file_scan_add(&scan->files, path);
  }
}

static void free_scan(Scan *scan)
{
  for (size_t i = 0; i < scan->paths.count; i++)
    free(scan->paths.items[i]);
  vec_free(&scan->paths);
  free(scan->roots);
  map_free(scan->wanted);
  file_scan_done(&scan->files);
  workspace_release(scan->known);
  progress_end(scan->progress);
  free(scan);
}

typedef struct Cleanup {
  Index *index;
  Map *open;
  Map *leaves;  ///< URIs below which there is nothing; NULL to forget everything.
  Change change;
} Cleanup;

static bool is_below_one(Str uri, const Map *leaves)
{
  for (size_t i = uri.len; i-- > 0;) {
    if (uri.data[i] == '/' && map_get(leaves, str_slice(uri, 0, i)))
      return true;
  }
  return false;
}

static void forget_file(Str uri, void *value, void *context)
{
  Cleanup *cleanup = context;
  if (map_get(cleanup->open, uri) || (cleanup->leaves && !is_below_one(uri, cleanup->leaves)))
    return;
  WorkspaceFile *file = value;
  add_change(&cleanup->change,
             (Change){ !workspace_file_same_support(file, NULL), !workspace_file_same_constants(file, NULL),
                       !workspace_file_same_uses(file, NULL) });
  cleanup->index->is_stale = true;
  map_remove(cleanup->index->files, uri);
  workspace_file_release(file);
}

/// Forgets what is below these, or everything (NULL): what the editor has stays.
static Change forget_below(Session *session, Map *open, Map *leaves)
{
  Cleanup cleanup = { .index = session->index, .open = open, .leaves = leaves };
  map_each(session->index->files, forget_file, &cleanup);
  return cleanup.change;
}

/// Of a notebook what the disk has counts: its places are in the file.
static void add_open(Str uri, void *value, void *context)
{
  const OpenDocument *document = value;
  if (document->notebook)
    return;
  Arena arena = { 0 };
  map_put(context, workspace_uri(uri, &arena), value);
  arena_done(&arena);
}

/// The open documents by the URIs of the index.
static Map *open_documents(Session *session)
{
  Map *open = map_new();
  map_each(session->documents, add_open, open);
  return open;
}

/// A folder inside another one may not want to be looked at.
static bool wants_path(const Session *session, Str path)
{
  const Folder *folder = workspace_folder(session, path);
  return !folder->path || folder->wants_index;
}

static bool wants_file(const Session *session, Str uri)
{
  Arena arena = { 0 };
  bool is_wanted = wants_path(session, uri_to_path(uri, &arena));
  arena_done(&arena);
  return is_wanted;
}

/// A file that ended another server is not read: people have to know, as what it tells the others is missing.
static void say_crashed(Session *session, const FileScan *files)
{
  if (files->crashed.count == 0 || (session->limits_said & LIMIT_CRASHED))
    return;
  session->limits_said |= LIMIT_CRASHED;
  client_show(session, SHOW_WARNING,
              "onnxls crashed when it read %s, and leaves that file out until it changes. This is a bug of onnxls: "
              "please report it, with the file if you can.",
              files->crashed.items[0]);
}

static void take_silent(Str uri, void *value, void *context);

static void want_file(Index *index, Str uri)
{
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  if (path.len > 0)
    map_put(index->wanted, path, index);
  arena_done(&arena);
}

static void take_results(Session *session, Scan *scan)
{
  Map *open = open_documents(session);
  Map *leaves = map_new();
  Change change = { 0 };
  size_t found = 0;
  for (size_t i = 0; i < scan->files.files.count; i++) {
    ScannedFile *scanned = &scan->files.files.items[i];
    Str uri = str_from(scanned->uri);
    if (scanned->is_leaf)
      map_put(leaves, uri, leaves);
    if (scanned->is_wanted)
      want_file(session->index, uri);
    if (map_get(open, uri) || !wants_file(session, uri))
      continue;
    found += scanned->summary != NULL;
    add_change(&change, put_file(session->index, uri, scanned->summary));
    scanned->summary = NULL;
  }
  if (map_count(leaves) > 0)
    add_change(&change, forget_below(session, open, leaves));
  map_free(leaves);
  map_free(open);
  log_line(LOG_INFO, "index: %zu files read, %zu of interest%s", scan->files.read, found,
           scan->files.is_cut_short ? "; there are more than are read" : "");
  if (scan->files.is_cut_short)
    client_say_limit(session, LIMIT_INDEX,
                     "onnxls does not read all files of the workspace: 50,000 entries of a folder, 5,000 files or "
                     "256 MB are the limit");
  say_crashed(session, &scan->files);
  settle(session, change);
  map_each(session->documents, take_silent, NULL);
}

static void start_next(Session *session);

static void after_scan(uv_work_t *work, int status)
{
  Scan *scan = work->data;
  Session *session = scan->session;
  session->index->scan = NULL;
  if (!atomic_load(&scan->cancelled))
    take_results(session, scan);
  free_scan(scan);
  start_next(session);
  session_wake(session);
}

static void take_roots(Index *index, Scan *scan, unsigned kinds)
{
  scan->files.languages = kinds;
  index->due &= ~kinds;
  for (Str rest = str_from(index->roots); rest.len > 0;)
    vec_push(&scan->paths, xstrdup_str(str_take(&rest, '\n')));
}

/// No more than a scan may read; the rest is the next one's.
static void take_changed(Session *session, Scan *scan)
{
  Index *index = session->index;
  size_t count = index->order.count < CHANGED_FILE_LIMIT ? index->order.count : CHANGED_FILE_LIMIT;
  scan->files.languages = INDEXED;
  scan->known = workspace_retain(index_workspace(session));
  scan->files.known = scan->known;
  scan->roots = xstrdup_str(str_from(index->roots));
  vec_append(&scan->paths, index->order.items, count);
  scan->wanted = map_new();
  for (size_t i = 0; i < count; i++) {
    Str path = str_from(index->order.items[i]);
    map_remove(index->changed, path);
    if (map_get(index->wanted, path))
      map_put(scan->wanted, path, scan);
  }
  index->order.count -= count;
  memmove(index->order.items, index->order.items + count, index->order.count * sizeof(*index->order.items));
}

/// Python files first: what they register changes diagnostics, and what dumps use only a number.
static void start_next(Session *session)
{
  Index *index = session->index;
  bool has_changed = index->order.count > 0;
  if (session->is_stopping || index->scan || (index->due == 0 && !has_changed))
    return;
  Scan *scan = xcalloc(1, sizeof(*scan));
  scan->session = session;
  scan->work.data = scan;
  scan->files.cancelled = &scan->cancelled;
  scan->files.leaves_out_crashed = true;
  if (index->due & IN_CODE) {
    take_roots(index, scan, IN_CODE | IN_SOURCES);
    scan->progress = progress_new(session, "Looking for symbolic functions");
  } else if (has_changed) {
    take_changed(session, scan);
  } else {
    take_roots(index, scan, IN_GRAPHS);
  }
  index->scan = scan;
  uv_queue_work(session->loop, &scan->work, run_scan, after_scan);
}

/// The folders that are searched: those of the workspace, and torch's own functions below source roots, for going to
/// them.
static Str roots_of(const Session *session, Arena *arena)
{
  static const char *const places[] = { "torch/onnx", "onnx" };
  Str roots = STR("");
  for (size_t i = 0; i < session->folders.count; i++) {
    const Folder *folder = &session->folders.items[i];
    if (!folder->path || !folder->wants_index)
      continue;
    roots = arena_printf(arena, "%.*s%s\n", STR_ARG(roots), folder->path);
    const Target *target = folder->targets ? folder_targets_at(folder->targets, str_from(folder->path)) : NULL;
    for (size_t k = 0; target && k < target->source_root_count; k++) {
      for (size_t p = 0; p < COUNT(places); p++) {
        Str path = path_join(target->source_roots[k], str_from(places[p]), arena);
        roots = arena_printf(arena, "%.*s%.*s\n", STR_ARG(roots), STR_ARG(path));
      }
    }
  }
  return roots;
}

/// The folders of the workspace whose files tell nothing, though another folder around them may be searched.
static Str left_out_of(const Session *session, Arena *arena)
{
  Str left_out = STR("");
  for (size_t i = 0; i < session->folders.count; i++) {
    const Folder *folder = &session->folders.items[i];
    if (folder->path && !folder->wants_index)
      left_out = arena_printf(arena, "%.*s%s\n", STR_ARG(left_out), folder->path);
  }
  return left_out;
}

/// Takes the lines over; true if they are others than before.
static bool take_lines(char **lines, Str now)
{
  bool is_same = *lines && str_equal(now, str_from(*lines));
  free(*lines);
  *lines = xstrdup_str(now);
  return !is_same;
}

void index_update(Session *session)
{
  Index *index = session->index;
  Arena arena = { 0 };
  Str roots = roots_of(session, &arena);
  bool is_other = take_lines(&index->roots, roots);
  is_other |= take_lines(&index->left_out, left_out_of(session, &arena));
  if (is_other) {
    Map *open = open_documents(session);
    index->due = roots.len > 0 ? INDEXED : 0;
    index_stop(session);
    settle(session, forget_below(session, open, NULL));
    map_free(open);
    start_next(session);
  }
  arena_done(&arena);
}

// --- Changes ---

/// Not for dumps, whose uses move with the lines before them.
static bool is_same(const WorkspaceFile *before, const WorkspaceFile *file)
{
  bool has_uses = (before && before->use_count > 0) || (file && file->use_count > 0);
  return !has_uses && workspace_file_same_symbolics(before, file);
}

static void take_silent(Str uri, void *value, void *context)
{
  OpenDocument *document = value;
  if (document->snapshot && !snapshot_model(document->snapshot))
    index_take(document);
}

static void tell(OpenDocument *document)
{
  Session *session = document->session;
  Arena arena = { 0 };
  Str uri = workspace_uri(str_from(document->uri), &arena);
  WorkspaceFile *file = workspace_file_new(document->snapshot);
  file = file ? file : index_imports_read(session->index->files, document->snapshot, uri);
  const WorkspaceFile *before = map_get(session->index->files, uri);
  bool imports_others = file && !workspace_file_same_imports(before, file);
  if (is_same(before, file)) {
    workspace_file_release(file);
  } else {
    settle(session, put_file(session->index, uri, file));
    if (imports_others) {
      map_each(session->documents, take_silent, NULL);
      index_imports_want(session, session->index->wanted, uri, file);
    }
  }
  arena_done(&arena);
}

void index_take(OpenDocument *document)
{
  if (document->notebook)
    return;
  document->is_untold = snapshot_is_in(document->snapshot, IN_GRAPHS);
  if (document->is_untold) {
    document->session->index->has_untold = true;
    session_note_work(document->session);
  } else {
    tell(document);
  }
}

static void tell_untold(Str uri, void *value, void *context)
{
  OpenDocument *document = value;
  if (!document->is_untold)
    return;
  document->is_untold = false;
  tell(document);
}

void index_take_waiting(Session *session)
{
  if (!session->index->has_untold)
    return;
  session->index->has_untold = false;
  map_each(session->documents, tell_untold, NULL);
}

void index_read_file(Session *session, Str uri)
{
  Index *index = session->index;
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  path = path.len > 0 ? path_normalize(path, &arena) : path;
  if (path.len == 0 || !wants_path(session, path))
    settle(session, put_file(index, workspace_uri(uri, &arena), NULL));
  else if (!map_put(index->changed, path, index))
    vec_push(&index->order, xstrdup_str(path));
  start_next(session);
  arena_done(&arena);
}

void index_stop(Session *session)
{
  if (session->index->scan)
    atomic_store(&session->index->scan->cancelled, true);
}
