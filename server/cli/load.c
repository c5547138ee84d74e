#include "cli/load.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "core/unread.h"
#include "host/parallel.h"
#include "host/say.h"
#include "onnx_model/text.h"
#include "text/path.h"
#include "text/uri.h"

static void note(Buffer *notes, const char *shown, Str what)
{
  say_append(notes, "onnxls: %s: %.*s", shown, STR_ARG(what));
}

static Document *read_document(const FoundFile *file, Arena *arena, Coverage *ret_coverage)
{
  char *text = NULL;
  size_t len = 0;
  Document *document = NULL;
  Status status = files_read(file, DOCUMENT_LIMIT, &text, &len);
  int error = errno;
  if (status == OK)
    status = document_new_taking(text, len, &document);
  if (status == OK)
    return document;
  *ret_coverage = (Coverage){ .status = COVERAGE_SKIPPED, .gave_up = true };
  ret_coverage->why =
      status == ERR_LIMIT ? STR("too large; 2 GB is the limit") : arena_copy(arena, str_from(strerror(error)));
  return NULL;
}

// Nothing changes it while the program runs, and thousands of files ask.
static pthread_once_t working_folder_once = PTHREAD_ONCE_INIT;
static char *working_folder;

static void find_working_folder(void)
{
  working_folder = memory_taken(getcwd(NULL, 0));
}

static Str absolute_path(const char *path, Arena *arena)
{
  pthread_once(&working_folder_once, find_working_folder);
  return path_join(str_from(working_folder), str_from(path), arena);
}

static void run_chunk(void *plan, size_t i)
{
  snapshot_plan_run(plan, (uint32_t)i);
}

static bool is_too_much(const FoundFile *file, size_t work)
{
  return file->most_work > 0 && work > file->most_work;
}

/// NULL if that takes more work than the file may.
static Snapshot *make_snapshot(const FoundFile *file, const char *shown, Document *document, bool is_model,
                               const Target *target, size_t threads)
{
  Arena arena = { 0 };
  SnapshotInput input = {
    .uri = uri_from_path(absolute_path(shown, &arena), &arena),
    .version = -1,
    .language_id = is_model ? STR("onnx-text") : (Str){ 0 },
    .language = is_model ? language_of_id(STR("onnx-text")) : NULL,
    .document = document,
    .target = target,
    .needs_no_lines = is_model && file->needs_no_lines,
    .is_misnamed = !is_model && !files_come_once(file) && files_is_model(file->path),
    .is_unnamed = file->is_unnamed,
  };
  SnapshotPlan *plan = snapshot_plan(&input, is_model ? NULL : file->before);
  Snapshot *snapshot = NULL;
  if (is_too_much(file, language_work(snapshot_plan_language(plan), document_length(document)))) {
    snapshot_plan_free(plan);
  } else {
    parallel_for(snapshot_plan_count(plan), threads, run_chunk, plan);
    snapshot = snapshot_plan_finish(plan);
  }
  arena_done(&arena);
  return snapshot;
}

enum { SHOWN_UNREAD = 10 };

static void note_unread(Buffer *notes, const char *shown, const Snapshot *snapshot)
{
  Arena arena = { 0 };
  UnreadList unread = snapshot_unread(snapshot, &arena);
  for (size_t i = 0; i < unread.count && i < SHOWN_UNREAD; i++) {
    Str text = unread_say(snapshot, &unread.items[i], &arena);
    say_append(notes, "onnxls: %s:%u: %.*s", shown, unread.items[i].first_line + 1, STR_ARG(text));
  }
  if (unread.count > SHOWN_UNREAD)
    say_append(notes, "onnxls: %s: %zu more places like these", shown, unread.count - SHOWN_UNREAD);
  arena_done(&arena);
}

/// Whether it begins with a byte that no text begins with: a field of a model's number and type (ir_version,
/// producer_name), which are control characters in a text.
static bool begins_as_message(const FoundFile *file)
{
  char first[2] = { 0 };
  FILE *stream = files_come_once(file) ? NULL : fopen(file->path, "rb");
  size_t len = stream ? fread(first, 1, sizeof(first), stream) : 0;
  if (stream)
    fclose(stream);
  return len == sizeof(first) && (first[0] == 0x08 || first[0] == 0x12);
}

bool load_is_of_model(const FoundFile *file)
{
  return files_is_model(file->path) &&
         (file->early ? file->early->len > 0 && file->early->bytes[0] == 0x08 : begins_as_message(file));
}

/// What the rules of models report in the place of a text (onnx_tree_read()).
static Str damage_text(Str why, Arena *arena)
{
  static const Str word = STR_INIT("damaged: ");
  Str rest = str_starts_with(why, word) ? str_slice(why, word.len, why.len) : why;
  return arena_printf(arena, "# damaged: %.*s\n", STR_ARG(rest));
}

/// What came of reading a file as a model.
typedef struct ModelReading {
  Str why;             ///< What it is instead, or what is wrong with it; empty if all is well.
  bool names_others;   ///< Some of its values are in other files.
  bool is_damaged;     ///< A model that is not whole.
  bool is_unreadable;  ///< The system failed in the middle of it, so it says nothing of the file's text either.
} ModelReading;

/// `bytes` are what came through a pipe, where nothing is known of files beside the model.
static Status open_model(const FoundFile *file, Str bytes, Buffer *message, Model **ret_model)
{
  if (files_come_once(file))
    return model_open_bytes(bytes, message, ret_model);
  const EarlyFile *early = file->early;
  return early && early->has_bytes
             ? model_open_read_file(file->path, str_make(early->bytes, early->len), message, ret_model)
             : model_open_file(file->path, message, ret_model);
}

/// The text of a binary model, as `show` prints it; of one that is damaged, a text that says so. NULL if it is none.
static Document *read_model(const FoundFile *file, Str bytes, Arena *arena, ModelReading *reading)
{
  ModelTextOptions options = { .max_values = MODEL_VALUES_SHOWN,
                               .max_sizes = MODEL_SIZES_SHOWN,
                               .is_full = file->wants_values,
                               .wants_hash = file->wants_hashes };
  Buffer message = { 0 };
  Buffer text = { 0 };
  Model *model = NULL;
  Document *document = NULL;
  Status status = open_model(file, bytes, &message, &model);
  if (status == OK)
    status = model_text(model, &options, &text, &message);
  if (status == OK && document_new_taking(text.data, text.len, &document) != OK)
    buffer_append(&message, STR("its text is too large; 2 GB is the limit"));
  if (status == OK)
    text = (Buffer){ 0 };
  *reading = (ModelReading){ .why = arena_copy(arena, str_trim(buffer_str(&message))),
                             .names_others = model && model_has(&model->stats, MSG_TENSOR, TENSOR_EXTERNAL) };
  reading->is_damaged = status == ERR_FORMAT && document_new(damage_text(reading->why, arena), &document) == OK;
  reading->is_unreadable = status == ERR_IO;
  model_free(model);
  buffer_done(&message);
  buffer_done(&text);
  return document;
}

/// What nobody reads may be a model after all, or something that has only the name of one.
static Document *look_for_model(const FoundFile *file, const Document *document, Arena *arena, Coverage *coverage,
                                ModelReading *reading)
{
  if (document_length(document) == 0 && !files_is_model(file->path))
    return NULL;
  Range whole = { 0, document_length(document) };
  Str bytes = files_come_once(file) ? document_slice(document, whole, arena) : (Str){ 0 };
  Document *model = read_model(file, bytes, arena, reading);
  if (!model && files_is_model(file->path) && reading->why.len > 0)
    coverage->why = reading->why;
  return model;
}

static Coverage coverage_of_too_much(const FoundFile *file, Arena *arena)
{
  Str why = arena_printf(arena, "given up, as it takes more work than --timeout-work %zu allows",
                         file->most_work / LOAD_WORK_UNIT);
  return (Coverage){ .status = COVERAGE_SKIPPED, .why = why, .gave_up = true };
}

/// A snapshot of the document, which is consumed, and what it is worth; NULL if it takes too much work.
static Snapshot *judge(const FoundFile *file, const char *shown, Document *document, bool is_model,
                       const Target *target, size_t threads, Arena *arena, Coverage *ret_coverage)
{
  Snapshot *snapshot = make_snapshot(file, shown, document, is_model, target, threads);
  document_release(document);
  *ret_coverage = snapshot ? coverage_of(snapshot, arena) : coverage_of_too_much(file, arena);
  ret_coverage->is_converted = is_model;
  return snapshot;
}

Snapshot *load_snapshot(const FoundFile *file, const char *shown, const Target *target, size_t threads, Buffer *notes,
                        Arena *arena, Coverage *ret_coverage)
{
  Snapshot *snapshot = NULL;
  // Before it is read: a model may be large.
  *ret_coverage = (Coverage){ .status = COVERAGE_SKIPPED };
  ModelReading reading = { 0 };
  // What is named may be a model under another name: its text may hold graphs in other languages, as metadata.
  // One that comes from a pipe is looked at again when it is no text.
  bool has_name = !files_come_once(file) && files_is_model(file->path);
  bool may_be_model = has_name || (file->is_named && begins_as_message(file));
  Document *model = may_be_model ? read_model(file, (Str){ 0 }, arena, &reading) : NULL;
  ret_coverage->why = reading.why;
  ret_coverage->gave_up = reading.is_unreadable;
  Document *document = model || reading.is_unreadable ? model : read_document(file, arena, ret_coverage);
  if (document)
    snapshot = judge(file, shown, document, model != NULL, target, threads, arena, ret_coverage);
  bool is_unknown = snapshot && ret_coverage->status == COVERAGE_SKIPPED && !snapshot_language(snapshot);
  model = is_unknown && file->is_named
              ? look_for_model(file, snapshot_document(snapshot), arena, ret_coverage, &reading)
              : NULL;
  if (model) {
    snapshot_release(snapshot);
    snapshot = judge(file, shown, model, true, target, threads, arena, ret_coverage);
  }
  if (snapshot && reading.is_damaged)
    *ret_coverage =
        (Coverage){ .status = COVERAGE_PARTLY, .why = reading.why, .is_converted = true, .is_damaged = true };
  ret_coverage->names_others = reading.names_others;
  if (snapshot && ret_coverage->status != COVERAGE_CHECKED)
    note_unread(notes, shown, snapshot);
  bool is_told = snapshot && ret_coverage->gave_up;  // note_unread() did.
  if (ret_coverage->status == COVERAGE_SKIPPED && load_has_failed(file, ret_coverage) && !is_told)
    note(notes, shown, ret_coverage->why);
  return snapshot;
}
