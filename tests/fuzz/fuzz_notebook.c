// Any bytes as an .ipynb file: places lie in the file and lead back, magics keep the length of a cell, and what rules
// and features say lies in the file.

#include <stdint.h>

#include "core/diagnostics.h"
#include "core/features.h"
#include "core/workspace.h"
#include "fuzz_check.h"
#include "notebook/notebook.h"
#include "notebook/notebook_reader.h"

enum { TEXT_LIMIT = 64 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const NotebookText *text)
{
  size_t before = 0;
  for (size_t at = 0; at < text->text.len; at++) {
    Range range = notebook_text_in_file(text, (Range){ at, at + 1 });
    FUZZ_CHECK(range.start <= range.end && range.end <= text->file.len && range.start >= before);
    before = range.start;
    size_t back;
    if (range.end > range.start)
      FUZZ_CHECK(notebook_text_from_file(text, range.start, &back) && back <= at);
  }
}

static void check_reader(Str text)
{
  Notebook notebook;
  notebook_read(text, &notebook);
  FUZZ_CHECK(!notebook.error || notebook.error_at <= text.len);
  check_text(&notebook.code);
  for (size_t i = 0; i < notebook.outputs.count; i++) {
    check_text(&notebook.outputs.items[i].printed);
    check_text(&notebook.outputs.items[i].failed);
  }
  for (size_t i = 1; i < notebook.cells.count; i++)
    FUZZ_CHECK(notebook.cells.items[i].start > notebook.cells.items[i - 1].start);
  notebook_done(&notebook);
}

static void check_diagnostic(const Diagnostic *diagnostic, size_t len)
{
  FUZZ_CHECK(diagnostic->range.start <= diagnostic->range.end && diagnostic->range.end <= len);
  FUZZ_CHECK(diagnostic->cell.number == 0 || (diagnostic->cell.line > 0 && diagnostic->cell.column > 0));
  for (size_t i = 0; i < diagnostic->fix_count; i++) {
    size_t end = 0;
    for (size_t k = 0; k < diagnostic->fixes[i].edit_count; k++) {
      Range range = diagnostic->fixes[i].edits[k].range;
      FUZZ_CHECK(range.start >= end && range.end >= range.start && range.end <= len);
      end = range.end;
    }
  }
}

static void check_snapshot(Str text)
{
  Target values = { .torch = STR("2.14"), .opset = 18 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  Document *document;
  Arena arena = { 0 };
  FUZZ_CHECK(document_new(text, &document) == OK);
  SnapshotInput input = { .uri = STR("file:///f.ipynb"), .version = 1, .document = document, .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  FUZZ_CHECK(snapshot_language(snapshot) == &notebook_language);
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  for (size_t i = 0; i < list.count; i++)
    check_diagnostic(&list.items[i], text.len);
  FeatureContext context = { .snapshot = snapshot, .arena = &arena };
  for (size_t at = 0; at <= text.len; at += 1 + text.len / 16) {
    Hover hover;
    if (feature_hover(&context, at, &hover))
      FUZZ_CHECK(hover.range.start <= hover.range.end && hover.range.end <= text.len);
  }
  feature_symbols(&context);
  coverage_of(snapshot, &arena);
  workspace_file_release(workspace_file_new(snapshot));
  snapshot_release(snapshot);
  document_release(document);
  target_release(target);
  arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Str text = str_make((const char *)data, size < TEXT_LIMIT ? size : TEXT_LIMIT);
  check_reader(text);
  check_snapshot(text);
  return 0;
}
