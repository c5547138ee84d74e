// undefined-value, duplicate-value, unused-value: what graph/model/dump.h found wrong with names, in words.

#include "graph/rules/graph_sink.h"

static Str name_of(const DiagSink *sink, const Fault *fault)
{
  const ChunkState *chunk = sink_chunk(sink);
  uint32_t symbol = chunk->index->occurrences[fault->occurrence].symbol;
  return dump_symbol_name(chunk->index, chunk_text(chunk), symbol);
}

static uint32_t graph_of(const DiagSink *sink, const Fault *fault)
{
  uint32_t segment = dump_index_segment_of(sink_chunk(sink)->index, fault->item);
  return dump_graph_of(sink_graph(sink)->dump, sink_graph(sink)->chunk, segment);
}

/// Points at the definition that the fault is about.
static void relate_definition(DiagSink *sink, const Fault *fault, Place from, Str text, Diagnostic *diagnostic)
{
  Place place;
  if (!dump_find_definition(sink_graph(sink)->dump, graph_of(sink, fault), name_of(sink, fault), from, &place))
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ sink_place_range(sink, place), text };
  diagnostic->related = related;
  diagnostic->related_count = 1;
}

static Diagnostic describe_use(DiagSink *sink, const Fault *fault)
{
  Str name = name_of(sink, fault);
  Place here = { sink_graph(sink)->chunk, fault->item, fault->occurrence };
  Diagnostic diagnostic = { .rule = RULE_UNDEFINED_VALUE };
  if (fault->kind == FAULT_BLOCK_ENDED) {
    diagnostic.message =
        arena_printf(sink->arena, "'%.*s' can't be seen here: the block that defines it has ended.", STR_ARG(name));
    relate_definition(sink, fault, here, STR("Defined in this block."), &diagnostic);
  } else if (fault->kind == FAULT_DEFINED_LATER) {
    diagnostic.message = arena_printf(sink->arena, "'%.*s' is used before it is defined.", STR_ARG(name));
    relate_definition(sink, fault, here, STR("Defined here."), &diagnostic);
  } else {
    diagnostic.message = arena_printf(sink->arena, "'%.*s' is not defined in this graph.", STR_ARG(name));
  }
  return diagnostic;
}

static Diagnostic describe_duplicate(DiagSink *sink, const Fault *fault)
{
  Diagnostic diagnostic = { .rule = RULE_DUPLICATE_VALUE };
  Str name = name_of(sink, fault);
  diagnostic.message = arena_printf(sink->arena, "'%.*s' is already defined in this graph.", STR_ARG(name));
  // The first definition of the graph: looked for from the graph's first line.
  Place start = { sink_graph(sink)->dump->graphs[graph_of(sink, fault)].first_chunk, 0, 0 };
  relate_definition(sink, fault, start, STR("First defined here."), &diagnostic);
  return diagnostic;
}

/// Operators of TorchScript that are there for what they do, not for what they return.
static bool has_effect(Str op)
{
  static const char *const names[] = {
    "aten::append", "aten::extend",         "aten::insert",     "aten::pop",          "aten::clear",
    "aten::remove", "aten::reverse",        "aten::sort",       "aten::Delete",       "aten::_set_item",
    "aten::update", "aten::setdefault",     "prim::CallMethod", "prim::CallFunction", "prim::SetAttr",
    "prim::Print",  "prim::RaiseException", "prim::If",         "prim::Loop",         "onnx::If",
    "onnx::Loop",   "onnx::Scan",
  };
  if (str_is_one_of(op, names, COUNT(names)))
    return true;
  return str_ends_with(op, STR("_")) && !str_ends_with(op, STR("__"));  // In-place: aten::add_
}

/// Names that nobody chose to define: block inputs and the module itself.
static bool is_expected_unused(const DiagSink *sink, const Fault *fault)
{
  const ChunkState *chunk = sink_chunk(sink);
  const Item *item = &chunk->index->items[fault->item];
  Str op = item->op == NO_OP ? (Str){ 0 } : dump_op_name(chunk->index, chunk_text(chunk), item->op);
  const GraphDialect *dialect = snapshot_dialect(sink->snapshot);
  if (dialect->tells_unused)
    return !dialect->tells_unused((ItemKind)item->kind, op);
  if (item->kind == ITEM_BLOCK_HEADER || item->is_python_op)
    return true;
  if (item->kind == ITEM_GRAPH_HEADER || item->kind == ITEM_PARAMETERS) {
    Str name = name_of(sink, fault);
    return str_equal(name, STR("%self")) || str_starts_with(name, STR("%self."));
  }
  return has_effect(op);
}

/// A name at the end of a text that was cut off may be the beginning of one.
static bool may_be_cut(const DiagSink *sink, const Fault *fault)
{
  const DumpIndex *index = sink_chunk(sink)->index;
  uint32_t end = graph_end_of_last_line(sink, index->items[fault->item].line);
  uint32_t start = index->occurrences[fault->occurrence].start;
  return end > 0 && fault->kind == FAULT_UNDEFINED && start + name_of(sink, fault).len == end;
}

/// `;  x = ` may give up a name in an FX graph that is cut off, instead of defining it again.
static bool may_be_given_up(const DiagSink *sink, const Fault *fault)
{
  const DumpIndex *index = sink_chunk(sink)->index;
  const TextChunk *text = sink_chunk(sink)->text;
  uint32_t line = index->items[fault->item].line;
  if (fault->kind != FAULT_DUPLICATE || graph_end_of_last_line(sink, line) == 0)
    return false;
  Str before =
      str_slice(text_chunk_line(text, line), 0, index->occurrences[fault->occurrence].start - text->starts[line]);
  return str_find_char(before, ';', 0) != STR_NOT_FOUND;
}

/// `x = self.relu(x)` of a module in a document that prints a graph, too.
static bool may_be_module(const DiagSink *sink, const Fault *fault)
{
  return fault->kind == FAULT_DUPLICATE && snapshot_dialect(sink->snapshot)->may_be_module &&
         (sink_graph(sink)->dump->graphs[graph_of(sink, fault)].flags & SEGMENT_GAP) != 0;
}

static void check_fault(DiagSink *sink, const Fault *fault)
{
  static const RuleId rules[] = {
    [FAULT_UNDEFINED] = RULE_UNDEFINED_VALUE,     [FAULT_BLOCK_ENDED] = RULE_UNDEFINED_VALUE,
    [FAULT_DEFINED_LATER] = RULE_UNDEFINED_VALUE, [FAULT_DUPLICATE] = RULE_DUPLICATE_VALUE,
    [FAULT_UNUSED] = RULE_UNUSED_VALUE,
  };
  if (fault->kind == FAULT_UNUSED && is_expected_unused(sink, fault))
    return;
  if (may_be_cut(sink, fault) || may_be_given_up(sink, fault) || may_be_module(sink, fault))
    return;
  if (!sink_wants(sink, rules[fault->kind], (Severity)SEVERITY_DEFAULT))
    return;
  Diagnostic diagnostic;
  Str name = name_of(sink, fault);
  if (fault->kind == FAULT_UNUSED)
    diagnostic = (Diagnostic){ .rule = RULE_UNUSED_VALUE,
                               .is_unnecessary = true,
                               .message = arena_printf(sink->arena, "'%.*s' is never used.", STR_ARG(name)) };
  else if (fault->kind == FAULT_DUPLICATE)
    diagnostic = describe_duplicate(sink, fault);
  else
    diagnostic = describe_use(sink, fault);
  uint32_t start = sink_chunk(sink)->index->occurrences[fault->occurrence].start;
  sink_add(sink, start, start + (uint32_t)name.len, (Severity)SEVERITY_DEFAULT, diagnostic);
}

void check_names(DiagSink *sink)
{
  const ChunkState *chunk = sink_chunk(sink);
  for (uint32_t i = 0; i < chunk->fault_count; i++)
    check_fault(sink, &chunk->faults[i]);
}
