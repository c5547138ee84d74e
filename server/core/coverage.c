#include "core/coverage.h"

#include "base/ascii.h"
#include "core/unread.h"
#include "text/traceback.h"

const char *coverage_name(CoverageStatus status)
{
  static const char *const names[] = {
    [COVERAGE_CHECKED] = "checked",
    [COVERAGE_PARTLY] = "partly",
    [COVERAGE_SKIPPED] = "skipped",
  };
  return names[status];
}

/// Text as people write it holds no NUL near its start.
static bool looks_binary(const Document *document, Arena *arena)
{
  Str head = document_slice(document, (Range){ 0, 8 * 1024 }, arena);
  return str_find_char(head, '\0', 0) != STR_NOT_FOUND;
}

/// Windows PowerShell's `>` writes it. What is read as UTF-8 has no letters then.
static bool looks_like_utf16(const Document *document, Arena *arena)
{
  Str head = document_slice(document, (Range){ 0, 2 }, arena);
  return str_equal(head, STR("\xff\xfe")) || str_equal(head, STR("\xfe\xff"));
}

static Coverage skipped(Str why)
{
  return (Coverage){ .status = COVERAGE_SKIPPED, .why = why };
}

static Coverage coverage_of_unknown(const Document *document, Arena *arena)
{
  if (document_length(document) == 0)
    return skipped(STR("the file is empty"));
  if (looks_like_utf16(document, arena))
    return skipped(STR("the text is UTF-16; save it as UTF-8"));
  if (looks_binary(document, arena))
    return skipped(STR("a binary file, not the text of a graph"));
  return skipped(STR("no graph in there, so there is nothing to check"));
}

/// What limits left out of a document that is read.
static Coverage coverage_of_unread(const Snapshot *snapshot, Arena *arena)
{
  UnreadList unread = snapshot_unread(snapshot, arena);
  if (unread.count == 0)
    return (Coverage){ .status = COVERAGE_CHECKED };
  Str why = unread_say(snapshot, &unread.items[0], arena);
  if (unread.count > 1)
    why = arena_printf(arena, "%.*s (and %zu more places)", STR_ARG(why), unread.count - 1);
  bool is_all = unread.items[0].reason == UNREAD_TOO_LARGE;
  return (Coverage){ .status = is_all ? COVERAGE_SKIPPED : COVERAGE_PARTLY, .why = why, .gave_up = true };
}

/// The text around graphs has the traceback of an export or a capture: that the graphs are well is not all it says.
static bool has_traceback(const Document *document)
{
  static const char *const frames[] = { "torch/onnx/", "torch\\onnx\\", "torch/export/", "torch\\export\\" };
  bool is_in = false;
  for (uint32_t i = 0; i < document->chunk_count; i++) {
    const TextChunk *chunk = document->chunks[i];
    Str text = str_make(chunk->text, chunk->len);
    size_t at = is_in ? 0 : str_find(text, TRACEBACK_HEAD, 0);
    is_in |= at != STR_NOT_FOUND;
    if (is_in && str_contains_one_of(str_slice(text, at, text.len), frames, COUNT(frames)))
      return true;
  }
  return false;
}

Coverage coverage_of(const Snapshot *snapshot, Arena *arena)
{
  const Language *language = snapshot_language(snapshot);
  bool is_bare = snapshot_model(snapshot) && language->has_content && !language->has_content(snapshot);
  Str other = is_bare && language->blind_spot ? language->blind_spot(snapshot, arena) : (Str){ 0 };
  if (other.len > 0)
    return skipped(other);
  if (!language || is_bare || looks_like_utf16(snapshot_document(snapshot), arena))
    return coverage_of_unknown(snapshot_document(snapshot), arena);
  if (!language->model)
    return skipped(arena_printf(arena, "%s, which onnxls can't judge yet", language->title));
  Coverage coverage = coverage_of_unread(snapshot, arena);
  if (coverage.status != COVERAGE_CHECKED || !snapshot_model(snapshot) || !language->blind_spot)
    return coverage;
  Str why = language->blind_spot(snapshot, arena);
  if (why.len == 0 && language->is_printed && has_traceback(snapshot_document(snapshot)))
    why = STR("an exception stands beside the graph; `onnxls why` explains it");
  return why.len > 0 ? (Coverage){ .status = COVERAGE_PARTLY, .why = why } : coverage;
}

Str coverage_sentence(Str why, Arena *arena)
{
  return arena_printf(arena, "%c%.*s.", ascii_to_upper(why.data[0]), (int)why.len - 1, why.data + 1);
}
