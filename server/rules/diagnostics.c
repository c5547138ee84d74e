#include "rules/diagnostics.h"

#include "rules/rules_private.h"

static const RuleInfo rules[RULE_COUNT] = {
#define RULE(id, name, severity, summary) [RULE_##id] = { name, severity, summary },
#include "rules/rules.def"
#undef RULE
};

static void (*const families[])(DiagSink *) = {
  check_support,
  check_syntax,
  check_values,
};

const RuleInfo *rule_info(RuleId rule)
{
  return &rules[rule];
}

RuleId rule_find(Str name)
{
  for (int i = 0; i < RULE_COUNT; i++) {
    if (str_equal(name, str_from(rules[i].name)))
      return (RuleId)i;
  }
  return RULE_COUNT;
}

Str rule_url(RuleId rule, Arena *arena)
{
  return arena_printf(arena, "https://github.com/onnxls/onnxls/blob/main/docs/rules/%s.md", rules[rule].name);
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
  // Within a chunk rules come one after the other, but the limit is to take what comes first in the text.
  size_t count = is_serious(severity) ? sink->serious_before : sink->minor_before;
  if (sink->target->max_diagnostics == 0 || count < sink->target->max_diagnostics)
    return true;
  sink->hidden++;
  return false;
}

void sink_add(DiagSink *sink, uint32_t start, uint32_t end, Severity severity, Diagnostic diagnostic)
{
  size_t base = snapshot_document(sink->snapshot)->chunk_offsets[sink->chunk];
  diagnostic.range = (Range){ base + start, base + end };
  diagnostic.severity = severity_of(sink, diagnostic.rule, severity);
  if (is_serious(diagnostic.severity))
    vec_push(&sink->serious, diagnostic);
  else
    vec_push(&sink->minor, diagnostic);
}

Range sink_place_range(const DiagSink *sink, Place place)
{
  const DumpIndex *index = sink->dump->chunks[place.chunk]->index;
  const Occurrence *occurrence = &index->occurrences[place.occurrence];
  size_t start = snapshot_document(sink->snapshot)->chunk_offsets[place.chunk] + occurrence->start;
  return (Range){ start, start + index->symbols[occurrence->symbol].len };
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

/// Sorts what a chunk added behind the first `before`, and drops what is over the limit.
static void settle(DiagSink *sink, DiagnosticVec *list, size_t before)
{
  if (list->count > before + 1)
    qsort(list->items + before, list->count - before, sizeof(*list->items), compare_diagnostics);
  size_t limit = sink->target->max_diagnostics;
  if (limit != 0 && list->count > limit) {
    sink->hidden += list->count - limit;
    list->count = limit;
  }
}

static void check_chunk(DiagSink *sink, uint32_t chunk)
{
  sink->chunk = chunk;
  sink->serious_before = sink->serious.count;
  sink->minor_before = sink->minor.count;
  for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
    families[i](sink);
  settle(sink, &sink->serious, sink->serious_before);
  settle(sink, &sink->minor, sink->minor_before);
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
  return (DiagnosticList){ items, serious + minor, sink->hidden };
}

DiagnosticList diagnostics_of(const Snapshot *snapshot, Arena *arena)
{
  const Dump *dump = snapshot_dump(snapshot);
  if (!dump)
    return (DiagnosticList){ 0 };
  DiagSink sink = { .snapshot = snapshot, .dump = dump, .target = snapshot_target(snapshot), .arena = arena };
  for (uint32_t chunk = 0; chunk < dump->chunk_count; chunk++)
    check_chunk(&sink, chunk);
  DiagnosticList list = merge(&sink);
  vec_free(&sink.serious);
  vec_free(&sink.minor);
  return list;
}
