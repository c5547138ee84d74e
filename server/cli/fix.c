#include "cli/fix.h"

#include <errno.h>

#include "base/limits.h"
#include "core/features.h"
#include "host/replace_file.h"
#include "host/say.h"

/// The text after the edits.
MUST_USE static Status apply_edits(const Document *document, EditList edits, Document **ret_document)
{
  Arena arena = { 0 };
  Buffer text = { 0 };
  size_t at = 0;
  for (size_t i = 0; i < edits.count; i++) {
    buffer_append(&text, document_slice(document, (Range){ at, edits.items[i].range.start }, &arena));
    buffer_append(&text, edits.items[i].text);
    at = edits.items[i].range.end;
  }
  buffer_append(&text, document_slice(document, (Range){ at, document_length(document) }, &arena));
  Status status = document_new(buffer_str(&text), ret_document);
  buffer_done(&text);
  arena_done(&arena);
  return status;
}

static Snapshot *snapshot_of(const Snapshot *like, Document *document, const Target *target, const Snapshot *previous)
{
  SnapshotInput input = { .uri = snapshot_uri(like), .version = snapshot_version(like) };
  input.document = document;
  input.target = target;
  return snapshot_new(&input, previous);
}

/// One round; false if there is nothing left to fix.
static bool fix_once(Snapshot **snapshot, const Target *target, size_t *fixes)
{
  Arena arena = { 0 };
  DiagnosticList diagnostics = diagnostics_of(*snapshot, &arena);
  EditList edits = feature_safe_fixes(&diagnostics, &arena);
  Document *document = NULL;
  bool has_fixed = edits.count > 0 && apply_edits(snapshot_document(*snapshot), edits, &document) == OK;
  if (has_fixed) {
    Snapshot *next = snapshot_of(*snapshot, document, target, *snapshot);
    snapshot_release(*snapshot);
    document_release(document);
    *snapshot = next;
    *fixes += edits.fix_count;
  }
  arena_done(&arena);
  return has_fixed;
}

Snapshot *fix_snapshot(const Snapshot *snapshot, size_t *ret_fixes)
{
  // The limit is for what is printed; what comes after it is fixed, too.
  Target values = *snapshot_target(snapshot);
  values.max_diagnostics = 0;
  Target *target = target_new(&values);
  Document *document = document_retain(snapshot_document(snapshot));
  Snapshot *current = snapshot_of(snapshot, document, target, NULL);
  document_release(document);
  *ret_fixes = 0;
  for (int round = 0; round < FIX_ROUND_LIMIT && fix_once(&current, target, ret_fixes);)
    round++;
  Snapshot *result = NULL;
  if (*ret_fixes > 0) {
    Document *fixed = document_retain(snapshot_document(current));
    result = snapshot_of(snapshot, fixed, snapshot_target(snapshot), NULL);
    document_release(fixed);
  } else {
    result = snapshot_retain(snapshot);
  }
  snapshot_release(current);
  target_release(target);
  return result;
}

Status fix_write(const char *path, const Document *before, const Document *fixed, Buffer *notes)
{
  Arena arena = { 0 };
  Str expected = document_slice(before, (Range){ 0, document_length(before) }, &arena);
  Str text = document_slice(fixed, (Range){ 0, document_length(fixed) }, &arena);
  Status status = replace_file(path, &expected, text);
  if (status == ERR_CHANGED)
    say_append(notes, "onnxls: %s was changed while it was checked, so it was left as it is; run it again", path);
  else if (status != OK)
    say_append(notes, "onnxls: %s can't be written: %s", path, strerror(errno));
  arena_done(&arena);
  return status;
}

void fix_summary(Buffer *out, FixMode mode, const FixCounts *counts)
{
  buffer_printf(out, "onnxls: %s %zu problem%s in %zu file%s\n", mode == FIX_SHOW ? "can fix" : "fixed", counts->fixes,
                counts->fixes == 1 ? "" : "s", counts->files, counts->files == 1 ? "" : "s");
}
