/// The formats of report.h, one file each.
///
/// Ownership: as in report.h.
/// Units:     a Place counts from 1, columns in code points; `end_column` is behind the last one.
/// Errors:    none.
/// Threads:   pure.
/// Sources:   docs/check.md.
#pragma once

#include "cli/report.h"

typedef struct Place {
  uint32_t line;
  uint32_t column;
  uint32_t end_line;
  uint32_t end_column;
} Place;

Place report_place(const Document *document, Range range);
void report_text(Buffer *out, const ReportStyle *style, const char *path, const Document *document,
                 const Diagnostic *diagnostic);
void report_json(Buffer *out, const char *path, const Document *document, const Diagnostic *diagnostic, Arena *arena);
/// The last line of JSON lines.
void report_json_summary(Buffer *out, const ReportCounts *counts);
