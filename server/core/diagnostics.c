#include "base/limits.h"
#include "base/nearest.h"
#include "base/sort.h"
#include "core/diagnostic_sink.h"

static const RuleInfo rules[RULE_COUNT] = {
#define RULE(id, name, severity, languages, summary) [RULE_##id] = { name, severity, languages, summary },
#include "core/rules.def"
#undef RULE
};

/// So that finding a rule by its name measures no strings.
static const uint8_t name_lengths[RULE_COUNT] = {
#define RULE(id, name, severity, languages, summary) [RULE_##id] = sizeof(name) - 1,
#include "core/rules.def"
#undef RULE
};

const RuleInfo *rule_info(RuleId rule)
{
  return &rules[rule];
}

RuleId rule_find(Str name)
{
  for (int i = 0; i < RULE_COUNT; i++) {
    if (name.len == name_lengths[i] && memcmp(name.data, rules[i].name, name.len) == 0)
      return (RuleId)i;
  }
  return RULE_COUNT;
}

RuleId rule_nearest(Str name)
{
  const char *names[RULE_COUNT];
  Arena arena = { 0 };
  for (int i = 0; i < RULE_COUNT; i++)
    names[i] = rules[i].name;
  const char *near = nearest_word(arena_copy(&arena, name).data, names, RULE_COUNT);
  arena_done(&arena);
  return near ? rule_find(str_from(near)) : RULE_COUNT;
}

Str project_url(void)
{
  return STR("https://github.com/onnxls/onnxls");
}

Str rule_url(RuleId rule, Arena *arena)
{
  return arena_printf(arena, "%.*s/blob/main/docs/rules/%s.md", STR_ARG(project_url()), rules[rule].name);
}

bool rule_is_about(RuleId rule, const Language *language)
{
  return language && (rules[rule].languages & language->sets) != 0;
}

static Severity severity_of(const DiagSink *sink, RuleId rule, Severity severity)
{
  uint8_t set = sink->target->severities[rule];
  if (set != SEVERITY_DEFAULT)
    return (Severity)set;
  return severity == (Severity)SEVERITY_DEFAULT ? rules[rule].severity : severity;
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

/// Sorts what a chunk added after the first `before`, and drops what is over the limit.
static void settle(DiagSink *sink, DiagnosticVec *list, size_t before)
{
  if (list->count > before)
    sort_stable(list->items + before, list->count - before, sizeof(*list->items), compare_diagnostics);
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
