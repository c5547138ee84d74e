#include "cli/report_private.h"
#include "rpc/writer.h"

static void write_support(Writer *writer, const SupportData *support)
{
  writer_key(writer, "data");
  if (support->op.len == 0) {
    writer_null(writer);
    return;
  }
  writer_open(writer, '{');
  writer_member_str(writer, "op", support->op);
  writer_member_int(writer, "opset", support->opset);
  writer_member_str(writer, "exporter", support->exporter);
  writer_member_str(writer, "torch", support->torch);
  writer_key(writer, "since");
  if (support->since > 0)
    writer_int(writer, support->since);
  else
    writer_null(writer);
  writer_close(writer, '}');
}

void report_json(Buffer *out, const char *path, const Document *document, const Diagnostic *diagnostic, Arena *arena)
{
  Writer writer = { .out = out };
  Place place = report_place(document, diagnostic->range);
  writer_open(&writer, '{');
  writer_member_str(&writer, "file", str_from(path));
  writer_member_int(&writer, "line", place.line);
  writer_member_int(&writer, "column", place.column);
  writer_member_int(&writer, "endLine", place.end_line);
  writer_member_int(&writer, "endColumn", place.end_column);
  writer_member_str(&writer, "severity", str_from(severity_name(diagnostic->severity)));
  writer_member_str(&writer, "rule", str_from(rule_info(diagnostic->rule)->name));
  writer_member_str(&writer, "message", diagnostic->message);
  writer_member_str(&writer, "url", rule_url(diagnostic->rule, arena));
  write_support(&writer, &diagnostic->support);
  writer_close(&writer, '}');
}

void report_json_summary(Buffer *out, const ReportCounts *counts)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_key(&writer, "summary");
  writer_open(&writer, '{');
  writer_member_int(&writer, "files", (int64_t)counts->files);
  writer_member_int(&writer, "failed", (int64_t)counts->failed);
  writer_member_int(&writer, "errors", (int64_t)counts->severities[SEVERITY_ERROR]);
  writer_member_int(&writer, "warnings", (int64_t)counts->severities[SEVERITY_WARNING]);
  writer_member_int(&writer, "infos", (int64_t)counts->severities[SEVERITY_INFO]);
  writer_member_int(&writer, "hints", (int64_t)counts->severities[SEVERITY_HINT]);
  writer_member_int(&writer, "hidden", (int64_t)counts->hidden);
  writer_close(&writer, '}');
  writer_close(&writer, '}');
}
