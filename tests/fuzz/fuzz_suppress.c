// Any bytes as Python code or as a dump with comments of ours in it: what a comment is does not hang on how the text is
// cut into chunks, every fix lies in the text, and applying a safe one leaves a text that can be read again.
//
// Input: one byte, of which bit 0 says Python and the rest the chunk target; then the text.

#include "../unit/dump_flat.h"
#include "core/features.h"
#include "core/suppress.h"
#include "graph/graph_language.h"
#include "text/document_internal.h"

enum { TEXT_LIMIT = 16 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static Snapshot *open(Str text, bool is_python, uint32_t chunk_target)
{
  Target values = { .torch = STR("2.6"), .opset = 13 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  Document *document = NULL;
  FLAT_CHECK(document_new_with_target(text, chunk_target, &document) == OK);
  Str uri = is_python ? STR("file:///a.py") : STR("file:///a.torchir");
  SnapshotInput input = { .uri = uri,
                          .version = 1,
                          .language_id = is_python ? STR("python") : STR("torch-ir"),
                          .document = document,
                          .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  document_release(document);
  target_release(target);
  return snapshot;
}

/// The comments of a snapshot, one a line.
static void list_comments(Buffer *out, const Snapshot *snapshot)
{
  const Document *document = snapshot_document(snapshot);
  Suppressor suppressor;
  suppressor_init(&suppressor, snapshot);
  for (size_t i = 0; i < suppressor.items.count; i++) {
    const Suppression *item = &suppressor.items.items[i];
    const Directive *directive = &item->directive;
    Str line = document_line(document, item->line);
    FLAT_CHECK(directive->hash < line.len && line.data[directive->hash] == '#');
    FLAT_CHECK(directive->keyword.start <= directive->keyword.end && directive->keyword.end <= directive->end);
    FLAT_CHECK(directive->end <= line.len);
    FLAT_CHECK(!directive->has_list ||
               (directive->list.start <= directive->list.end && directive->list.end <= line.len));
    FLAT_CHECK(item->target == NO_LINE || (item->target >= item->line && item->target < document_line_count(document)));
    buffer_printf(out, "%u:%zu-%zu kind %d target %u alone %d late %d names %u\n", item->line, directive->hash,
                  directive->end, directive->kind, item->target, item->is_alone, item->is_late, item->name_count);
    DirectiveAt at;
    FLAT_CHECK(suppressor_directive_at(snapshot, document_line_start(document, item->line) + directive->hash, &at));
  }
  suppressor_done(&suppressor);
}

static void check_fixes(const Snapshot *snapshot)
{
  Arena arena = { 0 };
  size_t length = document_length(snapshot_document(snapshot));
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  for (size_t i = 0; i < list.count; i++) {
    for (size_t f = 0; f < list.items[i].fix_count; f++) {
      const Fix *fix = &list.items[i].fixes[f];
      for (size_t e = 0; e < fix->edit_count; e++)
        FLAT_CHECK(fix->edits[e].range.start <= fix->edits[e].range.end && fix->edits[e].range.end <= length);
    }
  }
  arena_done(&arena);
}

static void check_features(const Snapshot *snapshot, size_t offset)
{
  Arena arena = { 0 };
  FeatureContext context = { .snapshot = snapshot, .arena = &arena };
  Hover hover;
  feature_hover(&context, offset, &hover);
  CompletionList list = feature_completion(&context, offset, STR(""));
  for (size_t i = 0; i < list.count; i++)
    FLAT_CHECK(list.items[i].replaced.start <= offset && offset <= list.items[i].replaced.end);
  arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1 || size > TEXT_LIMIT)
    return 0;
  Str text = str_make((const char *)data + 1, size - 1);
  bool is_python = data[0] & 1;
  Snapshot *whole = open(text, is_python, TEXT_LIMIT);
  Snapshot *cut = open(text, is_python, 1 + (data[0] >> 1));
  Buffer expected = { 0 };
  Buffer got = { 0 };
  list_comments(&expected, whole);
  list_comments(&got, cut);
  if (!flat_same(buffer_str(&got), buffer_str(&expected)))
    abort();
  check_fixes(whole);
  check_features(whole, data[0] * size / 256);
  buffer_done(&expected);
  buffer_done(&got);
  snapshot_release(whole);
  snapshot_release(cut);
  graph_free_scratch();
  return 0;
}
