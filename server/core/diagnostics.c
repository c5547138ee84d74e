#include "base/limits.h"
#include "base/sort.h"
#include "core/diagnostic_sink.h"

static Severity severity_of(const DiagSink *sink, RuleId rule, Severity severity)
{
  uint8_t set = sink->target->severities[rule];
  if (set != SEVERITY_DEFAULT)
    return (Severity)set;
  return severity == (Severity)SEVERITY_DEFAULT ? rule_info(rule)->severity : severity;
}

static bool is_serious(Severity severity)
{
  return severity == SEVERITY_ERROR || severity == SEVERITY_WARNING;
}

bool sink_wants(DiagSink *sink, RuleId rule, Severity severity)
{
  severity = severity_of(sink, rule, severity);
  if (severity == SEVERITY_OFF)
    return false;
  if (sink->suppressed.count >= SUPPRESSED_LIMIT && suppressor_takes_all(&sink->suppressor, rule)) {
    sink->suppressed_total++;
    return false;
  }
  // Within a chunk rules come one after the other, but the limit is to take what comes first in the text.
  size_t count = is_serious(severity) ? sink->serious_before : sink->minor_before;
  if (sink->target->max_diagnostics == 0 || count < sink->target->max_diagnostics)
    return true;
  // One that nobody will see must still count as a reason for the comment that switches it off.
  if (suppressor_may_take(&sink->suppressor, rule))
    return true;
  sink->hidden++;
  return false;
}

void sink_add_at(DiagSink *sink, Range range, Severity severity, Diagnostic diagnostic)
{
  diagnostic.range = range;
  diagnostic.severity = severity_of(sink, diagnostic.rule, severity);
  if (suppressor_takes(&sink->suppressor, diagnostic.rule, range)) {
    sink->suppressed_total++;
    if (sink->suppressed.count < SUPPRESSED_LIMIT)
      vec_push(&sink->suppressed, diagnostic);
  } else if (is_serious(diagnostic.severity)) {
    vec_push(&sink->serious, diagnostic);
  } else {
    vec_push(&sink->minor, diagnostic);
  }
}

static int compare_diagnostics(const void *a, const void *b)
{
  const Diagnostic *x = a;
  const Diagnostic *y = b;
  if (x->range.start != y->range.start)
    return x->range.start < y->range.start ? -1 : 1;
  if (x->range.end != y->range.end)
    return x->range.end < y->range.end ? -1 : 1;
  return (int)x->rule - (int)y->rule;
}

/// Drops what says the same as the one before: one dict may give its arguments to several calls.
static void drop_repeated(DiagnosticVec *list, size_t before)
{
  size_t kept = before;
  for (size_t i = before; i < list->count; i++) {
    bool is_first = kept == before || compare_diagnostics(&list->items[kept - 1], &list->items[i]) != 0 ||
                    !str_equal(list->items[kept - 1].message, list->items[i].message);
    if (is_first)
      list->items[kept++] = list->items[i];
  }
  list->count = kept;
}

/// Sorts what a chunk added after the first `before`, and drops what is over the limit.
static void settle(DiagSink *sink, DiagnosticVec *list, size_t before)
{
  if (list->count > before) {
    sort_stable(list->items + before, list->count - before, sizeof(*list->items), compare_diagnostics);
    drop_repeated(list, before);
  }
  size_t limit = sink->target->max_diagnostics;
  if (limit != 0 && list->count > limit) {
    sink->hidden += list->count - limit;
    list->count = limit;
  }
}

static bool is_cancelled(const DiagSink *sink)
{
  return sink->cancelled && atomic_load_explicit(sink->cancelled, memory_order_relaxed);
}

void sink_check_lines(DiagSink *sink, uint32_t first_line, uint32_t end_line, RuleFamily *const *families,
                      size_t family_count)
{
  suppressor_enter(&sink->suppressor, first_line, end_line);
  sink->serious_before = sink->serious.count;
  sink->minor_before = sink->minor.count;
  for (size_t i = 0; i < family_count && !is_cancelled(sink); i++)
    families[i](sink);
  settle(sink, &sink->serious, sink->serious_before);
  settle(sink, &sink->minor, sink->minor_before);
}

/// What is wrong with the comments that switch rules off; after everything else.
static void check_suppressions(DiagSink *sink)
{
  Severity severity = severity_of(sink, RULE_UNUSED_SUPPRESSION, (Severity)SEVERITY_DEFAULT);
  if (severity == SEVERITY_OFF)
    return;
  DiagnosticVec *list = is_serious(severity) ? &sink->serious : &sink->minor;
  DiagnosticVec found = { 0 };
  sink->hidden += suppressor_report(&sink->suppressor, sink->target->max_diagnostics, sink->arena, &found);
  for (size_t i = 0; i < found.count; i++)
    found.items[i].severity = severity;
  if (found.count > 0) {
    vec_append(list, found.items, found.count);
    settle(sink, list, 0);
  }
  vec_free(&found);
}

/// Serious ones first as far as the limit goes, then all in order of position.
static DiagnosticList merge(DiagSink *sink)
{
  size_t limit = sink->target->max_diagnostics;
  size_t serious = sink->serious.count;
  size_t minor = sink->minor.count;
  if (limit != 0 && serious + minor > limit) {
    minor = limit - serious;
    sink->hidden += sink->minor.count - minor;
  }
  Diagnostic *items = ARENA_ARRAY(sink->arena, Diagnostic, serious + minor);
  size_t s = 0;
  size_t m = 0;
  while (s + m < serious + minor) {
    bool takes_minor =
        s == serious || (m < minor && compare_diagnostics(&sink->minor.items[m], &sink->serious.items[s]) < 0);
    items[s + m] = takes_minor ? sink->minor.items[m] : sink->serious.items[s];
    m += takes_minor;
    s += !takes_minor;
  }
  Diagnostic *suppressed = vec_copy(&sink->suppressed, sink->arena);
  return (DiagnosticList){
    .items = items,
    .count = serious + minor,
    .hidden = sink->hidden,
    .suppressed = suppressed,
    .suppressed_count = sink->suppressed.count,
    .suppressed_total = sink->suppressed_total,
  };
}

DiagnosticList diagnostics_of(const Snapshot *snapshot, Arena *arena)
{
  return diagnostics_unless(NULL, snapshot, arena);
}

DiagnosticList diagnostics_unless(const atomic_bool *cancelled, const Snapshot *snapshot, Arena *arena)
{
  if (!snapshot_model(snapshot))
    return (DiagnosticList){ 0 };
  DiagSink sink = { .snapshot = snapshot, .target = snapshot_target(snapshot), .arena = arena };
  sink.cancelled = cancelled;
  suppressor_init(&sink.suppressor, snapshot);
  snapshot_language(snapshot)->check(&sink);
  check_suppressions(&sink);
  DiagnosticList list = merge(&sink);
  suppressor_done(&sink.suppressor);
  vec_free(&sink.serious);
  vec_free(&sink.minor);
  vec_free(&sink.suppressed);
  return list;
}
