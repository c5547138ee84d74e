/// What `check` prints: one document's diagnostics in one of several formats, and the line that sums all up.
///
/// Ownership: appends to the caller's buffer; borrows everything else.
/// Units:     lines and columns are printed from 1; a column counts Unicode code points.
/// Threads:   pure; each thread needs its own buffer.
/// Sources:   docs/check.md and docs/check.schema.json.
#pragma once

#include "base/buffer.h"
#include "cli/baseline.h"
#include "core/coverage.h"
#include "core/diagnostics.h"

typedef enum ReportFormat {
  REPORT_TEXT,
  REPORT_JSON,    ///< One object for the run.
  REPORT_JSONL,   ///< One object a line.
  REPORT_SARIF,   ///< For code scanning services.
  REPORT_GITHUB,  ///< Commands of GitHub's workflows.
  REPORT_GITLAB,  ///< A report for GitLab's Code Quality.
  REPORT_JUNIT,   ///< XML, for those that collect results of tests.
  REPORT_FORMAT_COUNT,
} ReportFormat;

typedef struct ReportStyle {
  ReportFormat format;
  Severity least;        ///< Less severe ones are counted, not printed.
  bool show_source;      ///< Text: the source line with a marker under it.
  bool color;            ///< Text: for a terminal.
  const char *folder;    ///< Absolute: some formats name files as they are seen from there.
  const Target *target;  ///< What everything is checked against.
  Baseline *baseline;    ///< Whose findings are not told; NULL for none.
} ReportStyle;

/// Of one document or of the whole run.
typedef struct ReportCounts {
  size_t files;
  size_t partly;               ///< Of these, those that were judged in part.
  size_t foreign;              ///< And those in which nothing is about exporting.
  size_t skipped;              ///< Found in folders and not understood.
  size_t files_with_findings;  ///< Errors or warnings.
  size_t failed;               ///< Could not be read.
  size_t severities[SEVERITY_HINT + 1];
  size_t below;       ///< Less severe than asked for.
  size_t hidden;      ///< After the limit of a document.
  size_t suppressed;  ///< Switched off by comments.
  size_t known;       ///< In the baseline.
} ReportCounts;

/// The word for a format.
const char *report_format_name(ReportFormat format);
/// What a format shows at least if nobody says.
Severity report_default_severity(ReportFormat format);

/// The file as it is seen from the folder of the run: "a/b.py" for "./a/b.py" and for "FOLDER/a/b.py". A file elsewhere
/// keeps its absolute path.
Str report_relative_path(const ReportStyle *style, const char *path, Arena *arena);

/// The same as it is seen from the folder of the baseline.
Str report_baseline_path(const ReportStyle *style, const char *path, Arena *arena);

/// What became of a file that was named or found.
typedef struct ReportedFile {
  const char *path;
  const Language *language;  ///< NULL if it is none that is known.
  Coverage coverage;
} ReportedFile;

/// A file's entry in the formats that list files; a JSON object.
void report_file(Buffer *out, const ReportStyle *style, const ReportedFile *file);
/// True for a format in which a file's entry is a line after its diagnostics.
bool report_streams_files(ReportFormat format);

/// Everything of one document, without separators at its ends; adds to the counts. `failure` is what stderr gets if
/// part of it was not read, else empty.
void report_document(Buffer *out, const ReportStyle *style, const char *path, const Snapshot *snapshot, Str failure,
                     ReportCounts *counts);
/// A file of which nothing could be read, for the formats that tell of it; `reason` is what stderr gets.
void report_failure(Buffer *out, const ReportStyle *style, const char *path, Str reason);
/// What comes before all documents, between two that are not empty, and at the end; `files` is the entries of all of
/// them, separated by commas.
void report_begin(Buffer *out, const ReportStyle *style);
void report_separate(Buffer *out, const ReportStyle *style);
void report_end(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files);
/// "2 errors and 1 warning in 1 of 3 files", and what they were checked against, for stderr; `others` is said after it.
void report_summary(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str others);
void report_counts_add(ReportCounts *sum, const ReportCounts *counts);
