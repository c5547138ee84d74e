/// The formats of report.h, one file each: a format is a ReportWriter in the table of report.c.
///
/// Ownership: as in report.h.
/// Units:     a Place counts from 1, columns in code points; `end_column` is after the last one.
/// Threads:   pure.
/// Sources:   docs/check.md.
#pragma once

#include "cli/report.h"
#include "rpc/writer.h"

typedef struct Place {
  uint32_t line;
  uint32_t column;
  uint32_t end_line;
  uint32_t end_column;
} Place;

/// One document and what is to be printed of it.
typedef struct ReportedDocument {
  const ReportStyle *style;
  const char *path;  ///< As given or found.
  Str failure;       ///< Why part of it was not read; empty if all was.
  const Snapshot *snapshot;
  const Document *document;
  const Diagnostic *const *shown;  ///< Those that are severe enough.
  size_t shown_count;
  DiagnosticList list;
  Arena *arena;
} ReportedDocument;

typedef struct ReportWriter {
  const char *name;
  Severity least;         ///< If nobody says.
  const char *separator;  ///< Between two documents.
  bool lists_files;       ///< It has an entry for each file.
  bool streams_files;     ///< A file's entry is a line after its diagnostics.
  void (*document)(Buffer *out, const ReportedDocument *document);
  void (*begin)(Buffer *out, const ReportStyle *style);  ///< May be NULL, as the next.
  void (*end)(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files);
  void (*failure)(Buffer *out, const ReportStyle *style, const char *path, Str reason);
} ReportWriter;

extern const ReportWriter report_github;
extern const ReportWriter report_gitlab;
extern const ReportWriter report_json;
extern const ReportWriter report_jsonl;
extern const ReportWriter report_junit;
extern const ReportWriter report_sarif;
extern const ReportWriter report_text;

/// What a list of files has of one, as an object.
void report_write_entry(Buffer *out, const ReportStyle *style, const ReportedFile *file);
/// " (torch 2.14: default, exporter torchscript: default, opset 13: --opset)"
void report_append_target(Buffer *out, const Target *target);
/// The same as an object.
void report_write_target(Writer *writer, const Target *target);

/// What is said of it; in a notebook after the cell: "cell 3, line 5: ...".
Str report_message(const Diagnostic *diagnostic, Arena *arena);

Place report_place(const Document *document, Range range);

/// A number for each diagnostic that is shown, different from all others of the file, and mostly the same when lines
/// were added or removed elsewhere.
void report_fingerprints(const ReportedDocument *document, uint64_t *ret_fingerprints);
