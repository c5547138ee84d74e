/// What the rules of graph languages share: the dump, and the chunk of it that is being checked.
///
/// Ownership: borrowed from the snapshot; texts live in the sink's arena.
/// Units:     offsets in a chunk are bytes from its start.
/// Threads:   as core/diagnostic_sink.h.
#pragma once

#include "core/diagnostic_sink.h"
#include "graph/model/other_graphs.h"
#include "graph/model/snapshot_dump.h"
#include "why/export_failure.h"

enum { SUPPORT_WORDS = 64 };

/// What check_support.c says of an operator, but for the node's source.
typedef struct SupportWords {
  Str op;
  NodeFate fate;
  Str text;                ///< Empty in a free entry.
  Str torch;               ///< The version whose facts were asked.
  bool may_be_registered;  ///< The workspace registers functions by names that are not known.
} SupportWords;

/// DiagSink.language of a graph language.
typedef struct GraphCheck {
  const Dump *dump;
  uint32_t chunk;                             ///< The one being checked.
  bool has_blind_spot;                        ///< One was reported.
  OtherGraphs others;                         ///< Of other languages; nothing in them is a mistake.
  ExportFailure failure;                      ///< That the text around the graphs tells of.
  SupportWords support_words[SUPPORT_WORDS];  ///< By a hash of the operator; a newer one takes the place of an older.
} GraphCheck;

static inline GraphCheck *sink_graph(const DiagSink *sink)
{
  return sink->language;
}

static inline const ChunkState *sink_chunk(const DiagSink *sink)
{
  return sink_graph(sink)->dump->chunks[sink_graph(sink)->chunk];
}

/// sink_add_at() with a range within the chunk.
void sink_add(DiagSink *sink, uint32_t start, uint32_t end, Severity severity, Diagnostic diagnostic);
/// The place of an occurrence of a name, anywhere in the document.
Range sink_place_range(const DiagSink *sink, Place place);

/// Where the line ends, if nothing but blanks comes after it in the document, where a dump may have been cut off; else
/// 0.
uint32_t graph_end_of_last_line(const DiagSink *sink, uint32_t line);
/// The operator's place on the line of an item.
Range graph_op_range(const ChunkState *chunk, const Item *item, Str op);
/// The text, with where the line came from in Python if it says so.
Str graph_with_python_source(DiagSink *sink, Str text, Str line);

/// "layers.0.norm": the module that a node of the chunk is in; empty if the text doesn't say.
Str graph_node_scope(const DiagSink *sink, const Item *item);

/// One function a family: all diagnostics of one chunk.
RuleFamily check_coverage;
RuleFamily check_outcomes;
RuleFamily check_syntax;
RuleFamily check_names;
RuleFamily check_support;
RuleFamily check_onnx_nodes;
