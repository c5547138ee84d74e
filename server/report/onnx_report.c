#include "report/onnx_report.h"

#include <stdlib.h>

#include "report/onnx_report_private.h"

static const Str cross = STR_INIT("\xe2\x9d\x8c");

/// The heads of reports, of progress, and of the exceptions that nobody else raises.
static bool is_report_line(Str line)
{
  static const Str heads[] = { STR_INIT("# PyTorch ONNX Conversion"), STR_INIT("[torch.onnx] "),
                               STR_INIT("torch.onnx._internal.exporter._errors."),
                               STR_INIT("<class 'torch.onnx._internal.exporter._errors.") };
  for (size_t i = 0; i < COUNT(heads); i++) {
    if (str_starts_with(line, heads[i]))
      return true;
  }
  return false;
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
} ReportPlan;

static const Language *graph_language(void)
{
  for (size_t i = 0; languages[i]; i++) {
    if (languages[i]->sets & IN_FX && languages[i]->dialect)
      return languages[i];
  }
  return NULL;
}

static void *plan_report(const Snapshot *snapshot, const void *previous)
{
  const ReportModel *old = previous;
  Document *document = report_without_code(snapshot_document(snapshot));
  ReportPlan *plan = xcalloc(1, sizeof(*plan));
  SnapshotInput input = { .uri = snapshot_uri(snapshot),
                          .version = snapshot_version(snapshot),
                          .document = document,
                          .target = snapshot_target(snapshot),
                          .language = graph_language() };
  plan->snapshot = snapshot;
  plan->graph = snapshot_plan(&input, old ? old->graph : NULL);
  document_release(document);
  return plan;
}

static uint32_t count_pieces(const void *plan)
{
  return snapshot_plan_count(((const ReportPlan *)plan)->graph);
}

static size_t count_bytes(const void *plan)
{
  return snapshot_plan_bytes(((const ReportPlan *)plan)->graph);
}

static void run_piece(void *plan, uint32_t piece)
{
  snapshot_plan_run(((ReportPlan *)plan)->graph, piece);
}

static void free_plan(void *plan)
{
  snapshot_plan_free(((ReportPlan *)plan)->graph);
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
  explain(model, plan->snapshot);
  free(plan);
  return model;
}

static void free_model(void *made)
{
  ReportModel *model = made;
  snapshot_release(model->graph);
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
  const Snapshot *graph = report_of(snapshot)->graph;
  snapshot_language(graph)->each_unread(graph, visit, context);
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
