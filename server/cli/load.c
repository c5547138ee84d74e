#include "cli/load.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/parallel.h"
#include "onnx_model/model.h"
#include "text/path.h"
#include "text/uri.h"

static void note(Buffer *notes, const char *shown, const char *what)
{
  buffer_printf(notes, "onnxls: %s: %s\n", shown, what);
}

MUST_USE static Status read_document(const FoundFile *file, const char *shown, Buffer *notes, Document **ret_document)
{
  char *text = NULL;
  size_t len = 0;
  Status status = file_read(file, DOCUMENT_LIMIT, &text, &len);
  if (status == OK)
    status = document_new_taking(text, len, ret_document);
  else if (status == ERR_IO)
    note(notes, shown, strerror(errno));
  if (status == ERR_LIMIT)
    note(notes, shown, "too large; 2 GB is the limit");
  return status;
}

/// Text as people write it holds no NUL near its start.
static bool looks_binary(const Document *document)
{
  Arena arena = { 0 };
  Str head = document_slice(document, (Range){ 0, 8 * 1024 }, &arena);
  bool has_nul = str_find_char(head, '\0', 0) != STR_NOT_FOUND;
  arena_done(&arena);
  return has_nul;
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

static bool is_named_as_model(const FoundFile *file)
{
  return !file->is_stdin && str_ends_with(str_from(file->path), STR(".onnx"));
}

/// A binary model is read by another command. What only has its name gets a word on what it is, if `explains`.
static bool is_model(const FoundFile *file, const char *shown, bool explains, Buffer *notes)
{
  Buffer message = { 0 };
  Model *model = NULL;
  if (file->is_stdin)
    return false;
  Status status = model_open_file(file->path, &message, &model);
  bool is_told = status == OK || (explains && is_named_as_model(file));
  if (status == OK)
    note(notes, shown, "skipped: check reads no binary models; onnxls show prints them as ONNX text");
  else if (is_told)
    buffer_printf(notes, "onnxls: %s: skipped: %.*s\n", shown, STR_ARG(buffer_str(&message)));
  model_free(model);
  buffer_done(&message);
  return is_told;
}

/// A file that holds nothing we know: one that the user named deserves a word about it, others are passed over.
static bool is_acceptable(const FoundFile *file, const char *shown, const Snapshot *snapshot, Buffer *notes)
{
  const Document *document = snapshot_document(snapshot);
  if (snapshot_kind(snapshot) != DOC_UNKNOWN || !file->is_named)
    return true;
  if (document_length(document) == 0 && !is_named_as_model(file))
    return true;
  if (is_model(file, shown, true, notes))
    return false;
  bool is_binary = looks_binary(document);
  note(notes, shown,
       is_binary ? "a binary file, not the text of a graph" : "no graph in there, so there is nothing to check");
  return !is_binary;
}

Snapshot *load_snapshot(const FoundFile *file, const char *shown, const Target *target, size_t threads, Buffer *notes)
{
  Document *document = NULL;
  // Before it is read: a model may be large.
  if (file->is_named && is_named_as_model(file) && is_model(file, shown, false, notes))
    return NULL;
  if (read_document(file, shown, notes, &document) != OK)
    return NULL;
  Snapshot *snapshot = make_snapshot(shown, document, target, threads);
  document_release(document);
  if (is_acceptable(file, shown, snapshot, notes))
    return snapshot;
  snapshot_release(snapshot);
  return NULL;
}
