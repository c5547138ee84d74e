/// What a report or a log is made of; shared by the files of report/ only.
///
/// Ownership: a model belongs to its snapshot.
/// Units:     offsets are bytes from the start of the document; those of the graphs in it are the same.
/// Threads:   immutable once made.
#pragma once

#include "core/diagnostic_sink.h"
#include "report/onnx_report.h"
#include "why/why.h"

typedef struct ReportModel {
  Snapshot *graph;   ///< The same document as an FX graph, with what is none blanked; it may have no line of one.
  Snapshot *onnx;    ///< The same with the model that came out alone, as a print of onnx_ir; NULL if there is none.
  Range onnx_range;  ///< Where that is.
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

/// Where the text has the model that came out of the export; empty if it has none.
Range report_onnx_range(const Document *document);
/// The same text with blanks for that model, and for the code that tracebacks quote; the caller releases it.
Document *report_program(const Document *document, Range onnx);
/// The same text with blanks for all but that model; the caller releases it.
Document *report_onnx(const Document *document, Range onnx);

extern const LanguageFeatures report_features;
void report_check(DiagSink *sink);
