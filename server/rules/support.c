// unsupported-op, op-needs-newer-opset: what analysis/ found that the exporter refuses, in words.

#include "rules/rules_private.h"
#include "text/marker.h"

/// Where a node came from in Python: the `# file.py:12:3` at the end of its line.
typedef struct SourceRef {
  Str path;
  Str line;
} SourceRef;

static bool is_number(Str s)
{
  uint64_t value;
  return str_to_uint(s, UINT32_MAX, &value);
}

static bool find_source(Str line, SourceRef *ret_source)
{
  size_t column = str_rfind_char(line, ':');
  if (column == STR_NOT_FOUND || !is_number(str_slice(line, column + 1, line.len)))
    return false;
  size_t row = str_rfind_char(str_slice(line, 0, column), ':');
  if (row == STR_NOT_FOUND || !is_number(str_slice(line, row + 1, column)))
    return false;
  Str before = str_slice(line, 0, row);
  for (size_t hash = str_rfind_char(before, '#'); hash != STR_NOT_FOUND && hash + 2 < before.len;) {
    if (before.data[hash + 1] == ' ' && hash > 0 && before.data[hash - 1] == ' ') {
      *ret_source = (SourceRef){ str_slice(before, hash + 2, before.len), str_slice(line, row + 1, column) };
      return true;
    }
    hash = str_rfind_char(str_slice(before, 0, hash), '#');
  }
  return false;
}

/// The same where a comment of ours stands behind it.
static bool find_source_before_comment(Str line, SourceRef *ret_source)
{
  size_t marker = marker_find(line, 0);
  size_t hash = marker == STR_NOT_FOUND ? STR_NOT_FOUND : marker_hash(line, marker);
  return hash != STR_NOT_FOUND && find_source(str_trim(str_slice(line, 0, hash)), ret_source);
}

Range node_op_range(const ChunkState *chunk, const Item *item, Str op)
{
  uint32_t line_start = chunk->text->starts[item->line];
  Str line = text_chunk_line(chunk->text, item->line);
  size_t from = 0;
  if (item->def_count > 0) {
    const Occurrence *last = &chunk->index->occurrences[item->first_occurrence + item->def_count - 1];
    from = last->start - line_start + chunk->index->symbols[last->symbol].len;
  }
  size_t at = str_find(line, STR(" = "), from);
  at = str_find(line, op, at == STR_NOT_FOUND ? from : at);
  if (at == STR_NOT_FOUND)
    at = from;
  return (Range){ line_start + at, line_start + at + op.len };
}

// --- Words about an operator ---

/// The torch version whose facts were asked.
static uint32_t torch_of(const DiagSink *sink)
{
  TorchChoice choice = { 0 };
  symbolics_resolve_torch(target_db(sink->target), sink->target->torch, &choice);
  return choice.torch;
}

static Str torch_name(const DiagSink *sink)
{
  const Str *versions;
  symbolics_torch_versions(target_db(sink->target), &versions);
  return versions[torch_of(sink)];
}

/// Is it a function of the workspace, not of torch, that takes the operator from that opset on?
static bool is_own_function(const DiagSink *sink, Str op, int since)
{
  const Target *target = sink->target;
  return target->workspace &&
         symbolics_support(target_db(target), torch_of(sink), SYMBOLICS_TORCHSCRIPT, op, target->opset).since != since;
}

static Str describe(const DiagSink *sink, Str op, const Refusal *refusal)
{
  int opset = sink->target->opset;
  const SupportAnswer *answer = &refusal->answer;
  const char *verb = refusal->fate == FATE_UNSURE ? "may not be exportable" : "can't be exported";
  const char *unless = refusal->fate == FATE_UNSURE ? ", but a pass may remove it first" : "";
  if (answer->status == SUPPORT_UNKNOWN_NAMESPACE)
    return arena_printf(
        sink->arena, "'%.*s' is a custom operator: its export fails unless a symbolic function is registered for it.",
        STR_ARG(op));
  if (answer->since > opset) {
    if (is_own_function(sink, op, answer->since))
      return arena_printf(sink->arena,
                          "'%.*s' %s to opset %d; a symbolic function of the workspace takes it since opset %d%s.",
                          STR_ARG(op), verb, opset, answer->since, unless);
    const char *blocked = answer->status == SUPPORT_BLOCKED ? ", where its symbolic function only raises an error" : "";
    return arena_printf(sink->arena,
                        "'%.*s' %s to opset %d%s; the TorchScript exporter of torch %.*s supports it since opset %d%s.",
                        STR_ARG(op), verb, opset, blocked, STR_ARG(torch_name(sink)), answer->since, unless);
  }
  return arena_printf(sink->arena, "'%.*s' %s: the TorchScript exporter of torch %.*s supports it at no opset%s.",
                      STR_ARG(op), verb, STR_ARG(torch_name(sink)), unless);
}

/// A way out, if the facts know one.
static const char *hint(const DiagSink *sink, Str op, const Refusal *refusal)
{
  if (refusal->answer.status == SUPPORT_UNKNOWN_NAMESPACE)
    return "";
  SupportAnswer dynamo = symbolics_support(target_db(sink->target), torch_of(sink), SYMBOLICS_DYNAMO, op, 18);
  // Of an operator that is taken apart first only a run tells whether all its parts can be converted.
  bool can = dynamo.status == SUPPORT_YES || dynamo.status == SUPPORT_NEWER;
  return can ? " The dynamo exporter (dynamo=True) can convert it." : "";
}

/// The reason and the way out: made once for each operator, as a dump may have it thousands of times.
static Str explain(DiagSink *sink, Str op, const Refusal *refusal)
{
  SupportWords *words = &sink->support_words[(str_hash(op) + refusal->fate) % SUPPORT_WORDS];
  if (words->text.len == 0 || words->fate != refusal->fate || !str_equal(words->op, op)) {
    Str reason = describe(sink, op, refusal);
    Str text = arena_printf(sink->arena, "%.*s%s", STR_ARG(reason), hint(sink, op, refusal));
    *words = (SupportWords){ op, refusal->fate, text };
  }
  return words->text;
}

// --- Diagnostics ---

Str with_python_source(DiagSink *sink, Str text, Str line)
{
  SourceRef source;
  if (!find_source(line, &source) && !find_source_before_comment(line, &source))
    return text;
  const Str parts[] = { text, STR(" Python source: "), source.path, STR(":"), source.line };
  return arena_join(sink->arena, parts, sizeof(parts) / sizeof(parts[0]));
}

/// Shows what the missing operator holds up: the first use of its result.
static void relate_first_use(DiagSink *sink, const Refusal *refusal, Diagnostic *diagnostic)
{
  if (!refusal->has_use)
    return;
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[refusal->item];
  uint32_t symbol = chunk->index->occurrences[item->first_occurrence].symbol;
  const Str parts[] = { STR("Its result '"), dump_symbol_name(chunk->index, chunk_text(chunk), symbol),
                        STR("' is first used here.") };
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  related->range = sink_place_range(sink, refusal->first_use);
  related->message = arena_join(sink->arena, parts, sizeof(parts) / sizeof(parts[0]));
  diagnostic->related = related;
  diagnostic->related_count = 1;
}

/// Only what is certain is an error. What shapes and attributes decide during the export is no finding at all, while a
/// custom operator fails unless somebody registered it.
static Severity severity_of(const Refusal *refusal)
{
  if (refusal->fate == FATE_CONVERTED)
    return (Severity)SEVERITY_DEFAULT;
  return refusal->answer.status == SUPPORT_UNKNOWN_NAMESPACE ? SEVERITY_WARNING : SEVERITY_INFO;
}

static void add_refusal(DiagSink *sink, const Refusal *refusal)
{
  RuleId rule = refusal->answer.since > sink->target->opset ? RULE_OP_NEEDS_NEWER_OPSET : RULE_UNSUPPORTED_OP;
  Severity severity = severity_of(refusal);
  if (!sink_wants(sink, rule, severity))
    return;
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[refusal->item];
  Str op = dump_op_name(chunk->index, chunk_text(chunk), item->op);
  Diagnostic diagnostic = {
    .rule = rule,
    .message = with_python_source(sink, explain(sink, op, refusal), text_chunk_line(chunk->text, item->line)),
    .support = { .op = op,
                 .opset = sink->target->opset,
                 .exporter = str_from(exporter_name(sink->target->exporter)),
                 .torch = torch_name(sink),
                 .since = refusal->answer.since },
  };
  relate_first_use(sink, refusal, &diagnostic);
  Range range = node_op_range(chunk, item, op);
  sink_add(sink, (uint32_t)range.start, (uint32_t)range.end, severity, diagnostic);
}

void check_support(DiagSink *sink)
{
  const RefusalList *list = snapshot_refusals(sink->snapshot)->chunks[sink->chunk];
  for (uint32_t i = 0; list && i < list->count; i++)
    add_refusal(sink, &list->items[i]);
}
