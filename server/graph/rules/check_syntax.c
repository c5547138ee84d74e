// syntax: lines that are meant as part of a graph and can't be read.

#include "graph/model/dialect.h"
#include "graph/rules/graph_sink.h"

enum { QUOTE_SHOWN = 40 };

/// The end of a dump that was cut off is not a mistake of the dump.
static bool is_cut_off(const DiagSink *sink, const SyntaxProblem *problem)
{
  const TextChunk *text = sink_chunk(sink)->text;
  uint32_t end = graph_end_of_last_line(sink, text_chunk_line_of(text, problem->start));
  return end > 0 && (problem->end >= end || end == text->len);
}

/// What is at the problem, shortened at a character's border for the message.
static Str quote(const DiagSink *sink, const SyntaxProblem *problem)
{
  const TextChunk *text = sink_chunk(sink)->text;
  uint32_t line = text_chunk_line_of(text, problem->start);
  Str rest = text_chunk_line(text, line);
  uint32_t offset = problem->start - text->starts[line];
  rest = str_trim(str_slice(rest, offset, problem->is_missing ? rest.len : offset + (problem->end - problem->start)));
  if (rest.len <= QUOTE_SHOWN)
    return rest;
  size_t len = QUOTE_SHOWN;
  while (len > 0 && ((unsigned char)rest.data[len] & 0xC0) == 0x80)
    len--;
  return str_slice(rest, 0, len);
}

static Str describe(DiagSink *sink, const SyntaxProblem *problem)
{
  Str text = quote(sink, problem);
  if (problem->is_missing && text.len == 0)
    return STR("This line ends too early.");
  if (problem->is_missing)
    return arena_printf(sink->arena, "Something is missing before '%.*s'.", STR_ARG(text));
  if (text.len == 0)
    return STR("This line can't be read as part of a graph.");
  return arena_printf(sink->arena, "This can't be read as part of a graph: '%.*s'.", STR_ARG(text));
}

/// Says what was expected where; false if the dialect can't tell.
static bool add_diagnosis(DiagSink *sink, const SyntaxProblem *problem)
{
  const GraphDialect *dialect = snapshot_dialect(sink->snapshot);
  const TextChunk *text = sink_chunk(sink)->text;
  uint32_t line = text_chunk_line_of(text, problem->start);
  Str whole = text_chunk_line(text, line);
  LineDiagnosis found;
  if (!dialect->diagnose || !dialect->diagnose(whole, sink->arena, &found))
    return false;
  uint32_t base = text->starts[line];
  Diagnostic diagnostic = { .rule = RULE_SYNTAX, .message = found.message };
  if (found.fix_title.len > 0) {
    size_t chunk_start = snapshot_document(sink->snapshot)->chunk_offsets[sink_graph(sink)->chunk];
    TextEdit *edit = ARENA_NEW(sink->arena, TextEdit);
    *edit = (TextEdit){ { chunk_start + base + found.fix_start, chunk_start + base + found.fix_end }, found.fix_text };
    Fix *fix = ARENA_NEW(sink->arena, Fix);
    *fix = (Fix){ .title = found.fix_title, .edits = edit, .edit_count = 1 };
    diagnostic.fixes = fix;
    diagnostic.fix_count = 1;
  }
  // Nothing at the end of a line would be invisible, so it covers the character before it.
  uint32_t start = found.start < found.end || found.start == 0 ? found.start : found.start - 1;
  uint32_t end = found.start < found.end ? found.end : found.start;
  sink_add(sink, base + start, base + end, (Severity)SEVERITY_DEFAULT, diagnostic);
  return true;
}

/// A problem of no width would be invisible, so it covers the character before it.
static void add_problem(DiagSink *sink, const SyntaxProblem *problem)
{
  bool cut_off = is_cut_off(sink, problem);
  Severity severity = cut_off ? SEVERITY_INFO : (Severity)SEVERITY_DEFAULT;
  if (!sink_wants(sink, RULE_SYNTAX, severity))
    return;
  if (!cut_off && add_diagnosis(sink, problem))
    return;
  uint32_t start = problem->start;
  uint32_t end = problem->end;
  const TextChunk *text = sink_chunk(sink)->text;
  uint32_t line = text_chunk_line_of(text, start);
  uint32_t line_end = text->starts[line] + (uint32_t)text_chunk_line(text, line).len;
  if (end > line_end)
    end = line_end;
  if (start >= end) {
    end = start < line_end ? start + 1 : line_end;
    start = end > text->starts[line] ? end - 1 : end;
  }
  Str message = cut_off ? STR("The text ends in the middle of this line.") : describe(sink, problem);
  sink_add(sink, start, end, severity, (Diagnostic){ .rule = RULE_SYNTAX, .message = message });
}

void check_syntax(DiagSink *sink)
{
  const DumpIndex *index = sink_chunk(sink)->index;
  size_t base = snapshot_document(sink->snapshot)->chunk_offsets[sink_graph(sink)->chunk];
  for (uint32_t i = 0; i < index->problem_count; i++) {
    if (!other_graphs_hold(&sink_graph(sink)->others, base + index->problems[i].start))
      add_problem(sink, &index->problems[i]);
  }
}
