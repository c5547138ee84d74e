// A graph language whose texts are ONNX models: beside what dialect_fuzz.h asks, events open and close graphs in pairs,
// and all mistakes and diagnostics lie in the text.
#pragma once

#include "core/diagnostics.h"
#include "dialect_fuzz.h"
#include "graph/onnx/onnx_tree.h"

static void check_tree(OnnxReadFunction *read, const OnnxSource *source)
{
  Arena arena = { 0 };
  OnnxModel model;
  read(&model, source, &arena);
  size_t len = source->text.len;
  size_t depth = 0;
  for (size_t i = 0; i < model.events.count; i++) {
    const OnnxEvent *event = &model.events.items[i];
    FLAT_CHECK(event->kind == ONNX_ENTER_GRAPH || depth > 0);
    depth += event->kind == ONNX_ENTER_GRAPH;
    depth -= event->kind == ONNX_LEAVE_GRAPH;
    FLAT_CHECK(!event->node || (event->node->at.start < event->node->at.end && event->node->at.end <= len));
  }
  FLAT_CHECK(depth == 0);
  for (size_t i = 0; i < model.mistakes.count; i++)
    FLAT_CHECK(model.mistakes.items[i].at.start <= model.mistakes.items[i].at.end &&
               model.mistakes.items[i].at.end <= len && model.mistakes.items[i].message.len > 0);
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

static inline void fuzz_model(const FuzzedDialect *dialect, OnnxReadFunction *read, const uint8_t *data, size_t size)
{
  if (size < 1)
    return;
  // A file with the name of a model has nothing else in it, a log has.
  FuzzedDialect in_log = *dialect;
  in_log.uri = "file:///fuzz.log";
  dialect = data[0] % 2 ? &in_log : dialect;
  fuzz_dialect(dialect, data, size);
  Str text = str_make((const char *)data + 1, size - 1 < TEXT_LIMIT ? size - 1 : TEXT_LIMIT);
  check_tree(read, &(OnnxSource){ .text = text });
  check_tree(
      read, &(OnnxSource){ .text = text, .start = (uint32_t)text.len / 3, .is_in_log = true, .is_bare = text.len % 2 });
  check_diagnostics(dialect, text);
}
