// Any bytes as ONNX text: as a graph language (dialect_fuzz.h), and as a whole model. Events open and close graphs in
// pairs, and all mistakes and diagnostics lie in the text.

#include "core/diagnostics.h"
#include "dialect_fuzz.h"
#include "graph/onnx/onnx_line.h"
#include "graph/onnx/onnx_tree.h"

static void check_tree(Str text)
{
  Arena arena = { 0 };
  OnnxModel model;
  onnx_tree_read(&model, text, false, &arena);
  size_t depth = 0;
  for (size_t i = 0; i < model.events.count; i++) {
    const OnnxEvent *event = &model.events.items[i];
    FLAT_CHECK(event->kind == ONNX_ENTER_GRAPH || depth > 0);
    depth += event->kind == ONNX_ENTER_GRAPH;
    depth -= event->kind == ONNX_LEAVE_GRAPH;
    FLAT_CHECK(!event->node || (event->node->at.start < event->node->at.end && event->node->at.end <= text.len));
  }
  FLAT_CHECK(depth == 0);
  for (size_t i = 0; i < model.mistakes.count; i++)
    FLAT_CHECK(model.mistakes.items[i].at.start <= model.mistakes.items[i].at.end &&
               model.mistakes.items[i].at.end <= text.len && model.mistakes.items[i].message.len > 0);
  onnx_tree_done(&model);
  arena_done(&arena);
}

static void check_diagnostics(const FuzzedDialect *dialect, Str text)
{
  Arena arena = { 0 };
  Document *document;
  Snapshot *snapshot = make_snapshot(dialect, text, CHUNK_TARGET, &document);
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  for (size_t i = 0; i < list.count; i++)
    FLAT_CHECK(list.items[i].range.start <= list.items[i].range.end && list.items[i].range.end <= text.len);
  snapshot_release(snapshot);
  document_release(document);
  arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const FuzzedDialect dialect = { "onnx-text", "file:///fuzz.onnxtxt", onnx_line_parser_new,
                                         onnx_line_parser_free, onnx_line_parse };
  fuzz_dialect(&dialect, data, size);
  if (size < 1)
    return 0;
  Str text = str_make((const char *)data + 1, size - 1 < TEXT_LIMIT ? size - 1 : TEXT_LIMIT);
  check_tree(text);
  check_diagnostics(&dialect, text);
  return 0;
}
