#include "host/file_scan.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "host/crash_list.h"
#include "host/files.h"
#include "host/lastwords.h"
#include "host/parallel.h"
#include "text/path.h"
#include "text/uri.h"

static bool is_cancelled(const FileScan *scan)
{
  return scan->cancelled && atomic_load(scan->cancelled);
}

/// Where the folder of a relative path is, which was looked for already if the file before it was there, too.
static const char *real_folder(FolderName *last, Str folder)
{
  if (!last->folder || !str_equal(str_from(last->folder), folder)) {
    free(last->folder);
    free(last->real);
    last->folder = xstrdup_str(folder);
    last->real = memory_taken(realpath(folder.len > 0 ? last->folder : ".", NULL));
  }
  return last->real;
}

static bool is_link(const char *path)
{
  struct stat info;
  return lstat(path, &info) != 0 || S_ISLNK(info.st_mode);
}

/// The absolute path of a relative one, without links.
static Str real_path(FileScan *scan, const char *path, Arena *arena)
{
  Str text = str_from(path);
  size_t slash = str_rfind_char(text, '/');
  Str name = str_slice(text, slash == STR_NOT_FOUND ? 0 : slash + 1, text.len);
  bool is_plain = name.len > 0 && name.data[0] != '.' && !is_link(path);
  const char *folder =
      is_plain ? real_folder(&scan->last_folder, str_slice(text, 0, slash == STR_NOT_FOUND ? 0 : slash)) : NULL;
  if (folder)
    return path_join(str_from(folder), name, arena);
  char *real = memory_taken(realpath(path, NULL));
  Str copy = real ? arena_copy(arena, str_from(real)) : text;
  free(real);
  return copy;
}

Str file_scan_uri(FileScan *scan, const char *path, Arena *arena)
{
  Str absolute = path_is_absolute(str_from(path)) ? str_from(path) : real_path(scan, path, arena);
  return uri_from_path(path_normalize(absolute, arena), arena);
}

static bool has_room(const FileScan *scan, const FoundFile *file)
{
  return scan->read < SCAN_FILE_LIMIT && scan->total + file->size <= SCAN_TOTAL_LIMIT;
}

static bool has_crashed(const FileScan *scan, const char *path, Str uri)
{
  struct stat info;
  return scan->leaves_out_crashed && crash_list_has(uri, 0) && stat(path, &info) == 0 &&
         crash_list_has(uri, (int64_t)info.st_mtime);
}

static void add_file(FileScan *scan, const FoundFile *file, bool is_leaf)
{
  Arena arena = { 0 };
  ScannedFile scanned = { .uri = xstrdup_str(file_scan_uri(scan, file->path, &arena)),
                          .is_leaf = is_leaf,
                          .known = file->known,
                          .size = file->size };
  if (has_crashed(scan, file->path, str_from(scanned.uri))) {
    vec_push(&scan->crashed, xstrdup_str(str_from(file->path)));
  } else if (file->size <= SCAN_SIZE_LIMIT) {
    scanned.path = xstrdup_str(str_from(file->path));
    scan->total += file->size;
  }
  vec_push(&scan->files, scanned);
  scan->read++;
  arena_done(&arena);
}

static void note_path(FileScan *scan, const char *path, bool is_leaf)
{
  Arena arena = { 0 };
  vec_push(&scan->files, (ScannedFile){ .uri = xstrdup_str(file_scan_uri(scan, path, &arena)), .is_leaf = is_leaf });
  arena_done(&arena);
}

void file_scan_skip(FileScan *scan, const char *path)
{
  note_path(scan, path, true);
}

/// Also false for a folder that may not be looked into.
static bool is_folder(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode) && access(path, R_OK | X_OK) == 0;
}

void file_scan_find_silent(FileScan *scan, const FoundFile *file)
{
  Arena arena = { 0 };
  Str uri = file_scan_uri(scan, file->path, &arena);
  if (!has_crashed(scan, file->path, uri))
    vec_push(&scan->files, ((ScannedFile){ .uri = xstrdup_str(uri),
                                           .path = xstrdup_str(str_from(file->path)),
                                           .known = file->known,
                                           .size = file->size,
                                           .is_silent = true }));
  arena_done(&arena);
}

static void take_file(FileScan *scan, const FoundFile *file, bool is_leaf)
{
  if (file->size > SCAN_SIZE_LIMIT || has_room(scan, file))
    add_file(scan, file, is_leaf);
  else
    scan->is_cut_short = true;
}

void file_scan_take(FileScan *scan, const FoundFile *file)
{
  take_file(scan, file, true);
}

void file_scan_find(FileScan *scan, const char *path)
{
  FileList list = { .languages = scan->languages,
                    .cancelled = scan->cancelled,
                    .is_quiet = true,
                    .keeps_silent = true,
                    .known = scan->known_files,
                    .limit = SCAN_ENTRY_LIMIT };
  files_find(&list, path);
  bool is_file = list.files.count == 1 && list.files.items[0].is_named;
  if (!is_file)
    note_path(scan, path, !is_folder(path));
  scan->is_cut_short |= list.seen > SCAN_ENTRY_LIMIT;
  for (size_t i = 0; i < list.files.count && !is_cancelled(scan); i++)
    take_file(scan, &list.files.items[i], list.files.items[i].is_named);
  for (size_t i = 0; i < list.silent.count; i++)
    file_scan_find_silent(scan, &list.silent.items[i]);
  files_done(&list);
}

typedef struct Reading {
  FileScan *scan;
  const Target *target;
  Vec(size_t) files;   ///< Numbers of those to read.
  bool may_wait;       ///< Until another file names them.
  atomic_size_t kept;  ///< Bytes of files whose snapshots are kept.
} Reading;

/// Which files the text imports, if these may decide what is said of it.
static void note_imports(const FileScan *scan, ScannedFile *file, Str text)
{
  const Language *language = language_searching(str_from(file->path), scan->languages);
  if (file->imports || !language || !language->each_import)
    return;
  file->is_silent |= !language_wants(language, text);
  file->is_passive = !file->is_silent && language->is_passive(text);
  if (file->is_silent ? file->is_wanted : !file->is_passive)
    file->imports = definitions_new_imports(language, text);
}

/// All that sum_file() finds out, from what an earlier run did.
static bool take_known(const FileScan *scan, ScannedFile *file)
{
  const KnownFile *known = file->known;
  const Language *language = language_searching(str_from(file->path), scan->languages);
  if (!known || !known->is_scanned)
    return false;
  bool is_silent = file->is_silent || known->is_silent;
  bool counts = language && language->each_import && (is_silent ? file->is_wanted : !known->is_passive);
  if (counts && !file->imports && !known->has_imports)
    return false;
  if (counts && !file->imports)
    file->imports = definitions_unpack(known->imports);
  file->is_silent = is_silent;
  memcpy(file->sum, known->sum, sizeof(file->sum));
  file->has_sum = true;
  return true;
}

/// What later runs may take.
static void give_known(const FileScan *scan, const ScannedFile *file)
{
  KnownFile *known = file->known;
  if (!known || !file->has_sum || (known->is_scanned && (known->has_imports || !file->imports)))
    return;
  known->has_sum = known->is_scanned = true;
  memcpy(known->sum, file->sum, sizeof(known->sum));
  known->is_silent = file->is_silent;
  known->is_passive = file->is_passive;
  if (file->imports) {
    Buffer imports = { 0 };
    definitions_pack(file->imports, &imports);
    known_files_add_imports(scan->known_files, known, buffer_str(&imports));
    buffer_done(&imports);
  }
  known_files_note(scan->known_files);
}

static void sum_file(void *context, size_t i)
{
  Reading *reading = context;
  ScannedFile *file = &reading->scan->files.items[reading->files.items[i]];
  if (file->path && take_known(reading->scan, file))
    return;
  FoundFile found = { .path = file->path, .size = file->size };
  char *text;
  size_t len;
  if (!file->path || files_read(&found, SCAN_SIZE_LIMIT, &text, &len) != OK)
    return;
  sha256_of(str_make(text, len), file->sum);
  file->has_sum = true;
  note_imports(reading->scan, file, str_make(text, len));
  free(text);
}

/// Whether it holds what it held in file_scan_digest(), if that was asked.
static bool is_as_summed(const FileScan *scan, const ScannedFile *file, Str text)
{
  uint8_t sum[SHA256_BYTES];
  if (!scan->has_digest)
    return true;
  sha256_of(text, sum);
  return memcmp(file->sum, sum, sizeof(sum)) == 0;
}

/// Whether the file is left out until another one imports it, or (if nothing but what is found counts) names what it
/// defines.
static bool is_put_off(const Reading *reading, ScannedFile *file, Str text)
{
  const Language *language = language_searching(str_from(file->path), reading->scan->languages);
  note_imports(reading->scan, file, text);
  bool is_passive =
      reading->may_wait && !file->is_silent && language && language->is_passive && language->is_passive(text);
  file->definitions = is_passive ? definitions_new(language, text) : NULL;
  return is_passive || (file->is_silent && !file->is_wanted);
}

/// Keeps what is checked later; consumes the snapshot.
static void keep_snapshot(Reading *reading, ScannedFile *file, Snapshot *snapshot)
{
  bool is_kept = reading->scan->is_for_check && !file->is_silent && snapshot_model(snapshot) &&
                 snapshot_is_in(snapshot, IN_CODE) &&
                 atomic_fetch_add(&reading->kept, file->size) + file->size <= SCAN_KEPT_LIMIT;
  snapshot_release(file->snapshot);
  file->snapshot = is_kept ? snapshot : NULL;
  if (!is_kept)
    snapshot_release(snapshot);
}

static void read_file(void *context, size_t i)
{
  Reading *reading = context;
  FileScan *scan = reading->scan;
  ScannedFile *file = &scan->files.items[reading->files.items[i]];
  FoundFile found = { .path = file->path, .size = file->size };
  char *text = NULL;
  size_t len = 0;
  Document *document;
  Status status = is_cancelled(scan) ? ERR_IO : files_read(&found, SCAN_SIZE_LIMIT, &text, &len);
  if (status != OK || !is_as_summed(scan, file, str_make(text, len)))
    atomic_store(&scan->has_changed, true);
  if (status == OK && is_put_off(reading, file, str_make(text, len))) {
    free(text);
    return;
  }
  if (status != OK || document_new_taking(text, len, &document) != OK)
    return;
  SnapshotInput input = { .uri = str_from(file->uri),
                          .version = -1,
                          .document = document,
                          .target = reading->target,
                          .is_imported = file->is_silent };
  lastwords_begin(STR(INDEXING_TASK), input.uri, -1);
  Snapshot *snapshot = snapshot_new(&input, file->snapshot);
  WorkspaceFile *before = file->summary;
  file->summary = workspace_file_new(snapshot);
  if (before && file->summary)
    file->summary->is_open = true;  // As it is by itself.
  workspace_file_release(before);
  lastwords_end();
  keep_snapshot(reading, file, snapshot);
  document_release(document);
}

static void note_named(size_t number, void *context)
{
  Reading *reading = context;
  ScannedFile *file = &reading->scan->files.items[number];
  definitions_free(file->definitions);
  file->definitions = NULL;
  file->is_wanted |= file->is_silent;
  vec_push(&reading->files, number);
}

/// Those that are read at first.
static void choose_files(Reading *reading)
{
  for (size_t i = 0; i < reading->scan->files.count; i++) {
    const ScannedFile *file = &reading->scan->files.items[i];
    if (file->path && (!file->is_silent || file->is_wanted))
      vec_push(&reading->files, i);
  }
}

static UnnamedFiles *find_unnamed(const FileScan *scan)
{
  UnnamedFiles *unnamed = unnamed_files_new();
  for (size_t i = 0; i < scan->files.count; i++) {
    const ScannedFile *file = &scan->files.items[i];
    if (file->path && (file->definitions || (file->is_silent && !file->is_wanted)))
      unnamed_files_add(unnamed, i, str_from(file->uri), file->definitions);
  }
  return unnamed;
}

/// Reads the files that were put off and are named or imported by those that were read, and by these in turn.
static void read_named(Reading *reading, ParallelWork read_one)
{
  const FileScan *scan = reading->scan;
  UnnamedFiles *unnamed = find_unnamed(scan);
  Vec(size_t) read = { 0 };
  vec_append(&read, reading->files.items, reading->files.count);
  reading->may_wait = false;
  while (read.count > 0) {
    vec_clear(&reading->files);
    for (size_t i = 0; i < read.count; i++) {
      const ScannedFile *file = &scan->files.items[read.items[i]];
      if (file->summary)
        unnamed_files_take(unnamed, file->summary, note_named, reading);
      if (file->imports)
        unnamed_files_take_imports(unnamed, str_from(file->uri), file->imports, note_named, reading);
    }
    parallel_for(reading->files.count, scan->threads, read_one, reading);
    vec_clear(&read);
    vec_append(&read, reading->files.items, reading->files.count);
  }
  vec_free(&read);
  unnamed_files_free(unnamed);
}

void file_scan_digest(FileScan *scan, Sha256 *sha)
{
  Reading reading = { .scan = scan };
  scan->has_digest = true;
  choose_files(&reading);
  parallel_for(reading.files.count, scan->threads, sum_file, &reading);
  read_named(&reading, sum_file);
  vec_free(&reading.files);
  for (size_t i = 0; i < scan->files.count; i++) {
    give_known(scan, &scan->files.items[i]);
    if (scan->files.items[i].is_silent && !scan->files.items[i].is_wanted)
      continue;
    sha256_add_text(sha, str_from(scan->files.items[i].uri));
    sha256_add(sha, str_make((const char *)scan->files.items[i].sum, SHA256_BYTES));
  }
}

/// Reads those once more that depend on names of other files, now that these are known.
static void read_open(Reading *reading)
{
  FileScan *scan = reading->scan;
  vec_clear(&reading->files);
  for (size_t i = 0; i < scan->files.count; i++) {
    const ScannedFile *file = &scan->files.items[i];
    if (file->path && file->summary && file->summary->is_open)
      vec_push(&reading->files, i);
  }
  if (reading->files.count == 0)
    return;
  Workspace *workspace = file_scan_workspace(scan);
  Target values = { .torch = scan->torch, .torch_is_default = scan->torch.len == 0, .workspace = workspace };
  Target *target = target_new(&values);
  reading->target = target;
  parallel_for(reading->files.count, scan->threads, read_file, reading);
  target_release(target);
  workspace_release(workspace);
}

void file_scan_read(FileScan *scan)
{
  Target any = { .torch = scan->torch, .torch_is_default = scan->torch.len == 0 };
  Target *target = target_new(&any);  // But for the exporter what files tell depends on their text alone.
  Reading reading = { .scan = scan, .target = target, .may_wait = scan->is_for_check };
  choose_files(&reading);
  parallel_for(reading.files.count, scan->threads, read_file, &reading);
  read_named(&reading, read_file);
  read_open(&reading);
  for (size_t i = 0; i < scan->files.count; i++) {
    free(scan->files.items[i].path);
    scan->files.items[i].path = NULL;
  }
  vec_free(&reading.files);
  target_release(target);
}

void file_scan_add(FileScan *scan, const char *path)
{
  file_scan_find(scan, path);
  file_scan_read(scan);
}

void file_scan_add_wanted(FileScan *scan, const char *path)
{
  size_t first = scan->files.count;
  file_scan_find(scan, path);
  for (size_t i = first; i < scan->files.count; i++)
    scan->files.items[i].is_wanted = true;
  file_scan_read(scan);
}

Workspace *file_scan_workspace(const FileScan *scan)
{
  Vec(WorkspaceFile *) files = { 0 };
  for (size_t i = 0; i < scan->files.count; i++)
    vec_push(&files, scan->files.items[i].summary);
  WorkspaceFile *const *known;
  size_t count = workspace_files(scan->known, &known);
  vec_append(&files, known, count);  // Of two files of one URI the first one counts.
  Workspace *workspace = workspace_new(files.items, files.count);
  vec_free(&files);
  return workspace;
}

void file_scan_done(FileScan *scan)
{
  free(scan->last_folder.folder);
  free(scan->last_folder.real);
  for (size_t i = 0; i < scan->files.count; i++) {
    workspace_file_release(scan->files.items[i].summary);
    snapshot_release(scan->files.items[i].snapshot);
    definitions_free(scan->files.items[i].definitions);
    definitions_free(scan->files.items[i].imports);
    free(scan->files.items[i].path);
    free(scan->files.items[i].uri);
  }
  vec_free(&scan->files);
  for (size_t i = 0; i < scan->crashed.count; i++)
    free(scan->crashed.items[i]);
  vec_free(&scan->crashed);
}
