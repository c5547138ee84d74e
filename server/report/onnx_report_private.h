/// What a report or a log is made of; shared by the files of report/ only.
///
/// Ownership: a model belongs to its snapshot.
/// Units:     offsets are bytes from the start of the document; those of the graph are the same.
/// Threads:   immutable once made.
#pragma once

#include "core/diagnostic_sink.h"
#include "report/onnx_report.h"
#include "why/why.h"

typedef struct ReportModel {
  Snapshot *graph;   ///< The same document as an FX graph, without the code in tracebacks; it may have no line of one.
  WhyAnswer answer;  ///< In the arena, as all that follows.
  Str text;
  bool has_failed;
  Range stage;  ///< The line that says which step failed; empty if there is none.
  Range node;   ///< The line of the graph with the node that failed; empty if it is not there.
  Arena arena;
} ReportModel;

static inline const ReportModel *report_of(const Snapshot *snapshot)
{
  return snapshot_model(snapshot);
}

/// What went wrong, as a sentence or more: the operator, the cause, what helps, and the place.
Str report_words(const ReportModel *model, const WhyFinding *finding, Arena *arena);

/// The same text with blanks for the code that tracebacks quote; the caller releases it.
Document *report_without_code(const Document *document);

extern const LanguageFeatures report_features;
void report_check(DiagSink *sink);
