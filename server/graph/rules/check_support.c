// unsupported-op, op-needs-newer-opset: what graph/model/refusals.h found that the exporter refuses, in words.

#include "base/limits.h"
#include "core/unknown_registration.h"
#include "describe/dynamo_words.h"
#include "describe/operator_words.h"
#include "graph/features/line_tail.h"
#include "graph/rules/graph_sink.h"
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

/// The same where a comment of ours comes after it.
static bool find_source_before_comment(Str line, SourceRef *ret_source)
{
  size_t marker = marker_find(line, 0);
  size_t hash = marker == STR_NOT_FOUND ? STR_NOT_FOUND : marker_hash(line, marker);
  return hash != STR_NOT_FOUND && find_source(str_trim(str_slice(line, 0, hash)), ret_source);
}

/// Where the operator stands after one of the values that the line defines; STR_NOT_FOUND.
static size_t find_op_after(const ChunkState *chunk, const Item *item, uint32_t definition, Str line, Str op)
{
  const Occurrence *value = &chunk->index->occurrences[item->first_occurrence + definition];
  size_t from = value->start - chunk->text->starts[item->line] + chunk->index->symbols[value->symbol].len;
  size_t equals = str_find(line, STR(" = "), from);
  return str_find(line, op, equals == STR_NOT_FOUND ? from : equals);
}

/// The operator stands after all that the line defines, or after the first of it, where more follows the call:
/// `y = f(x);  x = 8`.
Range graph_op_range(const ChunkState *chunk, const Item *item, Str op)
{
  uint32_t line_start = chunk->text->starts[item->line];
  Str line = text_chunk_line(chunk->text, item->line);
  size_t at = item->def_count > 0 ? find_op_after(chunk, item, item->def_count - 1u, line, op) : STR_NOT_FOUND;
  if (at == STR_NOT_FOUND && item->def_count > 1)
    at = find_op_after(chunk, item, 0, line, op);
  if (at == STR_NOT_FOUND)
    at = str_find(line, op, 0);
  return at == STR_NOT_FOUND ? (Range){ line_start, line_start + line.len }
                             : (Range){ line_start + at, line_start + at + op.len };
}

// --- Words about an operator ---

static OperatorTarget target_of(const DiagSink *sink)
{
  const Target *target = sink->target;
  TorchChoice choice = { 0 };
  symbolics_resolve_torch(target_db(target), target->torch, &choice);
  return (OperatorTarget){ .db = target_db(target),
                           .torch = choice.torch,
                           .exporter = target->exporter,
                           .opset = target->opset,
                           .workspace = target->workspace,
                           .onnxscript = target->onnxscript };
}

/// What might make the operator one that is converted after all.
static Str unknown_words(const DiagSink *sink, const OperatorTarget *target, Str op)
{
  OpsetSet own = symbolics_support_marks(target->db, target->torch, EXPORTER_TORCHSCRIPT, op).registered;
  const WorkspaceSymbolic *unknown = target->exporter == EXPORTER_TORCHSCRIPT
                                         ? unknown_registration_near(target->workspace, snapshot_uri(sink->snapshot),
                                                                     own, target->opset, target->opset)
                                         : NULL;
  return unknown ? unknown_registration_words(unknown, sink->arena) : (Str){ 0 };
}

/// The reason and the way out: made once for each operator, as a dump may have it thousands of times.
static const SupportWords *explain(DiagSink *sink, Str op, const Refusal *refusal)
{
  SupportWords *words = &sink_graph(sink)->support_words[(str_hash(op) + refusal->fate) % SUPPORT_WORDS];
  if (words->text.len == 0 || words->fate != refusal->fate || !str_equal(words->op, op)) {
    OperatorTarget target = target_of(sink);
    OperatorFacts facts = operator_facts(&target, op, false, sink->arena);
    Str reason = operator_refusal_words(&facts, refusal->fate == FATE_UNSURE, sink->arena);
    Str way_out = facts.verdict == VERDICT_CUSTOM ? (Str){ 0 } : operator_dynamo_words(&facts, sink->arena);
    Str unless = unknown_words(sink, &target, op);
    const Str parts[] = { reason, way_out.len > 0 ? STR(" ") : STR(""), way_out, unless };
    *words = (SupportWords){ op, refusal->fate, arena_join(sink->arena, parts, 4), facts.torch, unless.len > 0 };
  }
  return words;
}

// --- Diagnostics ---

Str graph_with_python_source(DiagSink *sink, Str text, Str line)
{
  SourceRef source;
  if (!find_source(line, &source) && !find_source_before_comment(line, &source))
    return text;
  const Str parts[] = { text, STR(" Python source: "), source.path, STR(":"), source.line };
  return arena_join(sink->arena, parts, COUNT(parts));
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
  related->message = arena_join(sink->arena, parts, COUNT(parts));
  diagnostic->related = related;
  diagnostic->related_count = 1;
}

/// Only what is certain is an error. What shapes and attributes decide during the export is not a finding at all, while
/// a custom operator fails unless somebody registered it.
static Severity severity_of(DiagSink *sink, Str op, const Refusal *refusal)
{
  bool is_dynamo = refusal->part.len > 0;
  Exporter exporter = language_exporter(snapshot_language(sink->snapshot), sink->target);
  if (refusal->answer.status == SUPPORT_UNKNOWN_NAMESPACE && (is_dynamo || refusal->fate != FATE_CONVERTED))
    return SEVERITY_WARNING;
  if (exporter == EXPORTER_TORCHSCRIPT && refusal->fate == FATE_CONVERTED &&
      explain(sink, op, refusal)->may_be_registered)
    return SEVERITY_WARNING;
  return refusal->fate == FATE_CONVERTED ? (Severity)SEVERITY_DEFAULT : SEVERITY_INFO;
}

static Str torchscript_message(DiagSink *sink, Str op, const Refusal *refusal, SupportData *support)
{
  const SupportWords *words = explain(sink, op, refusal);
  support->op = op;
  support->torch = words->torch;
  return words->text;
}

static Str dynamo_message(DiagSink *sink, Str op, const Refusal *refusal, SupportData *support)
{
  OperatorTarget target = target_of(sink);
  const Str *versions;
  size_t count = symbolics_torch_versions(target.db, &versions);
  DynamoFate fate = refusal_fate(refusal);
  support->op = dialect_operator_word(snapshot_dialect(sink->snapshot), op, sink->arena);
  support->torch = target.torch < count ? versions[target.torch] : (Str){ 0 };
  support->part = dynamo_overload_words(refusal->part, sink->arena);
  return dynamo_refusal_words(&target, support->op, &fate, sink->arena);
}

Str graph_node_scope(const DiagSink *sink, const Item *item)
{
  uint32_t line = snapshot_document(sink->snapshot)->chunk_lines[sink_graph(sink)->chunk] + item->line;
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(line_origin(sink->snapshot, line).scope, parts);
  Str path = count > 0 ? parts[count - 1].path : (Str){ 0 };
  return count > 0 && path.len == 0 ? line_tail_dotted(parts[count - 1].type) : path;
}

static void add_refusal(DiagSink *sink, const Refusal *refusal)
{
  const Language *language = snapshot_language(sink->snapshot);
  Exporter exporter = language_exporter(language, sink->target);
  int opset = language_opset(language, sink->target);
  RuleId rule = refusal->answer.since > opset ? RULE_OP_NEEDS_NEWER_OPSET : RULE_UNSUPPORTED_OP;
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[refusal->item];
  Str op = dump_op_name(chunk->index, chunk_text(chunk), item->op);
  Severity severity = severity_of(sink, op, refusal);
  if (!sink_wants(sink, rule, severity))
    return;
  Diagnostic diagnostic = {
    .rule = rule,
    .support = { .opset = opset, .exporter = str_from(exporter_name(exporter)), .since = refusal->answer.since }
  };
  Str message = exporter == EXPORTER_DYNAMO ? dynamo_message(sink, op, refusal, &diagnostic.support)
                                            : torchscript_message(sink, op, refusal, &diagnostic.support);
  diagnostic.common = message;
  diagnostic.scope = graph_node_scope(sink, item);
  diagnostic.message = graph_with_python_source(sink, message, text_chunk_line(chunk->text, item->line));
  relate_first_use(sink, refusal, &diagnostic);
  Range range = graph_op_range(chunk, item, op);
  sink_add(sink, (uint32_t)range.start, (uint32_t)range.end, severity, diagnostic);
}

/// The export succeeds, and the model holds a node that nobody can run.
static void add_stub(DiagSink *sink, const Item *item, Str op)
{
  if (!sink_wants(sink, RULE_UNSUPPORTED_OP, SEVERITY_WARNING))
    return;
  const ChunkState *chunk = sink_chunk(sink);
  Str message = arena_printf(sink->arena,
                             "'%.*s' is converted by a stub that still has its TODO: the model gets a node that no "
                             "runtime knows.",
                             STR_ARG(op));
  Diagnostic diagnostic = {
    .rule = RULE_UNSUPPORTED_OP,
    .message = graph_with_python_source(sink, message, text_chunk_line(chunk->text, item->line)),
    .support = { .op = op,
                 .opset = sink->target->opset,
                 .exporter = str_from(exporter_name(sink->target->exporter)),
                 .torch = sink->target->torch },
  };
  Range range = graph_op_range(chunk, item, op);
  sink_add(sink, (uint32_t)range.start, (uint32_t)range.end, SEVERITY_WARNING, diagnostic);
}

static bool is_converted_by_stub(const OperatorTarget *target, Str op)
{
  return workspace_is_stub(target->workspace, op) &&
         workspace_replaces(target->workspace, target->db, target->torch, op, target->opset);
}

static void check_stubs(DiagSink *sink)
{
  const ChunkState *chunk = sink_chunk(sink);
  OperatorTarget target = target_of(sink);
  if (!target.workspace || target.exporter != EXPORTER_TORCHSCRIPT ||
      snapshot_dialect(sink->snapshot)->exporter != EXPORTER_TORCHSCRIPT)
    return;
  for (uint32_t op = 0; op < chunk->index->op_count; op++) {
    Str name = dump_op_name(chunk->index, chunk_text(chunk), op);
    if (!is_converted_by_stub(&target, name))
      continue;
    for (uint32_t i = 0; i < chunk->index->item_count; i++) {
      if (chunk->index->items[i].op == op)
        add_stub(sink, &chunk->index->items[i], name);
    }
  }
}

void check_support(DiagSink *sink)
{
  const RefusalList *list = snapshot_refusals(sink->snapshot)->chunks[sink_graph(sink)->chunk];
  for (uint32_t i = 0; list && i < list->count; i++)
    add_refusal(sink, &list->items[i]);
  check_stubs(sink);
}
