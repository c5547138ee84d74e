// refused-call, wrong-export, no-runtime-kernel: what becomes of nodes whose operator has a function.

#include "describe/operator_conditions.h"
#include "graph/model/dump_view.h"
#include "graph/rules/graph_sink.h"
#include "outcome/dynamo_fate.h"

static RuleId rule_of(const NodeOutcome *found)
{
  return operator_condition_rule(found->outcome ? found->outcome->kind : OUTCOME_REFUSED);
}

/// What may be skipped by a branch that the text doesn't decide is an information, and so is what values decide.
static Severity severity_of(const NodeOutcome *found)
{
  bool is_open = found->fate == FATE_UNSURE || (found->outcome && !outcome_is_certain(found->outcome));
  return is_open ? SEVERITY_INFO : (Severity)SEVERITY_DEFAULT;
}

static const char *verb_of(const TorchOutcome *outcome)
{
  if (!outcome_is_certain(outcome))
    return outcome->kind == OUTCOME_WRONG ? "may come out wrong at opset" : "may fail when it is run at opset";
  return outcome->kind == OUTCOME_REFUSED ? "can't be exported to opset"
         : outcome->kind == OUTCOME_WRONG ? "comes out wrong at opset"
                                          : "is exported to what can't be run at opset";
}

static Str reason_of(DiagSink *sink, const NodeOutcome *found)
{
  if (found->reason.len > 0)
    return found->reason;
  DumpView *view = xcalloc(1, sizeof(*view));
  view->walk.dump = sink_graph(sink)->dump;
  view->db = target_db(sink->target);
  view->arena = sink->arena;
  view->is_sparse = true;
  dump_view_begin(view, (Place){ sink_graph(sink)->chunk, found->item, 0 });
  Str reason = outcome_reason(found->outcome, &view->view, sink->arena);
  dump_view_done(view);
  free(view);
  return reason;
}

static Str describe(DiagSink *sink, const NodeOutcome *found, Str op)
{
  const TorchOutcome *outcome = found->outcome;
  const char *gap = outcome->way_out.len > 0 ? " " : "";
  if (found->reason.len > 0)
    op = dynamo_overload_words(dialect_operator_word(snapshot_dialect(sink->snapshot), op, sink->arena), sink->arena);
  int opset = language_opset(snapshot_language(sink->snapshot), sink->target);
  return arena_printf(sink->arena, "'%.*s' %s %d: %.*s.%s%.*s", STR_ARG(op), verb_of(outcome), opset,
                      STR_ARG(reason_of(sink, found)), gap, STR_ARG(outcome->way_out));
}

/// A value of a complex type goes through no graph of this exporter.
static void add_complex_value(DiagSink *sink, const NodeOutcome *found)
{
  Range range = sink_place_range(sink, (Place){ sink_graph(sink)->chunk, found->item, found->occurrence });
  const ChunkState *chunk = sink_chunk(sink);
  Str name = dump_symbol_name(chunk->index, chunk_text(chunk), chunk->index->occurrences[found->occurrence].symbol);
  bool is_input = chunk->index->items[found->item].kind != ITEM_STATEMENT;
  const char *way_out = is_input
                            ? "Pass real and imaginary part as two tensors (torch.view_as_real() before the model)."
                            : "Keep real and imaginary part in two tensors.";
  Diagnostic diagnostic = {
    .rule = RULE_REFUSED_CALL,
    .message = arena_printf(sink->arena, "'%.*s' is complex, and the TorchScript exporter has no complex types. %s",
                            STR_ARG(name), way_out),
  };
  sink_add_at(sink, range, (Severity)SEVERITY_DEFAULT, diagnostic);
}

static void add_outcome(DiagSink *sink, const NodeOutcome *found)
{
  RuleId rule = rule_of(found);
  if (!sink_wants(sink, rule, severity_of(found)))
    return;
  if (!found->outcome) {
    add_complex_value(sink, found);
    return;
  }
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[found->item];
  Str op = dump_op_name(chunk->index, chunk_text(chunk), item->op);
  Str line = text_chunk_line(chunk->text, item->line);
  Str words = describe(sink, found, op);
  Diagnostic diagnostic = { .rule = rule, .common = words, .scope = graph_node_scope(sink, item) };
  diagnostic.message = graph_with_python_source(sink, words, line);
  Range range = graph_op_range(chunk, item, op);
  sink_add(sink, (uint32_t)range.start, (uint32_t)range.end, severity_of(found), diagnostic);
}

void check_outcomes(DiagSink *sink)
{
  const RefusalList *list = snapshot_refusals(sink->snapshot)->chunks[sink_graph(sink)->chunk];
  for (uint32_t i = 0; list && i < list->outcome_count; i++)
    add_outcome(sink, &list->outcomes[i]);
}
