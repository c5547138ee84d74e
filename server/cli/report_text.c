// The text form: `file:line:column: severity: message [rule]`, then for people at a terminal the source line with a
// marker under the place. A file may hold any byte, so nothing that moves a terminal's cursor is passed through.
#include <stdio.h>

#include "cli/report_private.h"
#include "text/printable.h"
#include "text/utf.h"
#include "text/width.h"

enum {
  COLUMNS = 110,    ///< Of a line that are shown.
  LEAD_BYTES = 40,  ///< Before the place, where a line is too long to be shown from its beginning.
  TAB_COLUMNS = 4,
};

static const char *color_of(Severity severity)
{
  switch (severity) {
  case SEVERITY_ERROR:
    return "\x1b[1;31m";
  case SEVERITY_WARNING:
    return "\x1b[1;35m";
  default:
    return "\x1b[1;36m";
  }
}

static void append_code_point(Buffer *out, uint32_t c)
{
  char bytes[UTF_MAX_BYTES];
  size_t len = utf_encode(printable_is_control(c) ? UTF_REPLACEMENT : c, bytes);
  buffer_append(out, str_make(bytes, len));
}

static void append_head(Buffer *out, const ReportStyle *style, const char *path, const Document *document,
                        size_t offset)
{
  Place place = report_place(document, (Range){ offset, offset });
  if (style->color)
    buffer_append(out, STR("\x1b[1m"));
  printable_append_line(out, str_from(path));
  buffer_printf(out, ":%u:%u: ", place.line, place.column);
  if (style->color)
    buffer_append(out, STR("\x1b[0m"));
}

/// A line as it is shown, and the marker below it, made together so that they line up.
typedef struct Excerpt {
  Buffer text;
  Buffer marker;
  int column;
} Excerpt;

static void add_cells(Excerpt *excerpt, uint32_t c, char mark)
{
  int width = c == '\t' ? TAB_COLUMNS - excerpt->column % TAB_COLUMNS : printable_is_control(c) ? 1 : width_of_char(c);
  for (int i = 0; i < width; i++) {
    if (c == '\t')
      buffer_append_char(&excerpt->text, ' ');
    buffer_append_char(&excerpt->marker, mark);
  }
  if (c != '\t')
    append_code_point(&excerpt->text, c);
  excerpt->column += width;
}

static void add_ellipsis(Excerpt *excerpt)
{
  add_cells(excerpt, 0x2026, ' ');
}

/// Whether the line fits up to the place's beginning.
static bool fits(Str line, size_t start)
{
  return start <= COLUMNS && utf_units(str_slice(line, 0, start), POS_UTF32) + LEAD_BYTES <= COLUMNS;
}

/// Bytes [start, end) of the line are marked; a place of no width, or after the end, gets one mark.
static Excerpt make_excerpt(Str line, size_t start, size_t end)
{
  Excerpt excerpt = { 0 };
  bool is_whole = line.len <= COLUMNS || fits(line, start);
  size_t at = is_whole ? 0 : utf_floor(line, start > LEAD_BYTES ? start - LEAD_BYTES : 0);
  if (at > 0)
    add_ellipsis(&excerpt);
  size_t len;
  for (; at < line.len && excerpt.column < COLUMNS; at += len) {
    uint32_t c = utf_decode(line, at, &len);
    add_cells(&excerpt, c, at >= start && (at < end || at == start) ? '^' : ' ');
  }
  if (at < line.len)
    add_ellipsis(&excerpt);
  else if (start >= line.len)
    buffer_append_char(&excerpt.marker, '^');
  while (excerpt.marker.len > 0 && excerpt.marker.data[excerpt.marker.len - 1] == ' ')
    excerpt.marker.len--;
  return excerpt;
}

static void append_source(Buffer *out, const ReportStyle *style, const Document *document, const Diagnostic *diagnostic)
{
  Range range = diagnostic->range;
  uint32_t number = document_line_of(document, range.start);
  size_t line_start = document_line_start(document, number);
  Str line = document_line(document, number);
  size_t start = str_slice(line, 0, range.start - line_start).len;
  size_t end = str_slice(line, 0, range.end - line_start).len;
  Excerpt excerpt = make_excerpt(line, start, end);
  const char *gutter = style->color ? "\x1b[1;34m" : "";
  const char *mark = style->color ? color_of(diagnostic->severity) : "";
  const char *plain = style->color ? "\x1b[0m" : "";
  int digits = snprintf(NULL, 0, "%u", number + 1);
  buffer_printf(out, "%s %u |%s ", gutter, number + 1, plain);
  buffer_append(out, buffer_str(&excerpt.text));
  buffer_printf(out, "\n%s %*s |%s %s", gutter, digits, "", plain, mark);
  buffer_append(out, buffer_str(&excerpt.marker));
  buffer_printf(out, "%s\n", plain);
  for (size_t i = 0; i < diagnostic->fix_count; i++) {
    buffer_printf(out, "%s %*s =%s fix: ", gutter, digits, "", plain);
    printable_append_line(out, diagnostic->fixes[i].title);
    buffer_append_char(out, '\n');
  }
  buffer_done(&excerpt.text);
  buffer_done(&excerpt.marker);
}

static void write_diagnostic(Buffer *out, const ReportedDocument *reported, const Diagnostic *diagnostic)
{
  const ReportStyle *style = reported->style;
  append_head(out, style, reported->path, reported->document, diagnostic->range.start);
  buffer_printf(out, "%s%s:%s ", style->color ? color_of(diagnostic->severity) : "",
                severity_name(diagnostic->severity), style->color ? "\x1b[0m" : "");
  printable_append_line(out, report_message(diagnostic, reported->arena));
  buffer_printf(out, " [%s]\n", rule_info(diagnostic->rule)->name);
  if (style->show_source)
    append_source(out, style, reported->document, diagnostic);
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    append_head(out, style, reported->path, reported->document, diagnostic->related[i].range.start);
    buffer_append(out, STR("note: "));
    printable_append_line(out, diagnostic->related[i].message);
    buffer_append_char(out, '\n');
  }
}

static void write_document(Buffer *out, const ReportedDocument *reported)
{
  for (size_t i = 0; i < reported->shown_count; i++)
    write_diagnostic(out, reported, reported->shown[i]);
}

const ReportWriter report_text = {
  .name = "text",
  .least = SEVERITY_INFO,
  .separator = "",
  .document = write_document,
};
