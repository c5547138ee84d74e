#include "cli/report_private.h"
#include "text/utf.h"

/// The escape that JSON asks for, or NULL.
static const char *short_escape(char c)
{
  switch (c) {
  case '"':
    return "\\\"";
  case '\\':
    return "\\\\";
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    return NULL;
  }
}

void report_json_string(Buffer *out, Str s)
{
  Arena arena = { 0 };
  Str text = utf_repair(s, &arena);
  buffer_append_char(out, '"');
  size_t plain = 0;
  for (size_t i = 0; i < text.len; i++) {
    unsigned char c = (unsigned char)text.data[i];
    const char *escape = short_escape(text.data[i]);
    if (!escape && c >= 0x20 && c != 0x7f)
      continue;
    buffer_append(out, str_slice(text, plain, i));
    if (escape)
      buffer_append(out, str_from(escape));
    else
      buffer_printf(out, "\\u%04x", c);
    plain = i + 1;
  }
  buffer_append(out, str_slice(text, plain, text.len));
  buffer_append_char(out, '"');
  arena_done(&arena);
}

static void append_member(Buffer *out, const char *name, Str value)
{
  buffer_printf(out, ",\"%s\":", name);
  report_json_string(out, value);
}

static void append_support(Buffer *out, const SupportData *support)
{
  buffer_append(out, STR(",\"data\":"));
  if (support->op.len == 0) {
    buffer_append(out, STR("null"));
    return;
  }
  buffer_append(out, STR("{\"op\":"));
  report_json_string(out, support->op);
  buffer_printf(out, ",\"opset\":%d", support->opset);
  append_member(out, "exporter", support->exporter);
  append_member(out, "torch", support->torch);
  if (support->since > 0)
    buffer_printf(out, ",\"since\":%d}", support->since);
  else
    buffer_append(out, STR(",\"since\":null}"));
}

void report_json(Buffer *out, const char *path, const Document *document, const Diagnostic *diagnostic, Arena *arena)
{
  Place place = report_place(document, diagnostic->range);
  buffer_append(out, STR("{\"file\":"));
  report_json_string(out, str_from(path));
  buffer_printf(out, ",\"line\":%u,\"column\":%u,\"endLine\":%u,\"endColumn\":%u", place.line, place.column,
                place.end_line, place.end_column);
  append_member(out, "severity", str_from(severity_name(diagnostic->severity)));
  append_member(out, "rule", str_from(rule_info(diagnostic->rule)->name));
  append_member(out, "message", diagnostic->message);
  append_member(out, "url", rule_url(diagnostic->rule, arena));
  append_support(out, &diagnostic->support);
  buffer_append_char(out, '}');
}
