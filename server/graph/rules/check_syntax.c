// syntax: lines that are meant as part of a graph and can't be read.

#include "graph/rules/graph_sink.h"

enum { QUOTE_LIMIT = 40 };

/// The end of a dump that was cut off is no mistake of the dump.
static bool is_cut_off(const DiagSink *sink, const SyntaxProblem *problem)
{
  if (sink_graph(sink)->chunk + 1 < sink_graph(sink)->dump->chunk_count)
    return false;
  const TextChunk *text = sink_chunk(sink)->text;
  if (text_chunk_line_of(text, problem->start) + 1 != text->line_count || text->len == 0)
    return false;
  char last = text->text[text->len - 1];
  return last != '\n' && last != '\r';
}

/// What stands at the problem, shortened at a character's border for the message.
static Str quote(const DiagSink *sink, const SyntaxProblem *problem)
{
  const TextChunk *text = sink_chunk(sink)->text;
  uint32_t line = text_chunk_line_of(text, problem->start);
  Str rest = text_chunk_line(text, line);
  uint32_t offset = problem->start - text->starts[line];
  rest = str_trim(str_slice(rest, offset, problem->is_missing ? rest.len : offset + (problem->end - problem->start)));
  if (rest.len <= QUOTE_LIMIT)
    return rest;
  size_t len = QUOTE_LIMIT;
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

/// A problem of no width would be invisible, so it covers the character before it.
static void add_problem(DiagSink *sink, const SyntaxProblem *problem)
{
  bool cut_off = is_cut_off(sink, problem);
  Severity severity = cut_off ? SEVERITY_INFO : (Severity)SEVERITY_DEFAULT;
  if (!sink_wants(sink, RULE_SYNTAX, severity))
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
  for (uint32_t i = 0; i < index->problem_count; i++)
    add_problem(sink, &index->problems[i]);
}
