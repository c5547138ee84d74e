#include "report/onnx_report.h"

#include <stdlib.h>

#include "report/onnx_report_private.h"

static const Str cross = STR_INIT("\xe2\x9d\x8c");

/// The heads of reports, of progress, and the exceptions that nobody else raises, whatever a log writes before them.
static bool is_report_line(Str line)
{
  static const Str heads[] = { STR_INIT("# PyTorch ONNX Conversion"), STR_INIT("[torch.onnx] ") };
  for (size_t i = 0; i < COUNT(heads); i++) {
    if (str_starts_with(line, heads[i]))
      return true;
  }
  return str_contains(line, STR("torch.onnx._internal.exporter._errors."));
}

/// Of Markdown files in folders only reports are of interest, not pages that quote logs.
static bool is_report(Str text)
{
  return str_starts_with(str_trim(text), STR("# PyTorch ONNX Conversion"));
}

// --- The model ---

typedef struct ReportPlan {
  const Snapshot *snapshot;
  SnapshotPlan *graph;
  SnapshotPlan *onnx;  ///< NULL if the text has no model.
  Range onnx_range;
} ReportPlan;

/// A plan for a part of the text, which is released.
static SnapshotPlan *plan_part(const Snapshot *snapshot, Document *text, Str language, const Snapshot *previous)
{
  SnapshotInput input = { .uri = snapshot_uri(snapshot),
                          .version = snapshot_version(snapshot),
                          .document = text,
                          .target = snapshot_target(snapshot),
                          .language = language_of_id(language) };
  SnapshotPlan *plan = snapshot_plan(&input, previous);
  document_release(text);
  return plan;
}

static void *plan_report(const Snapshot *snapshot, const void *previous)
{
  const ReportModel *old = previous;
  const Document *document = snapshot_document(snapshot);
  ReportPlan *plan = xcalloc(1, sizeof(*plan));
  Range onnx = report_onnx_range(document);
  plan->snapshot = snapshot;
  plan->onnx_range = onnx;
  plan->graph = plan_part(snapshot, report_program(document, onnx), STR("fx-graph"), old ? old->graph : NULL);
  if (onnx.end > onnx.start)
    plan->onnx = plan_part(snapshot, report_onnx(document, onnx), STR("onnx-ir"), old ? old->onnx : NULL);
  return plan;
}

static uint32_t count_pieces(const void *made)
{
  const ReportPlan *plan = made;
  return snapshot_plan_count(plan->graph) + (plan->onnx ? snapshot_plan_count(plan->onnx) : 0);
}

static size_t count_bytes(const void *made)
{
  const ReportPlan *plan = made;
  return snapshot_plan_bytes(plan->graph) + (plan->onnx ? snapshot_plan_bytes(plan->onnx) : 0);
}

static void run_piece(void *made, uint32_t piece)
{
  ReportPlan *plan = made;
  uint32_t first = snapshot_plan_count(plan->graph);
  if (piece < first)
    snapshot_plan_run(plan->graph, piece);
  else
    snapshot_plan_run(plan->onnx, piece - first);
}

static void free_plan(void *made)
{
  ReportPlan *plan = made;
  snapshot_plan_free(plan->graph);
  if (plan->onnx)
    snapshot_plan_free(plan->onnx);
  free(plan);
}

/// The line around an offset, without the blanks around it.
static Range line_around(Str text, size_t offset)
{
  size_t start = offset;
  while (start > 0 && text.data[start - 1] != '\n')
    start--;
  size_t end = str_find_char(text, '\n', offset);
  Str line = str_trim(str_slice(text, start, end));
  start = (size_t)(line.data - text.data);
  return (Range){ start, start + line.len };
}

/// The last line with a cross: what failed before may have been tried again in another way.
static Range find_stage(Str text)
{
  size_t found = STR_NOT_FOUND;
  for (size_t at = str_find(text, cross, 0); at != STR_NOT_FOUND; at = str_find(text, cross, at + 1))
    found = at;
  return found == STR_NOT_FOUND ? (Range){ 0, 0 } : line_around(text, found);
}

/// "bessel_i0e" of "Error when translating node %bessel_i0e : [num_users=1] = ..."
static Str failing_node(Str text)
{
  static const Str words = STR_INIT("Error when translating node %");
  size_t at = str_find(text, words, 0);
  if (at == STR_NOT_FOUND)
    return (Str){ 0 };
  Str rest = str_slice(text, at + words.len, text.len);
  size_t blank = str_find_char(rest, ' ', 0);
  return blank == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, 0, blank);
}

/// The line of the exported program that defines the node: `bessel_i0e: "f32[2]" = ...`.
static Range find_node(Str text, Str name)
{
  size_t start = name.len > 0 ? str_find(text, STR("ExportedProgram:"), 0) : STR_NOT_FOUND;
  for (size_t at = start; at < text.len;) {
    size_t end = str_find_char(text, '\n', at);
    Str line = str_trim(str_slice(text, at, end));
    Str after = str_slice(line, name.len, line.len);
    if (str_starts_with(line, name) && (str_starts_with(after, STR(": \"")) || str_starts_with(after, STR(" = "))))
      return line_around(text, (size_t)(line.data - text.data));
    at = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  return (Range){ 0, 0 };
}

static void explain(ReportModel *model, const Snapshot *snapshot)
{
  const Document *document = snapshot_document(snapshot);
  model->text = document_slice(document, (Range){ 0, document_length(document) }, &model->arena);
  why_explain(model->text, target_db(snapshot_target(snapshot)), &model->arena, &model->answer);
  const WhyAnswer *answer = &model->answer;
  bool has_error = answer->count > 0 && !answer->findings[0].is_warning;
  model->has_failed = answer->outcome == WHY_FAILED || (answer->outcome == WHY_UNKNOWN && has_error);
  if (!model->has_failed)
    return;
  model->stage = find_stage(model->text);
  model->node = find_node(model->text, failing_node(model->text));
}

static void *finish_plan(void *made)
{
  ReportPlan *plan = made;
  ReportModel *model = xcalloc(1, sizeof(*model));
  model->graph = snapshot_plan_finish(plan->graph);
  model->onnx = plan->onnx ? snapshot_plan_finish(plan->onnx) : NULL;
  model->onnx_range = plan->onnx_range;
  explain(model, plan->snapshot);
  free(plan);
  return model;
}

static void free_model(void *made)
{
  ReportModel *model = made;
  snapshot_release(model->graph);
  if (model->onnx)
    snapshot_release(model->onnx);
  arena_done(&model->arena);
  free(model);
}

static const LanguageModel report_model = {
  .plan = plan_report,
  .plan_count = count_pieces,
  .plan_bytes = count_bytes,
  .plan_run = run_piece,
  .plan_finish = finish_plan,
  .plan_free = free_plan,
  .free = free_model,
};

// --- What others see of it ---

static void each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context)
{
  const Snapshot *const graphs[] = { report_of(snapshot)->graph, report_of(snapshot)->onnx };
  for (size_t i = 0; i < COUNT(graphs) && graphs[i]; i++)
    snapshot_language(graphs[i])->each_unread(graphs[i], visit, context);
}

/// Without steps and without an exception nobody can tell how the export ended.
static Str blind_spot(const Snapshot *snapshot, Arena *arena)
{
  const ReportModel *model = report_of(snapshot);
  const Snapshot *graph = model->graph;
  Str why = snapshot_language(graph)->blind_spot(graph, arena);
  bool is_open = !model->has_failed && model->answer.outcome == WHY_UNKNOWN;
  return is_open ? STR("the text doesn't say how the export ended; take the log or the report to its end") : why;
}

static void summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  const Snapshot *graph = report_of(snapshot)->graph;
  snapshot_language(graph)->summarize(graph, file);
}

const Language onnx_report_language = {
  .name = "onnx-report",
  .title = "a report or log of an export",
  .sets = IN_GRAPHS | IN_FX | IN_REPORTS,
  .is_for_dynamo = true,
  .endings = (const LanguageEnding[]){ { STR_INIT(".md"), true }, { { 0 }, false } },
  .first_code = "the report",
  .unread_advice = "print the graph again, one node a line",
  .quick_check_limit = 1 << 20,
  .sniff_line = is_report_line,
  .is_relevant = is_report,
  .model = &report_model,
  .check = report_check,
  .each_unread = each_unread,
  .blind_spot = blind_spot,
  .summarize = summarize,
  .features = &report_features,
};
