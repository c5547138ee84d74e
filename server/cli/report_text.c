// The text form: `file:line:column: severity: message [rule]`, then the source line with a marker for people at a
// terminal. A dump may hold any byte, so nothing that moves a terminal's cursor is passed through.
#include "cli/report_private.h"
#include "text/utf.h"

enum {
  SOURCE_LEAD = 40,    ///< Bytes of a long line that are shown before the place.
  SOURCE_SHOWN = 110,  ///< Code points of a line that are shown at all.
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

static bool is_control(uint32_t c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/// One code point, in one column of a terminal.
static void append_cell(Buffer *out, uint32_t c)
{
  char bytes[UTF_MAX_BYTES];
  if (c == '\t')
    c = ' ';
  size_t len = utf_encode(is_control(c) ? UTF_REPLACEMENT : c, bytes);
  buffer_append(out, str_make(bytes, len));
}

/// Text of a message or a path: a line break becomes a space.
static void append_plain(Buffer *out, Str s)
{
  size_t len;
  for (size_t i = 0; i < s.len; i += len) {
    uint32_t c = utf_decode(s, i, &len);
    append_cell(out, c == '\n' ? ' ' : c);
  }
}

static void append_head(Buffer *out, const ReportStyle *style, const char *path, const Document *document,
                        size_t offset)
{
  Place place = report_place(document, (Range){ offset, offset });
  if (style->color)
    buffer_append(out, STR("\x1b[1m"));
  append_plain(out, str_from(path));
  buffer_printf(out, ":%u:%u: ", place.line, place.column);
  if (style->color)
    buffer_append(out, STR("\x1b[0m"));
}

/// The marker: spaces up to the place, "^", and "~" to its end.
static void append_marker(Buffer *out, Str line, size_t from, size_t to, size_t start, size_t end)
{
  size_t len;
  for (size_t i = from; i < to && i < end; i += len) {
    utf_decode(line, i, &len);
    buffer_append_char(out, i < start ? ' ' : (i == start ? '^' : '~'));
  }
  if (start >= to || start >= end)
    buffer_append_char(out, '^');
}

static void append_source(Buffer *out, const ReportStyle *style, const Document *document, Range range)
{
  uint32_t number = document_line_of(document, range.start);
  Str line = document_line(document, number);
  size_t line_start = document_line_start(document, number);
  size_t start = str_slice(line, 0, range.start - line_start).len;
  size_t end = str_slice(line, 0, range.end - line_start).len;

  size_t from = end > SOURCE_SHOWN && start > SOURCE_LEAD ? utf_floor(line, start - SOURCE_LEAD) : 0;
  buffer_append(out, from > 0 ? STR("  …") : STR("  "));
  size_t to = from;
  size_t len;
  for (int shown = 0; to < line.len && shown < SOURCE_SHOWN; shown++, to += len)
    append_cell(out, utf_decode(line, to, &len));
  buffer_append(out, to < line.len ? STR("…\n") : STR("\n"));
  buffer_append(out, from > 0 ? STR("   ") : STR("  "));
  if (style->color)
    buffer_append(out, STR("\x1b[1;32m"));
  append_marker(out, line, from, to, start, end);
  buffer_append(out, style->color ? STR("\x1b[0m\n") : STR("\n"));
}

void report_text(Buffer *out, const ReportStyle *style, const char *path, const Document *document,
                 const Diagnostic *diagnostic)
{
  append_head(out, style, path, document, diagnostic->range.start);
  buffer_printf(out, "%s%s:%s ", style->color ? color_of(diagnostic->severity) : "",
                severity_name(diagnostic->severity), style->color ? "\x1b[0m" : "");
  append_plain(out, diagnostic->message);
  buffer_printf(out, " [%s]\n", rule_info(diagnostic->rule)->name);
  if (style->show_source)
    append_source(out, style, document, diagnostic->range);
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    append_head(out, style, path, document, diagnostic->related[i].range.start);
    buffer_append(out, STR("note: "));
    append_plain(out, diagnostic->related[i].message);
    buffer_append_char(out, '\n');
  }
}
