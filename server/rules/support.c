// unsupported-op, op-needs-newer-opset: operators that the exporter refuses. The registry's answer is asked once for
// each distinct operator of a chunk; only nodes that it refuses are looked at closer, because passes remove some first.

#include "analysis/passes.h"
#include "rules/rules_private.h"

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

/// What the whole check of a snapshot needs to know only once.
typedef struct SupportCheck {
  DiagSink *sink;
  const SymbolicsDb *db;
  uint32_t torch;
} SupportCheck;

static Str torch_name(const SupportCheck *check)
{
  const Str *versions;
  symbolics_torch_versions(check->db, &versions);
  return versions[check->torch];
}

/// The operator's place on the line of an item.
static Range op_range(const ChunkState *chunk, const Item *item, Str op)
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

/// The reason, without the source.
static Str describe(const SupportCheck *check, Str op, SupportAnswer answer, NodeFate fate)
{
  Arena *arena = check->sink->arena;
  int opset = check->sink->target->opset;
  const char *verb = fate == FATE_UNSURE ? "may not be exportable" : "can't be exported";
  const char *unless = fate == FATE_UNSURE ? ", but a pass may remove it first" : "";
  if (answer.status == SUPPORT_UNKNOWN_NAMESPACE)
    return arena_printf(
        arena, "'%.*s' is a custom operator: its export fails unless a symbolic function is registered for it.",
        STR_ARG(op));
  if (answer.since > opset) {
    const char *blocked = answer.status == SUPPORT_BLOCKED ? ", where its symbolic function only raises an error" : "";
    return arena_printf(arena,
                        "'%.*s' %s to opset %d%s; the TorchScript exporter of torch %.*s supports it since opset %d%s.",
                        STR_ARG(op), verb, opset, blocked, STR_ARG(torch_name(check)), answer.since, unless);
  }
  return arena_printf(arena, "'%.*s' %s: the TorchScript exporter of torch %.*s supports it at no opset%s.",
                      STR_ARG(op), verb, STR_ARG(torch_name(check)), unless);
}

/// A way out, if the facts know one.
static const char *hint(const SupportCheck *check, Str op, SupportAnswer answer)
{
  if (answer.status == SUPPORT_UNKNOWN_NAMESPACE)
    return "";
  SupportAnswer dynamo = symbolics_support(check->db, check->torch, SYMBOLICS_DYNAMO, op, 18);
  // Of an operator that is taken apart first only a run tells whether all its parts can be converted.
  bool can = dynamo.status == SUPPORT_YES || dynamo.status == SUPPORT_NEWER;
  return can ? " The dynamo exporter (dynamo=True) can convert it." : "";
}

typedef struct FirstUse {
  Place place;
  bool found;
} FirstUse;

static bool take_first_use(Place place, bool is_definition, void *context)
{
  FirstUse *use = context;
  use->found = !is_definition;
  use->place = place;
  return is_definition;
}

/// Shows what the missing operator holds up: the first use of its result.
static void relate_first_use(const SupportCheck *check, Place node, Diagnostic *diagnostic)
{
  DiagSink *sink = check->sink;
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[node.item];
  if (item->def_count == 0)
    return;
  Str name =
      dump_symbol_name(chunk->index, chunk_text(chunk), chunk->index->occurrences[item->first_occurrence].symbol);
  FirstUse use = { .found = false };
  uint32_t graph = dump_graph_of(sink->dump, node.chunk, dump_index_segment_of(chunk->index, node.item));
  dump_each_occurrence(sink->dump, graph, name, take_first_use, &use);
  if (!use.found)
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  related->range = sink_place_range(sink, use.place);
  related->message = arena_printf(sink->arena, "Its result '%.*s' is first used here.", STR_ARG(name));
  diagnostic->related = related;
  diagnostic->related_count = 1;
}

/// Only what is certain is an error. What shapes and attributes decide during the export is no finding at all, while a
/// custom operator fails unless somebody registered it.
static Severity severity_of_node(SupportAnswer answer, NodeFate fate)
{
  if (fate == FATE_CONVERTED)
    return (Severity)SEVERITY_DEFAULT;
  return answer.status == SUPPORT_UNKNOWN_NAMESPACE ? SEVERITY_WARNING : SEVERITY_INFO;
}

static void add_diagnostic(const SupportCheck *check, Place node, Str op, SupportAnswer answer, NodeFate fate)
{
  DiagSink *sink = check->sink;
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[node.item];
  RuleId rule = answer.since > sink->target->opset ? RULE_OP_NEEDS_NEWER_OPSET : RULE_UNSUPPORTED_OP;
  Severity severity = severity_of_node(answer, fate);
  if (!sink_wants(sink, rule, severity))
    return;
  Diagnostic diagnostic = { .rule = rule };
  Str reason = describe(check, op, answer, fate);
  const char *way_out = hint(check, op, answer);
  SourceRef source;
  if (find_source(text_chunk_line(chunk->text, item->line), &source))
    diagnostic.message = arena_printf(sink->arena, "%.*s%s Python source: %.*s:%.*s", STR_ARG(reason), way_out,
                                      STR_ARG(source.path), STR_ARG(source.line));
  else
    diagnostic.message = arena_printf(sink->arena, "%.*s%s", STR_ARG(reason), way_out);
  diagnostic.support = (SupportData){ .op = op,
                                      .opset = sink->target->opset,
                                      .exporter = str_from(exporter_name(sink->target->exporter)),
                                      .torch = torch_name(check),
                                      .since = answer.since };
  relate_first_use(check, node, &diagnostic);
  Range range = op_range(chunk, item, op);
  sink_add(sink, (uint32_t)range.start, (uint32_t)range.end, severity, diagnostic);
}

static bool is_refused(SupportStatus status)
{
  return status == SUPPORT_NEVER || status == SUPPORT_NEWER || status == SUPPORT_BLOCKED ||
         status == SUPPORT_UNKNOWN_NAMESPACE;
}

static uint16_t graph_flags(const DiagSink *sink, uint32_t item)
{
  uint32_t segment = dump_index_segment_of(sink_chunk(sink)->index, item);
  return sink->dump->graphs[dump_graph_of(sink->dump, sink->chunk, segment)].flags;
}

/// Headers (`with prim::X_0 = graph(`) name operators too, and a printable graph holds ONNX nodes alone.
static bool is_torch_node(const DiagSink *sink, uint32_t item)
{
  return sink_chunk(sink)->index->items[item].kind == ITEM_STATEMENT && !(graph_flags(sink, item) & SEGMENT_PRINTABLE);
}

/// What the registry says of a distinct operator of the chunk; SUPPORT_YES where there is nothing to say.
static SupportAnswer ask_registry(const SupportCheck *check, uint32_t op_id)
{
  static const SupportAnswer fine = { .status = SUPPORT_YES };
  const ChunkState *chunk = sink_chunk(check->sink);
  Str op = dump_op_name(chunk->index, chunk_text(chunk), op_id);
  if (str_find(op, STR("::"), 0) == STR_NOT_FOUND || op.data[0] == '^')
    return fine;  // Printable graphs and PythonOps name no registered operator.
  SupportAnswer answer =
      symbolics_support(check->db, check->torch, SYMBOLICS_TORCHSCRIPT, op, check->sink->target->opset);
  if (!is_refused(answer.status) || (answer.pass && answer.pass->condition == PASS_ALWAYS))
    return fine;
  return answer;
}

static void check_node(const SupportCheck *check, uint32_t i, SupportAnswer answer)
{
  DiagSink *sink = check->sink;
  const ChunkState *chunk = sink_chunk(sink);
  if (answer.status == SUPPORT_UNKNOWN_NAMESPACE && (graph_flags(sink, i) & SEGMENT_LOWERED))
    return;  // A node of a custom domain in a graph that was converted already.
  if (!sink->passes)
    sink->passes = passes_new(sink->dump);
  Place node = { sink->chunk, i, 0 };
  NodeFate fate = passes_fate(sink->passes, node, answer.pass);
  if (fate != FATE_REMOVED)
    add_diagnostic(check, node, dump_op_name(chunk->index, chunk_text(chunk), chunk->index->items[i].op), answer, fate);
}

void check_support(DiagSink *sink)
{
  // The dynamo exporter starts from an FX graph, and takes many operators of a TorchScript graph apart before it looks
  // for functions: this text does not tell what it would refuse.
  if (sink->target->exporter == EXPORTER_DYNAMO)
    return;
  SupportCheck check = {
    .sink = sink,
    .db = target_db(sink->target),
  };
  TorchChoice choice;
  if (!symbolics_resolve_torch(check.db, sink->target->torch, &choice))
    return;
  check.torch = choice.torch;
  const DumpIndex *index = sink_chunk(sink)->index;
  SupportAnswer *answers = xcalloc(index->op_count, sizeof(*answers));
  bool any = false;
  for (uint32_t i = 0; i < index->op_count; i++) {
    answers[i] = ask_registry(&check, i);
    any |= answers[i].status != SUPPORT_YES;
  }
  for (uint32_t i = 0; any && i < index->item_count; i++) {
    uint32_t op = index->items[i].op;
    if (op != NO_OP && answers[op].status != SUPPORT_YES && is_torch_node(sink, i))
      check_node(&check, i, answers[op]);
  }
  free(answers);
}
