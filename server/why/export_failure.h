/// export-failed, in the texts of graphs: the traceback of an export that stands beside them.
///
/// Ownership: what is found lives in the sink's arena.
/// Units:     byte offsets of the document.
/// Errors:    what can't be told to be of an export is left alone.
/// Threads:   as core/diagnostic_sink.h.
#pragma once

#include "core/diagnostic_sink.h"

/// What is known of a document; zeroed before its first part.
typedef struct ExportFailure {
  bool is_known;  ///< A part had a traceback, and all that follows it was looked at.
  Range head;     ///< "Traceback (most recent call last):"; empty if nothing there tells of an export.
  Range message;
  Str words;
} ExportFailure;

/// Reports a traceback that begins in this part of the document; parts come in order.
void export_failure_check(DiagSink *sink, Range part, ExportFailure *failure);
