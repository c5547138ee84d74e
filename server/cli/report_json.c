// JSON and JSON lines: the same objects in a list or one a line. docs/check.schema.json has their schema.

#include "cli/report_private.h"
#include "lsp/diagnostics_json.h"
#include "lsp/target_json.h"

static void write_place(Writer *writer, const Document *document, Range range)
{
  Place place = report_place(document, range);
  writer_member_int(writer, "line", place.line);
  writer_member_int(writer, "column", place.column);
  writer_member_int(writer, "endLine", place.end_line);
  writer_member_int(writer, "endColumn", place.end_column);
}

static void write_fix(Writer *writer, const Document *document, const Fix *fix)
{
  writer_open(writer, '{');
  writer_member_str(writer, "title", fix->title);
  writer_member_bool(writer, "safe", fix->is_safe);
  writer_key(writer, "edits");
  writer_open(writer, '[');
  for (size_t i = 0; i < fix->edit_count; i++) {
    writer_open(writer, '{');
    write_place(writer, document, fix->edits[i].range);
    writer_member_str(writer, "text", fix->edits[i].text);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  writer_close(writer, '}');
}

/// Where it is in a notebook, for those who see cells and not the file.
static void write_cell(Writer *writer, const CellPlace *cell)
{
  if (cell->number == 0)
    return;
  writer_key(writer, "cell");
  writer_open(writer, '{');
  writer_member_int(writer, "number", cell->number);
  writer_member_int(writer, "line", cell->line);
  writer_member_int(writer, "column", cell->column);
  writer_member_bool(writer, "output", cell->is_output);
  writer_close(writer, '}');
}

/// Of a problem that several nodes have: the others.
static void write_places(Writer *writer, const Document *document, const Diagnostic *diagnostic)
{
  if (diagnostic->node_count == 0)
    return;
  writer_member_int(writer, "nodes", (int64_t)diagnostic->node_count);
  writer_key(writer, "places");
  writer_open(writer, '[');
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    writer_open(writer, '{');
    write_place(writer, document, diagnostic->related[i].range);
    writer_member_str(writer, "message", diagnostic->related[i].message);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_diagnostic(Buffer *out, const ReportedDocument *reported, const Diagnostic *diagnostic)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_str(&writer, "file", str_from(reported->path));
  write_place(&writer, reported->document, diagnostic->range);
  write_cell(&writer, &diagnostic->cell);
  writer_member_str(&writer, "severity", str_from(severity_name(diagnostic->severity)));
  writer_member_str(&writer, "rule", str_from(rule_info(diagnostic->rule)->name));
  writer_member_str(&writer, "message", diagnostic->message);
  writer_member_str(&writer, "url", rule_url(diagnostic->rule, reported->arena));
  diagnostics_write_support(&writer, &diagnostic->support);
  write_places(&writer, reported->document, diagnostic);
  if (diagnostic->fix_count > 0) {
    writer_key(&writer, "fixes");
    writer_open(&writer, '[');
    for (size_t i = 0; i < diagnostic->fix_count; i++)
      write_fix(&writer, reported->document, &diagnostic->fixes[i]);
    writer_close(&writer, ']');
  }
  writer_close(&writer, '}');
}

static void begin_list(Buffer *out, const ReportStyle *style)
{
  buffer_append(out, STR("{\"version\":1,\"diagnostics\":["));
}

static void write_in_list(Buffer *out, const ReportedDocument *reported)
{
  for (size_t i = 0; i < reported->shown_count; i++) {
    buffer_append(out, i > 0 ? STR(",\n") : STR("\n"));
    write_diagnostic(out, reported, reported->shown[i]);
  }
}

void report_write_target(Writer *writer, const Target *target)
{
  writer_open(writer, '{');
  target_json_members(writer, target, NULL);
  writer_close(writer, '}');
}

static void end_list(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files)
{
  Writer writer = { .out = out };
  buffer_append(out, STR("\n],\"files\":["));
  buffer_append(out, files);
  buffer_append(out, STR("\n],\"target\":"));
  report_write_target(&writer, style->target);
  buffer_append(out, STR("}\n"));
}

void report_write_entry(Buffer *out, const ReportStyle *style, const ReportedFile *file)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_str(&writer, "file", str_from(file->path));
  writer_member_known_str(&writer, "kind", str_from(file->language ? file->language->name : NULL));
  writer_member_str(&writer, "status", str_from(coverage_name(file->coverage.status)));
  writer_member_known_str(&writer, "why", file->coverage.why);
  writer_member_str(&writer, "torch", style->target->torch);
  writer_member_str(&writer, "torchFrom", style->target->torch_origin);
  writer_member_str(&writer, "exporter", str_from(exporter_name(language_exporter(file->language, style->target))));
  writer_member_int(&writer, "opset", language_opset(file->language, style->target));
  writer_close(&writer, '}');
}

static void write_lines(Buffer *out, const ReportedDocument *reported)
{
  for (size_t i = 0; i < reported->shown_count; i++) {
    write_diagnostic(out, reported, reported->shown[i]);
    buffer_append_char(out, '\n');
  }
}

/// The last line of JSON lines.
static void write_summary(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_key(&writer, "summary");
  writer_open(&writer, '{');
  writer_member_int(&writer, "files", (int64_t)counts->files);
  writer_member_int(&writer, "failed", (int64_t)counts->failed);
  writer_member_int(&writer, "partly", (int64_t)counts->partly);
  writer_member_int(&writer, "skipped", (int64_t)counts->skipped);
  writer_member_int(&writer, "errors", (int64_t)counts->severities[SEVERITY_ERROR]);
  writer_member_int(&writer, "warnings", (int64_t)counts->severities[SEVERITY_WARNING]);
  writer_member_int(&writer, "infos", (int64_t)counts->severities[SEVERITY_INFO]);
  writer_member_int(&writer, "hints", (int64_t)counts->severities[SEVERITY_HINT]);
  writer_member_int(&writer, "hidden", (int64_t)counts->hidden);
  writer_member_int(&writer, "suppressed", (int64_t)counts->suppressed);
  writer_member_int(&writer, "known", (int64_t)counts->known);
  writer_close(&writer, '}');
  writer_key(&writer, "target");
  report_write_target(&writer, style->target);
  writer_close(&writer, '}');
  buffer_append_char(out, '\n');
}

const ReportWriter report_json = {
  .name = "json",
  .least = SEVERITY_HINT,
  .separator = ",",
  .lists_files = true,
  .begin = begin_list,
  .document = write_in_list,
  .end = end_list,
};

const ReportWriter report_jsonl = {
  .name = "jsonl",
  .least = SEVERITY_HINT,
  .separator = "",
  .lists_files = true,
  .streams_files = true,
  .document = write_lines,
  .end = write_summary,
};
