// JUnit's XML, as far as its many readers agree: a suite for each file, a failed test for each error and warning. What
// is less severe is a test that passed and says something.
// Source: XML 1.0, section 2.2 for the characters that may be in it.

#include "cli/report_private.h"
#include "text/utf.h"

/// XML has no way to write most control characters, U+FFFE and U+FFFF.
static bool is_xml(uint32_t c)
{
  return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0x7f && c != 0xfffe && c != 0xffff);
}

static void append_xml(Buffer *out, Str text)
{
  size_t len;
  for (size_t i = 0; i < text.len; i += len) {
    uint32_t c = utf_decode(text, i, &len);
    char bytes[UTF_MAX_BYTES];
    if (!is_xml(c))
      continue;
    if (c == '&')
      buffer_append(out, STR("&amp;"));
    else if (c == '<')
      buffer_append(out, STR("&lt;"));
    else if (c == '>')
      buffer_append(out, STR("&gt;"));
    else if (c == '"')
      buffer_append(out, STR("&quot;"));
    else if (c == '\t' || c == '\n' || c == '\r')
      buffer_printf(out, "&#%u;", c);
    else
      buffer_append(out, str_make(bytes, utf_encode(c, bytes)));
  }
}

static void append_attribute(Buffer *out, const char *name, Str value)
{
  buffer_printf(out, " %s=\"", name);
  append_xml(out, value);
  buffer_append_char(out, '"');
}

static void open_suite(Buffer *out, Str path, size_t tests, size_t failures, size_t errors)
{
  buffer_append(out, STR("  <testsuite"));
  append_attribute(out, "name", path);
  buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\">\n", tests, failures, errors);
}

static void open_case(Buffer *out, Str path, Str name)
{
  buffer_append(out, STR("    <testcase"));
  append_attribute(out, "classname", path);
  append_attribute(out, "name", name);
}

static bool is_failure(const Diagnostic *diagnostic)
{
  return diagnostic->severity == SEVERITY_ERROR || diagnostic->severity == SEVERITY_WARNING;
}

static void write_diagnostic(Buffer *out, const ReportedDocument *reported, Str path, const Diagnostic *diagnostic)
{
  const char *rule = rule_info(diagnostic->rule)->name;
  Place place = report_place(reported->document, diagnostic->range);
  open_case(out, path, arena_printf(reported->arena, "%s at %u:%u", rule, place.line, place.column));
  append_attribute(out, "file", path);
  buffer_printf(out, " line=\"%u\">\n", place.line);
  if (is_failure(diagnostic)) {
    buffer_printf(out, "      <failure type=\"%s\"", severity_name(diagnostic->severity));
    append_attribute(out, "message", report_message(diagnostic, reported->arena));
    buffer_append_char(out, '>');
  } else {
    buffer_append(out, STR("      <system-out>"));
  }
  append_xml(out, arena_printf(reported->arena, "%.*s:%u:%u: %s: ", STR_ARG(path), place.line, place.column,
                               severity_name(diagnostic->severity)));
  append_xml(out, report_message(diagnostic, reported->arena));
  append_xml(out, arena_printf(reported->arena, " [%s]", rule));
  buffer_append(out, is_failure(diagnostic) ? STR("</failure>\n") : STR("</system-out>\n"));
  buffer_append(out, STR("    </testcase>\n"));
}

static void write_error(Buffer *out, Str path, Str reason)
{
  open_case(out, path, STR("not checked"));
  buffer_append(out, STR(">\n      <error type=\"unreadable\""));
  append_attribute(out, "message", str_trim(reason));
  buffer_append(out, STR("/>\n    </testcase>\n"));
}

static void write_document(Buffer *out, const ReportedDocument *reported)
{
  Str path = report_relative_path(reported->style, reported->path, reported->arena);
  bool has_failed = reported->failure.len > 0;
  size_t failures = 0;
  for (size_t i = 0; i < reported->shown_count; i++)
    failures += is_failure(reported->shown[i]);
  // Readers take a suite without tests for one that did not run.
  bool is_clean = reported->shown_count == 0 && !has_failed;
  open_suite(out, path, reported->shown_count + has_failed + is_clean, failures, has_failed);
  if (is_clean) {
    open_case(out, path, STR("nothing found"));
    buffer_append(out, STR("/>\n"));
  }
  for (size_t i = 0; i < reported->shown_count; i++)
    write_diagnostic(out, reported, path, reported->shown[i]);
  if (has_failed)
    write_error(out, path, reported->failure);
  buffer_append(out, STR("  </testsuite>\n"));
}

static void write_failure(Buffer *out, const ReportStyle *style, const char *path, Str reason)
{
  Arena arena = { 0 };
  Str relative = report_relative_path(style, path, &arena);
  open_suite(out, relative, 1, 0, 1);
  write_error(out, relative, reason);
  buffer_append(out, STR("  </testsuite>\n"));
  arena_done(&arena);
}

static void begin(Buffer *out, const ReportStyle *style)
{
  Buffer name = { 0 };
  buffer_append(&name, STR("onnxls"));
  report_append_target(&name, style->target);
  buffer_append(out, STR("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
  append_attribute(out, "name", buffer_str(&name));
  buffer_append(out, STR(">\n"));
  buffer_done(&name);
}

static void end(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files)
{
  buffer_append(out, STR("</testsuites>\n"));
}

const ReportWriter report_junit = {
  .name = "junit",
  .least = SEVERITY_INFO,
  .separator = "",
  .begin = begin,
  .document = write_document,
  .end = end,
  .failure = write_failure,
};
