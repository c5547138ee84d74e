#include "cli/report.h"

#include "cli/report_private.h"
#include "text/path.h"

static const ReportWriter *const writers[REPORT_FORMAT_COUNT] = {
  [REPORT_TEXT] = &report_text,   [REPORT_JSON] = &report_json,     [REPORT_JSONL] = &report_jsonl,
  [REPORT_SARIF] = &report_sarif, [REPORT_GITHUB] = &report_github, [REPORT_GITLAB] = &report_gitlab,
  [REPORT_JUNIT] = &report_junit,
};

const char *report_format_name(ReportFormat format)
{
  return writers[format]->name;
}

Severity report_default_severity(ReportFormat format)
{
  return writers[format]->least;
}

Place report_place(const Document *document, Range range)
{
  Position start = document_position(document, range.start, POS_UTF32);
  Position end = document_position(document, range.end, POS_UTF32);
  return (Place){ start.line + 1, start.character + 1, end.line + 1, end.character + 1 };
}

Str report_message(const Diagnostic *diagnostic, Arena *arena)
{
  const CellPlace *cell = &diagnostic->cell;
  if (cell->number == 0)
    return diagnostic->message;
  return arena_printf(arena, "%scell %u, line %u: %.*s", cell->is_output ? "output of " : "", cell->number, cell->line,
                      STR_ARG(diagnostic->message));
}

Str report_relative_path(const ReportStyle *style, const char *path, Arena *arena)
{
  Str folder = path_normalize(str_from(style->folder), arena);
  Str absolute = path_join(folder, str_from(path), arena);
  bool is_root = folder.len > 0 && folder.data[folder.len - 1] == '/';
  size_t len = is_root ? folder.len : folder.len + 1;
  bool is_below = str_starts_with(absolute, folder) && absolute.len > len && absolute.data[len - 1] == '/';
  return is_below ? str_slice(absolute, len, absolute.len) : absolute;
}

Str report_baseline_path(const ReportStyle *style, const char *path, Arena *arena)
{
  ReportStyle from = { .folder = baseline_folder(style->baseline) };
  return report_relative_path(&from, path_join(str_from(style->folder), str_from(path), arena).data, arena);
}

/// Leaves out of the list what the baseline has. A fingerprint counts those that are alike, so each finding gets its
/// own before any is left out.
static void take_known(ReportedDocument *reported, ReportCounts *counts)
{
  DiagnosticList *list = &reported->list;
  ReportStyle style = { .folder = baseline_folder(reported->style->baseline) };
  ReportedDocument all = *reported;
  const Diagnostic **items = ARENA_ARRAY(reported->arena, const Diagnostic *, list->count);
  uint64_t *fingerprints = ARENA_ARRAY(reported->arena, uint64_t, list->count);
  for (size_t i = 0; i < list->count; i++)
    items[i] = &list->items[i];
  all.style = &style;
  Str file = report_baseline_path(reported->style, reported->path, reported->arena);
  all.path = arena_copy(reported->arena, file).data;
  all.shown = items;
  all.shown_count = list->count;
  report_fingerprints(&all, fingerprints);
  Diagnostic *left = ARENA_ARRAY(reported->arena, Diagnostic, list->count);
  size_t count = 0;
  for (size_t i = 0; i < list->count; i++) {
    BaselineFinding finding = { file, str_from(rule_info(items[i]->rule)->name), items[i]->message, fingerprints[i] };
    if (!baseline_takes(reported->style->baseline, &finding))
      left[count++] = *items[i];
  }
  counts->known += list->count - count;
  list->items = left;
  list->count = count;
}

/// Counts all and picks those that are severe enough.
static void choose(ReportedDocument *reported, ReportCounts *counts)
{
  const DiagnosticList *list = &reported->list;
  const Diagnostic **shown = ARENA_ARRAY(reported->arena, const Diagnostic *, list->count);
  for (size_t i = 0; i < list->count; i++) {
    const Diagnostic *diagnostic = &list->items[i];
    counts->severities[diagnostic->severity]++;
    if (diagnostic->severity > reported->style->least)
      counts->below++;
    else
      shown[reported->shown_count++] = diagnostic;
  }
  reported->shown = shown;
  counts->files++;
  counts->files_with_findings += counts->severities[SEVERITY_ERROR] + counts->severities[SEVERITY_WARNING] > 0;
  counts->hidden += list->hidden;
  counts->suppressed += list->suppressed_total;
}

static DiagnosticList diagnostics_to_show(const Snapshot *snapshot, Arena *arena)
{
  DiagnosticList list = diagnostics_of(snapshot, arena);
  return diagnostics_shown(snapshot, &list, arena);
}

void report_document(Buffer *out, const ReportStyle *style, const char *path, const Snapshot *snapshot, Str failure,
                     ReportCounts *counts)
{
  Arena arena = { 0 };
  ReportedDocument reported = {
    .style = style,
    .path = path,
    .failure = failure,
    .snapshot = snapshot,
    .document = snapshot_document(snapshot),
    .list = diagnostics_to_show(snapshot, &arena),
    .arena = &arena,
  };
  if (style->baseline)
    take_known(&reported, counts);
  choose(&reported, counts);
  writers[style->format]->document(out, &reported);
  arena_done(&arena);
}

void report_failure(Buffer *out, const ReportStyle *style, const char *path, Str reason)
{
  if (writers[style->format]->failure)
    writers[style->format]->failure(out, style, path, reason);
}

void report_begin(Buffer *out, const ReportStyle *style)
{
  if (writers[style->format]->begin)
    writers[style->format]->begin(out, style);
}

void report_separate(Buffer *out, const ReportStyle *style)
{
  buffer_append(out, str_from(writers[style->format]->separator));
}

void report_end(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files)
{
  if (writers[style->format]->end)
    writers[style->format]->end(out, style, counts, files);
}

void report_counts_add(ReportCounts *sum, const ReportCounts *counts)
{
  sum->files += counts->files;
  sum->files_with_findings += counts->files_with_findings;
  sum->failed += counts->failed;
  sum->partly += counts->partly;
  sum->foreign += counts->foreign;
  sum->skipped += counts->skipped;
  sum->below += counts->below;
  sum->hidden += counts->hidden;
  sum->suppressed += counts->suppressed;
  sum->known += counts->known;
  for (int i = SEVERITY_ERROR; i <= SEVERITY_HINT; i++)
    sum->severities[i] += counts->severities[i];
}

static void count_noun(Buffer *out, size_t count, const char *noun)
{
  buffer_printf(out, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

void report_file(Buffer *out, const ReportStyle *style, const ReportedFile *file)
{
  if (writers[style->format]->lists_files)
    report_write_entry(out, style, file);
}

bool report_streams_files(ReportFormat format)
{
  return writers[format]->streams_files;
}

void report_append_target(Buffer *out, const Target *target)
{
  buffer_printf(out, " (torch %.*s: %.*s, exporter %s: %.*s, opset %d: %.*s", STR_ARG(target->torch),
                STR_ARG(target->torch_origin), exporter_name(target->exporter), STR_ARG(target->exporter_origin),
                target->opset, STR_ARG(target->opset_origin));
  if (target->runtime.len > 0)
    buffer_printf(out, ", runtime %.*s: %.*s", STR_ARG(target->runtime), STR_ARG(target->runtime_origin));
  buffer_append_char(out, ')');
}

void report_summary(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str others)
{
  buffer_append(out, STR("onnxls: "));
  const char *separator = "";
  for (int i = SEVERITY_ERROR; i <= SEVERITY_HINT; i++) {
    if (counts->severities[i] == 0)
      continue;
    buffer_append(out, str_from(separator));
    count_noun(out, counts->severities[i], severity_names[i]);
    separator = ", ";
  }
  if (separator[0] == '\0')
    buffer_append(out, counts->files > 0 ? STR("nothing found") : STR("nothing was checked"));
  buffer_append(out, STR(" in "));
  count_noun(out, counts->files, "file");
  report_append_target(out, style->target);
  buffer_append(out, others);
  if (counts->partly > 0)
    buffer_printf(out, "; %zu of them checked in part", counts->partly);
  if (counts->foreign > 0)
    buffer_printf(out, "; in %zu of them nothing is about exporting", counts->foreign);
  if (counts->skipped > 0)
    buffer_printf(out, "; %zu more skipped", counts->skipped);
  if (counts->suppressed > 0)
    buffer_printf(out, "; %zu ignored by comments", counts->suppressed);
  if (counts->known > 0)
    buffer_printf(out, "; %zu known from the baseline", counts->known);
  if (counts->below > 0)
    buffer_printf(out, "; %zu not shown (--severity %s shows all)", counts->below, severity_name(SEVERITY_HINT));
  if (counts->hidden > 0)
    buffer_printf(out, "; %zu more than --max-diagnostics shows", counts->hidden);
  if (counts->failed > 0) {
    buffer_append(out, STR("; "));
    count_noun(out, counts->failed, "file");
    buffer_append(out, STR(" not checked"));
  }
  buffer_append_char(out, '\n');
}
