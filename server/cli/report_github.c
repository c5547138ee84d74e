// Commands of GitHub's workflows, which become annotations of the lines of a change.
// Source: GitHub's documentation, "Workflow commands": `::error file=F,line=L::MESSAGE`, with `%`, line breaks and, in
// properties, `:` and `,` percent-encoded. A column only means something in an annotation of one line.

#include "cli/report_private.h"
#include "text/printable.h"

/// Text in which nothing ends the command or the property.
static void append_escaped(Buffer *out, Str text, bool is_property)
{
  static const char digits[] = "0123456789ABCDEF";
  Buffer plain = { 0 };
  printable_append_line(&plain, text);
  for (size_t i = 0; i < plain.len; i++) {
    char c = plain.data[i];
    bool is_special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    if (!is_special) {
      buffer_append_char(out, c);
      continue;
    }
    buffer_append_char(out, '%');
    buffer_append_char(out, digits[(unsigned char)c >> 4]);
    buffer_append_char(out, digits[c & 15]);
  }
  buffer_done(&plain);
}

static const char *command_of(Severity severity)
{
  switch (severity) {
  case SEVERITY_ERROR:
    return "error";
  case SEVERITY_WARNING:
    return "warning";
  default:
    return "notice";
  }
}

static void write_diagnostic(Buffer *out, const ReportedDocument *reported, Str path, const Diagnostic *diagnostic)
{
  Place place = report_place(reported->document, diagnostic->range);
  buffer_printf(out, "::%s file=", command_of(diagnostic->severity));
  append_escaped(out, path, true);
  buffer_printf(out, ",line=%u,endLine=%u", place.line, place.end_line);
  if (place.line == place.end_line)
    buffer_printf(out, ",col=%u,endColumn=%u", place.column, place.end_column);
  buffer_printf(out, ",title=onnxls (%s)::", rule_info(diagnostic->rule)->name);
  append_escaped(out, report_message(diagnostic, reported->arena), false);
  buffer_append_char(out, '\n');
}

static void write_failure(Buffer *out, const ReportStyle *style, const char *path, Str reason)
{
  Arena arena = { 0 };
  buffer_append(out, STR("::error file="));
  append_escaped(out, report_relative_path(style, path, &arena), true);
  buffer_append(out, STR(",title=onnxls::"));
  append_escaped(out, str_trim(reason), false);
  buffer_append_char(out, '\n');
  arena_done(&arena);
}

static void write_document(Buffer *out, const ReportedDocument *reported)
{
  Str path = report_relative_path(reported->style, reported->path, reported->arena);
  for (size_t i = 0; i < reported->shown_count; i++)
    write_diagnostic(out, reported, path, reported->shown[i]);
  if (reported->failure.len > 0)
    write_failure(out, reported->style, reported->path, reported->failure);
}

const ReportWriter report_github = {
  .name = "github",
  .least = SEVERITY_INFO,
  .separator = "",
  .document = write_document,
  .failure = write_failure,
};
