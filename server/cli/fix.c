#include "cli/fix.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "core/features.h"

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
  // The limit is for what is printed; what stands after it is fixed, too.
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

// --- Writing ---

static bool write_all(int file, Str text)
{
  for (size_t done = 0; done < text.len;) {
    ssize_t written = write(file, text.data + done, text.len - done);
    if (written < 0 && errno != EINTR)
      return false;
    done += written > 0 ? (size_t)written : 0;
  }
  return true;
}

static bool write_document(int file, const Document *document)
{
  for (uint32_t i = 0; i < document->chunk_count; i++) {
    if (!write_all(file, str_make(document->chunks[i]->text, document->chunks[i]->len)))
      return false;
  }
  return true;
}

/// Into a new file beside the old one, which then takes its place.
static bool replace_file(const char *path, const Document *document)
{
  struct stat before;
  Arena arena = { 0 };
  Str fresh = arena_printf(&arena, "%s.onnxls-XXXXXX", path);
  int file = stat(path, &before) == 0 ? mkstemp((char *)fresh.data) : -1;
  bool is_good = file >= 0 && fchmod(file, before.st_mode & 07777) == 0 && write_document(file, document);
  int error = errno;
  if (file >= 0 && close(file) != 0 && is_good) {
    is_good = false;
    error = errno;
  }
  if (is_good && rename(fresh.data, path) != 0) {
    is_good = false;
    error = errno;
  }
  if (file >= 0 && !is_good)
    unlink(fresh.data);
  arena_done(&arena);
  errno = error;
  return is_good;
}

Status fix_write(const char *path, const Document *document, Buffer *notes)
{
  char *real = realpath(path, NULL);
  bool is_good = real && replace_file(real, document);
  if (!is_good)
    buffer_printf(notes, "onnxls: %s can't be written: %s\n", path, strerror(errno));
  free(real);
  return is_good ? OK : ERR_IO;
}

void fix_summary(Buffer *out, FixMode mode, const FixCounts *counts)
{
  buffer_printf(out, "onnxls: %s %zu problem%s in %zu file%s\n", mode == FIX_SHOW ? "can fix" : "fixed", counts->fixes,
                counts->fixes == 1 ? "" : "s", counts->files, counts->files == 1 ? "" : "s");
}
