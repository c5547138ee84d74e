#include "cli/report.h"

#include "cli/report_private.h"

const char *severity_name(Severity severity)
{
  switch (severity) {
  case SEVERITY_ERROR:
    return "error";
  case SEVERITY_WARNING:
    return "warning";
  case SEVERITY_INFO:
    return "info";
  case SEVERITY_HINT:
    return "hint";
  case SEVERITY_OFF:
    break;
  }
  return "off";
}

Place report_place(const Document *document, Range range)
{
  Position start = document_position(document, range.start, POS_UTF32);
  Position end = document_position(document, range.end, POS_UTF32);
  return (Place){ start.line + 1, start.character + 1, end.line + 1, end.character + 1 };
}

static void append_diagnostic(Buffer *out, const ReportStyle *style, const char *path, const Document *document,
                              const Diagnostic *diagnostic, Arena *arena)
{
  switch (style->format) {
  case REPORT_TEXT:
    report_text(out, style, path, document, diagnostic);
    break;
  case REPORT_JSON:
    buffer_append_char(out, '\n');
    report_json(out, path, document, diagnostic, arena);
    break;
  case REPORT_JSONL:
    report_json(out, path, document, diagnostic, arena);
    buffer_append_char(out, '\n');
    break;
  }
}

void report_document(Buffer *out, const ReportStyle *style, const char *path, const Snapshot *snapshot,
                     ReportCounts *counts)
{
  Arena arena = { 0 };
  const Document *document = snapshot_document(snapshot);
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  size_t start = out->len;
  for (size_t i = 0; i < list.count; i++) {
    const Diagnostic *diagnostic = &list.items[i];
    counts->severities[diagnostic->severity]++;
    if (diagnostic->severity > style->least) {
      counts->below++;
      continue;
    }
    if (out->len > start)
      report_separate(out, style);
    append_diagnostic(out, style, path, document, diagnostic, &arena);
  }
  counts->files++;
  counts->files_with_findings += counts->severities[SEVERITY_ERROR] + counts->severities[SEVERITY_WARNING] > 0;
  counts->hidden += list.hidden;
  arena_done(&arena);
}

void report_begin(Buffer *out, const ReportStyle *style)
{
  if (style->format == REPORT_JSON)
    buffer_append(out, STR("{\"version\":1,\"diagnostics\":["));
}

void report_separate(Buffer *out, const ReportStyle *style)
{
  if (style->format == REPORT_JSON)
    buffer_append_char(out, ',');
}

void report_end(Buffer *out, const ReportStyle *style, const ReportCounts *counts)
{
  if (style->format == REPORT_JSON) {
    buffer_append(out, STR("\n]}\n"));
  } else if (style->format == REPORT_JSONL) {
    report_json_summary(out, counts);
    buffer_append_char(out, '\n');
  }
}

void report_counts_add(ReportCounts *sum, const ReportCounts *counts)
{
  sum->files += counts->files;
  sum->files_with_findings += counts->files_with_findings;
  sum->failed += counts->failed;
  sum->below += counts->below;
  sum->hidden += counts->hidden;
  for (int i = SEVERITY_ERROR; i <= SEVERITY_HINT; i++)
    sum->severities[i] += counts->severities[i];
}

static void count_noun(Buffer *out, size_t count, const char *noun)
{
  buffer_printf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void report_summary(Buffer *out, const ReportStyle *style, const ReportCounts *counts)
{
  static const char *const nouns[] = { "", "error", "warning", "info", "hint" };
  buffer_append(out, STR("onnxls: "));
  const char *separator = "";
  for (int i = SEVERITY_ERROR; i <= SEVERITY_HINT; i++) {
    if (counts->severities[i] == 0)
      continue;
    buffer_append(out, str_from(separator));
    count_noun(out, counts->severities[i], nouns[i]);
    separator = ", ";
  }
  if (separator[0] == '\0')
    buffer_append(out, STR("nothing found"));
  buffer_append(out, STR(" in "));
  count_noun(out, counts->files, "file");
  if (counts->below > 0)
    buffer_printf(out, "; %zu not shown (--severity %s shows all)", counts->below, severity_name(SEVERITY_HINT));
  if (counts->hidden > 0)
    buffer_printf(out, "; %zu more behind --max-diagnostics", counts->hidden);
  if (counts->failed > 0) {
    buffer_append(out, STR("; "));
    count_noun(out, counts->failed, "file");
    buffer_append(out, STR(" not checked"));
  }
  buffer_append_char(out, '\n');
}
