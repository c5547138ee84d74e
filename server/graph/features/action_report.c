// The unsupported operators of a dump as a document of their own.

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "graph/features/graph_features.h"
#include "graph/features/hover_private.h"

typedef struct ReportEntry {
  Str op;
  Str words;  ///< What the exporter makes of it.
  bool is_certain;
  size_t count;
  Vec(uint32_t) lines;  ///< From 1; the first REPORT_LINE_LIMIT.
} ReportEntry;

typedef struct Report {
  Map *by_name;  ///< To ReportEntry, in the arena.
  Vec(ReportEntry *) entries;
  Arena *arena;
} Report;

static ReportEntry *entry_of(Report *report, const OperatorContext *job, Str op)
{
  ReportEntry *entry = map_get(report->by_name, op);
  if (!entry) {
    entry = ARENA_NEW(report->arena, ReportEntry);
    entry->op = op;
    OperatorTarget target = operator_target(job);
    OperatorFacts facts = operator_facts(&target, op, false, report->arena);
    entry->words = operator_refusal_phrase(&facts, report->arena);
    entry->is_certain = facts.verdict == VERDICT_CUSTOM;
    map_put(report->by_name, op, entry);
    vec_push(&report->entries, entry);
  }
  return entry;
}

static void gather_chunk(Report *report, const OperatorContext *job, uint32_t c)
{
  const ChunkState *chunk = snapshot_dump(job->snapshot)->chunks[c];
  const RefusalList *list = snapshot_refusals(job->snapshot)->chunks[c];
  for (uint32_t i = 0; list && i < list->count; i++) {
    const Refusal *refusal = &list->items[i];
    const Item *item = &chunk->index->items[refusal->item];
    ReportEntry *entry = entry_of(report, job, dump_op_name(chunk->index, chunk_text(chunk), item->op));
    entry->is_certain |= refusal->fate == FATE_CONVERTED;
    if (entry->count++ < REPORT_LINE_LIMIT)
      vec_push(&entry->lines, job->document->chunk_lines[c] + item->line + 1);
  }
}

/// The most frequent first.
static int compare_entries(const void *a, const void *b)
{
  const ReportEntry *x = *(ReportEntry *const *)a;
  const ReportEntry *y = *(ReportEntry *const *)b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return str_compare(x->op, y->op);
}

/// Two lines: what it is, and where. Editors make links of the numbers.
static void write_entry(Buffer *out, const ReportEntry *entry)
{
  buffer_printf(out, "\n%.*s: %zu node%s, %.*s%s\n", STR_ARG(entry->op), entry->count, entry->count == 1 ? "" : "s",
                STR_ARG(entry->words), entry->is_certain ? "" : "; not certain");
  buffer_append(out, entry->count == 1 ? STR("    line ") : STR("    lines "));
  for (size_t i = 0; i < entry->lines.count; i++)
    buffer_printf(out, "%s%u", i > 0 ? ", " : "", entry->lines.items[i]);
  if (entry->count > entry->lines.count)
    buffer_append(out, STR(" and more"));
  buffer_append(out, STR("\n"));
}

static void write_report(Buffer *out, const OperatorContext *job, const Report *report, Str name)
{
  buffer_printf(out, "Unsupported operators of %.*s\n", STR_ARG(name));
  if (report->entries.count == 0) {
    bool is_judged = snapshot_dialect(job->snapshot)->exporter == EXPORTER_TORCHSCRIPT;
    buffer_append(out, is_judged ? STR("\nNone is reported.\n")
                                 : STR("\nWhat the dynamo exporter refuses in such a graph is not known here.\n"));
    return;
  }
  buffer_printf(out, "to opset %d with the %s exporter of torch %.*s\n", job->target->opset,
                exporter_title(job->target->exporter), STR_ARG(job->target->torch));
  for (size_t i = 0; i < report->entries.count; i++)
    write_entry(out, report->entries.items[i]);
}

Str graph_report(const FeatureContext *context, Str name)
{
  OperatorContext job = operator_context(context);
  Report report = { .by_name = map_new(), .arena = context->arena };
  for (uint32_t c = 0; c < snapshot_dump(job.snapshot)->chunk_count; c++)
    gather_chunk(&report, &job, c);
  vec_sort(&report.entries, compare_entries);
  Buffer out = { 0 };
  write_report(&out, &job, &report, name);
  Str text = arena_copy(context->arena, buffer_str(&out));
  for (size_t i = 0; i < report.entries.count; i++)
    vec_free(&report.entries.items[i]->lines);
  vec_free(&report.entries);
  map_free(report.by_name);
  buffer_done(&out);
  return text;
}
