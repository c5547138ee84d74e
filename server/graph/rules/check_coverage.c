// partly-checked: what is in a graph, or after it, that no rule can judge from this text.

#include "base/limits.h"
#include "core/coverage.h"
#include "graph/graph_language.h"
#include "graph/model/snapshot_dump.h"
#include "graph/rules/graph_sink.h"

typedef struct BlindSpot {
  Place place;  ///< The line that is meant.
  Str why;      ///< A sentence, without a full stop at its end.
} BlindSpot;

/// Operators that call something whose nodes the text doesn't show.
static bool is_call(Str op)
{
  return str_equal(op, STR("prim::CallMethod")) || str_equal(op, STR("prim::CallFunction"));
}

/// The first item of the chunk with this operator, one of its ops.
static uint32_t item_with(const DumpIndex *index, uint32_t op)
{
  uint32_t item = 0;
  while (item < index->item_count && index->items[item].op != op)
    item++;
  return item;
}

static bool find_call(const ChunkState *chunk, uint32_t *ret_item, Str *ret_op)
{
  const DumpIndex *index = chunk->index;
  uint32_t first = index->item_count;
  for (uint32_t op = 0; op < index->op_count; op++) {
    Str name = dump_op_name(index, chunk_text(chunk), op);
    uint32_t item = is_call(name) ? item_with(index, op) : first;
    if (item < first) {
      first = item;
      *ret_op = name;
    }
  }
  *ret_item = first;
  return first < index->item_count;
}

static bool is_converted(const Dump *dump, Place place)
{
  uint32_t segment = dump_index_segment_of(dump->chunks[place.chunk]->index, place.item);
  return (dump->graphs[dump_graph_of(dump, place.chunk, segment)].flags & (SEGMENT_LOWERED | SEGMENT_PRINTABLE)) != 0;
}

/// The first statement of a graph that nothing has converted yet; the item count if there is none.
static uint32_t first_statement(const Dump *dump, uint32_t chunk)
{
  const DumpIndex *index = dump->chunks[chunk]->index;
  Place place = { .chunk = chunk };
  while (place.item < index->item_count &&
         (index->items[place.item].kind != ITEM_STATEMENT || is_converted(dump, place)))
    place.item++;
  return place.item;
}

/// Whether nothing is known of what the dynamo exporter of this torch version has functions for.
static bool is_unknown_to_facts(const Snapshot *snapshot)
{
  const SymbolicsDb *db = target_db(snapshot_target(snapshot));
  TorchChoice choice = { 0 };
  symbolics_resolve_torch(db, snapshot_target(snapshot)->torch, &choice);
  return symbolics_support(db, choice.torch, EXPORTER_DYNAMO, STR("aten::relu"), 0).status == SUPPORT_NO_FACTS;
}

/// The first one of a chunk.
static bool find_in_chunk(const Snapshot *snapshot, uint32_t chunk, Arena *arena, BlindSpot *ret_spot)
{
  const Dump *dump = snapshot_dump(snapshot);
  Place place = { .chunk = chunk, .item = first_statement(dump, chunk) };
  Str op = { 0 };
  bool is_for_dynamo = snapshot_target(snapshot)->exporter == EXPORTER_DYNAMO;
  bool is_for_torchscript = snapshot_dialect(snapshot)->exporter == EXPORTER_TORCHSCRIPT;
  if (is_for_dynamo && is_for_torchscript && place.item < dump->chunks[chunk]->index->item_count) {
    *ret_spot =
        (BlindSpot){ place, STR("the dynamo exporter doesn't start from a TorchScript graph, so no operator was "
                                "judged; print what it starts from: `print(torch.export.export(model, args))`") };
    return true;
  }
  if (!is_for_torchscript && is_unknown_to_facts(snapshot) && place.item < dump->chunks[chunk]->index->item_count) {
    *ret_spot =
        (BlindSpot){ place, arena_printf(arena,
                                         "the facts don't know the dynamo exporter of torch %.*s, so no operator "
                                         "was judged; choose another one: `--torch`, or `torch` in .onnxls.json",
                                         STR_ARG(snapshot_target(snapshot)->torch)) };
    return true;
  }
  // Under the dynamo exporter the first statement of all says enough, in whatever chunk it is.
  if (!is_for_torchscript || is_for_dynamo || !find_call(dump->chunks[chunk], &place.item, &op))
    return false;
  *ret_spot = (BlindSpot){ place, arena_printf(arena,
                                               "`%.*s` runs nodes that are not in this text, so they were not checked; "
                                               "print the inlined graph: `print(traced.inlined_graph)`",
                                               STR_ARG(op)) };
  return true;
}

/// Log lines that got into a graph, and lines that were damaged beyond what can be told. A piece without a header may
/// be anything.
static bool has_text_inside(const Graph *graph)
{
  return (graph->flags & SEGMENT_HEADER) && graph->text_chunk != NO_CHUNK;
}

static Str say_text(const Snapshot *snapshot, const Graph *graph, Arena *arena)
{
  const Document *document = snapshot_document(snapshot);
  uint32_t line = document_line_of(document, document->chunk_offsets[graph->text_chunk] + graph->text_start);
  return arena_printf(arena, "line %u stands inside of a graph and can't be read as part of it, so it was not checked",
                      line + 1);
}

/// What of a graph is not in the text; empty if all of it is, or if it is no graph.
static Str say_missing(const Graph *graph)
{
  // The body of an If in a printable graph is printed as a graph that takes nothing. And three dots are prose where no
  // node is.
  if (!(graph->flags & (SEGMENT_HEADER | SEGMENT_PRINTABLE)))
    return graph->min_indent == INDENT_LIMIT
               ? (Str){ 0 }
               : STR("the beginning of this graph is missing, so names that it may define are not reported");
  if ((graph->flags & (SEGMENT_RETURN | SEGMENT_HEADER_OPEN)) != SEGMENT_RETURN)
    return STR("the end of this graph is missing, so it was checked only as far as it goes");
  if (graph->flags & SEGMENT_GAP)
    return STR("lines of this graph were left out, so names that they may define are not reported");
  return (Str){ 0 };
}

/// Only of a language that says which lines are damaged: elsewhere a header or an end may only be one of another form.
static bool find_missing(const Snapshot *snapshot, const Graph *graph, BlindSpot *ret_spot)
{
  ret_spot->why = snapshot_dialect(snapshot)->diagnose ? say_missing(graph) : (Str){ 0 };
  return ret_spot->why.len > 0 && dump_first_item(snapshot_dump(snapshot), graph, &ret_spot->place);
}

Str graph_blind_spot(const Snapshot *snapshot, Arena *arena)
{
  BlindSpot spot = { 0 };
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t chunk = 0; chunk < dump->chunk_count; chunk++) {
    if (find_in_chunk(snapshot, chunk, arena, &spot))
      return spot.why;
  }
  for (uint32_t i = 0; i < dump->graph_count; i++) {
    if (has_text_inside(&dump->graphs[i]))
      return say_text(snapshot, &dump->graphs[i], arena);
    if (find_missing(snapshot, &dump->graphs[i], &spot))
      return spot.why;
  }
  return (Str){ 0 };
}

static bool wants_report(DiagSink *sink)
{
  return sink_wants(sink, RULE_PARTLY_CHECKED, (Severity)SEVERITY_DEFAULT);
}

/// Reports on the text of a line of the chunk.
static void report(DiagSink *sink, uint32_t line, Str message)
{
  const TextChunk *chunk = sink_chunk(sink)->text;
  Str text = text_chunk_line(chunk, line);
  Str content = str_trim(text);
  uint32_t start = chunk->starts[line] + (uint32_t)(content.data - text.data);
  sink_add(sink, start, start + (uint32_t)content.len, (Severity)SEVERITY_DEFAULT,
           (Diagnostic){ .rule = RULE_PARTLY_CHECKED, .message = message });
}

/// One is enough for a document.
static void check_blind_spots(DiagSink *sink)
{
  GraphCheck *check = sink_graph(sink);
  BlindSpot spot;
  if (check->has_blind_spot || !find_in_chunk(sink->snapshot, check->chunk, sink->arena, &spot))
    return;
  check->has_blind_spot = true;
  if (!wants_report(sink))
    return;
  report(sink, sink_chunk(sink)->index->items[spot.place.item].line, coverage_sentence(spot.why, sink->arena));
}

/// And one for a graph: a log that was written into it has many lines.
static void check_text_inside(DiagSink *sink, const Graph *graph)
{
  uint32_t chunk = sink_graph(sink)->chunk;
  if (has_text_inside(graph) && graph->text_chunk == chunk && wants_report(sink))
    report(sink, text_chunk_line_of(sink_chunk(sink)->text, graph->text_start),
           STR("This line is inside of a graph and can't be read as part of it, so it was not checked."));
}

static void check_missing(DiagSink *sink, const Graph *graph)
{
  BlindSpot spot;
  if (find_missing(sink->snapshot, graph, &spot) && spot.place.chunk == sink_graph(sink)->chunk && wants_report(sink))
    report(sink, sink_chunk(sink)->index->items[spot.place.item].line, coverage_sentence(spot.why, sink->arena));
}

static void check_graphs(DiagSink *sink)
{
  const Dump *dump = sink_graph(sink)->dump;
  uint32_t chunk = sink_graph(sink)->chunk;
  uint32_t first = dump_graph_of(dump, chunk, 0);
  uint32_t count = sink_chunk(sink)->index->segment_count;
  for (uint32_t i = first; i < first + count && i < dump->graph_count; i++) {
    check_text_inside(sink, &dump->graphs[i]);
    check_missing(sink, &dump->graphs[i]);
  }
}

void check_coverage(DiagSink *sink)
{
  check_blind_spots(sink);
  check_graphs(sink);
}
