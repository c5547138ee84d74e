// export-failed: what a report or a log says went wrong, at the step that failed and at the node; and what the rules of
// graphs find in the program and in the model that are printed there.

#include "report/onnx_report_private.h"

/// The first line of the message; of a text without steps that is where the finding stands.
static Range message_line(const ReportModel *model, const WhyFinding *finding)
{
  size_t end = str_find_char(model->text, '\n', finding->start);
  if (end == STR_NOT_FOUND || end > finding->end)
    end = finding->end;
  return (Range){ finding->start, end };
}

static void relate(const ReportModel *model, const WhyFinding *finding, Arena *arena, Diagnostic *diagnostic)
{
  RelatedLocation *related = ARENA_ARRAY(arena, RelatedLocation, 2);
  Range message = message_line(model, finding);
  if (!range_is_empty(message))
    related[diagnostic->related_count++] = (RelatedLocation){ message, STR("This says why.") };
  if (!range_is_empty(model->node))
    related[diagnostic->related_count++] = (RelatedLocation){ model->node, STR("The node that failed.") };
  diagnostic->related = related;
}

static void add_failure(DiagSink *sink, const ReportModel *model, bool is_node_said)
{
  static const WhyFinding unknown = { .what = STR_INIT("nobody says why.") };
  const WhyFinding *finding = model->answer.count > 0 ? &model->answer.findings[0] : &unknown;
  Diagnostic diagnostic = { .rule = RULE_EXPORT_FAILED,
                            .message = why_failure_words(&model->answer, finding, sink->arena) };
  Range range = range_is_empty(model->stage) ? message_line(model, finding) : model->stage;
  if (model->answer.count > 0)
    relate(model, finding, sink->arena, &diagnostic);
  sink_add_at(sink, range, (Severity)SEVERITY_DEFAULT, diagnostic);
  if (!range_is_empty(model->node) && !is_node_said)
    sink_add_at(sink, model->node, (Severity)SEVERITY_DEFAULT,
                (Diagnostic){ .rule = RULE_EXPORT_FAILED, .message = diagnostic.message });
}

/// Returns whether the line of the node that failed has a finding of its own.
static bool add_graph(DiagSink *sink, const ReportModel *model, const Snapshot *graph)
{
  bool is_node_said = false;
  DiagnosticList list = diagnostics_unless(sink->cancelled, graph, sink->arena);
  for (size_t i = 0; i < list.count; i++) {
    const Diagnostic *diagnostic = &list.items[i];
    // The graph's text has the traceback, too, but the report knows more of it.
    if (diagnostic->rule != RULE_EXPORT_FAILED && sink_wants(sink, diagnostic->rule, diagnostic->severity))
      sink_add_at(sink, diagnostic->range, diagnostic->severity, *diagnostic);
    bool is_support = diagnostic->rule == RULE_UNSUPPORTED_OP || diagnostic->rule == RULE_OP_NEEDS_NEWER_OPSET;
    is_node_said |=
        is_support && diagnostic->range.start >= model->node.start && diagnostic->range.end <= model->node.end;
  }
  sink->hidden += list.hidden;
  return is_node_said;
}

static void check_report(DiagSink *sink)
{
  const ReportModel *model = report_of(sink->snapshot);
  bool is_node_said = add_graph(sink, model, model->graph);
  if (model->onnx)
    add_graph(sink, model, model->onnx);
  if (model->has_failed && sink_wants(sink, RULE_EXPORT_FAILED, (Severity)SEVERITY_DEFAULT))
    add_failure(sink, model, is_node_said);
}

void report_check(DiagSink *sink)
{
  static RuleFamily *const families[] = { check_report };
  sink_check_lines(sink, 0, document_line_count(snapshot_document(sink->snapshot)), families, COUNT(families));
}
