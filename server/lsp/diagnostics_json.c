#include "lsp/diagnostics_json.h"

typedef struct Job {
  Writer *writer;
  const Snapshot *snapshot;
  const ClientCapabilities *client;
  Arena *arena;
  PositionCursor cursor;   ///< For the diagnostics, which come in order.
  PositionCursor related;  ///< For other places, so that the first cursor need not go back.
  Str urls[RULE_COUNT];    ///< Made when first needed.
} Job;

/// The cell with the place; NULL if there are no cells.
static const Cell *cell_of(const Snapshot *snapshot, size_t offset)
{
  return cells_at_line(snapshot_cells(snapshot), document_line_of(snapshot_document(snapshot), offset));
}

static void write_related(Job *job, const Diagnostic *diagnostic)
{
  Writer *writer = job->writer;
  writer_key(writer, "relatedInformation");
  writer_open(writer, '[');
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    const RelatedLocation *related = &diagnostic->related[i];
    writer_open(writer, '{');
    writer_key(writer, "location");
    writer_open(writer, '{');
    const Cell *cell = cell_of(job->snapshot, related->range.start);
    writer_member_str(writer, "uri", cell ? cell->uri : snapshot_uri(job->snapshot));
    position_write_range_member(writer, "range", &job->related, related->range);
    writer_close(writer, '}');
    writer_member_str(writer, "message", related->message);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

void diagnostics_write_support(Writer *writer, const SupportData *support)
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
  writer_member_known_int(writer, "since", support->since);
  if (support->part.len > 0)
    writer_member_str(writer, "part", support->part);
  writer_close(writer, '}');
}

static Str url_of(Job *job, RuleId rule)
{
  if (job->urls[rule].len == 0)
    job->urls[rule] = rule_url(rule, job->arena);
  return job->urls[rule];
}

static void write_one(Job *job, const Diagnostic *diagnostic)
{
  Writer *writer = job->writer;
  writer_open(writer, '{');
  position_write_range_member(writer, "range", &job->cursor, diagnostic->range);
  writer_member_int(writer, "severity", diagnostic->severity);
  writer_member_str(writer, "code", str_from(rule_info(diagnostic->rule)->name));
  writer_key(writer, "codeDescription");
  writer_open(writer, '{');
  writer_member_str(writer, "href", url_of(job, diagnostic->rule));
  writer_close(writer, '}');
  writer_member_str(writer, "source", STR("onnxls"));
  writer_member_str(writer, "message", diagnostic->message);
  if (diagnostic->is_unnecessary && job->client->takes_unnecessary_tag) {
    writer_key(writer, "tags");
    writer_raw(writer, STR("[1]"));
  }
  if (diagnostic->related_count > 0 && job->client->takes_related_information)
    write_related(job, diagnostic);
  if (diagnostic->support.op.len > 0)
    diagnostics_write_support(writer, &diagnostic->support);
  writer_close(writer, '}');
}

void diagnostics_write(Writer *writer, const Snapshot *snapshot, const Cell *cell, const DiagnosticList *list,
                       const ClientCapabilities *client, Arena *arena)
{
  Job job = { .writer = writer, .snapshot = snapshot, .client = client, .arena = arena };
  job.cursor = position_cursor_in(snapshot, client->encoding);
  job.related = job.cursor;
  writer_open(writer, '[');
  for (size_t i = 0; i < list->count; i++) {
    if (!cell || cell_of(snapshot, list->items[i].range.start) == cell)
      write_one(&job, &list->items[i]);
  }
  writer_close(writer, ']');
}
