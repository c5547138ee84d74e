#include "cli/load.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/limits.h"
#include "core/unread.h"
#include "host/parallel.h"
#include "host/say.h"
#include "onnx_model/model.h"
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

static Str absolute_path(const char *path, Arena *arena)
{
  char *folder = getcwd(NULL, 0);
  Str absolute = path_join(str_from(folder), str_from(path), arena);
  free(folder);
  return absolute;
}

static void run_chunk(void *plan, size_t i)
{
  snapshot_plan_run(plan, (uint32_t)i);
}

static Snapshot *make_snapshot(const char *path, Document *document, const Target *target, size_t threads)
{
  Arena arena = { 0 };
  SnapshotInput input = {
    .uri = uri_from_path(absolute_path(path, &arena), &arena),
    .version = -1,
    .document = document,
    .target = target,
  };
  SnapshotPlan *plan = snapshot_plan(&input, NULL);
  parallel_for(snapshot_plan_count(plan), threads, run_chunk, plan);
  Snapshot *snapshot = snapshot_plan_finish(plan);
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

static bool is_named_as_model(const FoundFile *file)
{
  return !file->is_stdin && str_ends_with(str_from(file->path), STR(".onnx"));
}

/// True when the file is a binary model, which another command reads. Else `ret_why` says what it is.
static bool is_model(const FoundFile *file, Arena *arena, Str *ret_why)
{
  Buffer message = { 0 };
  Model *model = NULL;
  if (file->is_stdin)
    return false;
  Status status = model_open_file(file->path, &message, &model);
  *ret_why = status == OK ? STR("check reads no binary models; onnxls show prints them as ONNX text")
                          : arena_copy(arena, str_trim(buffer_str(&message)));
  model_free(model);
  buffer_done(&message);
  return status == OK;
}

/// What nobody reads may be a model after all, or something that has only the name of one.
static void look_for_model(const FoundFile *file, const Document *document, Arena *arena, Coverage *coverage)
{
  Str why = { 0 };
  if (document_length(document) == 0 && !is_named_as_model(file))
    return;
  if (is_model(file, arena, &why) || (is_named_as_model(file) && why.len > 0))
    coverage->why = why;
}

Snapshot *load_snapshot(const FoundFile *file, const char *shown, const Target *target, size_t threads, Buffer *notes,
                        Arena *arena, Coverage *ret_coverage)
{
  Snapshot *snapshot = NULL;
  Document *document = NULL;
  // Before it is read: a model may be large.
  *ret_coverage = (Coverage){ .status = COVERAGE_SKIPPED };
  if (!is_named_as_model(file) || !is_model(file, arena, &ret_coverage->why))
    document = read_document(file, arena, ret_coverage);
  if (document) {
    snapshot = make_snapshot(shown, document, target, threads);
    document_release(document);
    *ret_coverage = coverage_of(snapshot, arena);
    note_unread(notes, shown, snapshot);
    // In a graph a diagnostic says it. Code that is being written has none for this.
    if (ret_coverage->status == COVERAGE_PARTLY && !ret_coverage->gave_up && snapshot_is_in(snapshot, IN_CODE))
      note(notes, shown, ret_coverage->why);
    if (ret_coverage->status == COVERAGE_SKIPPED && !snapshot_language(snapshot) && file->is_named)
      look_for_model(file, snapshot_document(snapshot), arena, ret_coverage);
  }
  bool is_told = snapshot && ret_coverage->gave_up;  // note_unread() did.
  if (ret_coverage->status == COVERAGE_SKIPPED && load_has_failed(file, ret_coverage) && !is_told)
    note(notes, shown, ret_coverage->why);
  return snapshot;
}
