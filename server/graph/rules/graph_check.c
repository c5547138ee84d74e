// All rules of graph languages, chunk by chunk.

#include "base/ascii.h"
#include "graph/graph_language.h"
#include "graph/rules/graph_sink.h"

void sink_add(DiagSink *sink, uint32_t start, uint32_t end, Severity severity, Diagnostic diagnostic)
{
  size_t base = snapshot_document(sink->snapshot)->chunk_offsets[sink_graph(sink)->chunk];
  sink_add_at(sink, (Range){ base + start, base + end }, severity, diagnostic);
}

Range sink_place_range(const DiagSink *sink, Place place)
{
  const DumpIndex *index = sink_graph(sink)->dump->chunks[place.chunk]->index;
  const Occurrence *occurrence = &index->occurrences[place.occurrence];
  size_t start = snapshot_document(sink->snapshot)->chunk_offsets[place.chunk] + occurrence->start;
  return (Range){ start, start + index->symbols[occurrence->symbol].len };
}

uint32_t graph_end_of_last_line(const DiagSink *sink, uint32_t line)
{
  const GraphCheck *graph = sink_graph(sink);
  const TextChunk *text = sink_chunk(sink)->text;
  if (graph->chunk + 1 < graph->dump->chunk_count)
    return 0;
  uint32_t start = text->starts[line];
  uint32_t end = start + (uint32_t)text_chunk_line(text, line).len;
  uint32_t at = end;
  while (end > start && ascii_is_space(text->text[end - 1]))
    end--;
  while (at < text->len && ascii_is_space(text->text[at]))
    at++;
  return at == text->len ? end : 0;
}

static void check_failure(DiagSink *sink)
{
  GraphCheck *check = sink_graph(sink);
  if (!sink_chunk(sink)->index->has_traceback)
    return;
  size_t start = snapshot_document(sink->snapshot)->chunk_offsets[check->chunk];
  export_failure_check(sink, (Range){ start, start + sink_chunk(sink)->text->len }, &check->failure);
}

static RuleFamily *const families[] = { check_outcomes,   check_support,  check_syntax, check_names,
                                        check_onnx_nodes, check_coverage, check_failure };

void graph_check(DiagSink *sink)
{
  const Document *document = snapshot_document(sink->snapshot);
  GraphCheck check = { .dump = snapshot_dump(sink->snapshot),
                       .others = other_graphs_find(sink->snapshot, sink->arena) };
  sink->language = &check;
  for (; check.chunk < check.dump->chunk_count; check.chunk++)
    sink_check_lines(sink, document->chunk_lines[check.chunk], document->chunk_lines[check.chunk + 1], families,
                     COUNT(families));
  sink->language = NULL;
}
