// A report for GitLab's Code Quality.
// Source: GitLab's documentation, "Code Quality report format": a list of issues, each with a path relative to the
// repository, a severity of info, minor, major, critical or blocker, and a fingerprint that no other issue has.

#include <inttypes.h>

#include "cli/report_private.h"

static const char *severity_of(Severity severity)
{
  switch (severity) {
  case SEVERITY_ERROR:
    return "major";
  case SEVERITY_WARNING:
    return "minor";
  default:
    return "info";
  }
}

static void write_location(Writer *writer, const ReportedDocument *reported, Str path, Range range)
{
  Place place = report_place(reported->document, range);
  writer_key(writer, "location");
  writer_open(writer, '{');
  writer_member_str(writer, "path", path);
  writer_key(writer, "lines");
  writer_open(writer, '{');
  writer_member_int(writer, "begin", place.line);
  writer_member_int(writer, "end", place.end_line);
  writer_close(writer, '}');
  writer_close(writer, '}');
}

static void write_diagnostic(Buffer *out, const ReportedDocument *reported, Str path, const Diagnostic *diagnostic,
                             uint64_t fingerprint)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_str(&writer, "description", report_message(diagnostic, reported->arena));
  writer_member_str(&writer, "check_name", str_from(rule_info(diagnostic->rule)->name));
  writer_member_str(&writer, "fingerprint", arena_printf(reported->arena, "%016" PRIx64, fingerprint));
  writer_member_str(&writer, "severity", str_from(severity_of(diagnostic->severity)));
  write_location(&writer, reported, path, diagnostic->range);
  writer_close(&writer, '}');
}

static void begin_list(Buffer *out, const ReportStyle *style)
{
  buffer_append_char(out, '[');
}

static void write_document(Buffer *out, const ReportedDocument *reported)
{
  if (reported->shown_count == 0)
    return;
  Str path = report_relative_path(reported->style, reported->path, reported->arena);
  uint64_t *fingerprints = ARENA_ARRAY(reported->arena, uint64_t, reported->shown_count);
  report_fingerprints(reported, fingerprints);
  for (size_t i = 0; i < reported->shown_count; i++) {
    buffer_append(out, i > 0 ? STR(",\n") : STR("\n"));
    write_diagnostic(out, reported, path, reported->shown[i], fingerprints[i]);
  }
}

static void end_list(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files)
{
  buffer_append(out, STR("\n]\n"));
}

const ReportWriter report_gitlab = {
  .name = "gitlab",
  .least = SEVERITY_HINT,
  .separator = ",",
  .begin = begin_list,
  .document = write_document,
  .end = end_list,
};
