// Any bytes (repeated.h) as a chunk of a dump: the index keeps its promises, and each line alone gives what it gives
// among others.

#include "../unit/dump_flat.h"
#include "graph/torchscript/torchscript.h"
#include "repeated.h"
#include "text/document.h"
#include "text/document_internal.h"

enum { LINE_LIMIT = 1000 };  // Of them is each read alone, too.

/// Everything about one line that does not depend on the lines around it.
static void flat_line_alone(Buffer *out, const DumpIndex *index, Str text, uint32_t line, uint32_t line_start)
{
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    if (item->line != line)
      continue;
    buffer_printf(out, "item %u %u %u ", item->kind, item->indent, item->is_python_op);
    if (item->op != NO_OP)
      buffer_append(out, dump_op_name(index, text, item->op));
    for (uint32_t o = item->first_occurrence; o < item[1].first_occurrence; o++) {
      const Occurrence *occurrence = &index->occurrences[o];
      buffer_printf(out, " %c%u+%u", o - item->first_occurrence < item->def_count ? 'D' : 'U',
                    occurrence->start - line_start, index->symbols[occurrence->symbol].len);
    }
    buffer_append_char(out, '\n');
  }
}

static void flat_line_problems(Buffer *out, const DumpIndex *index, uint32_t line_start, uint32_t line_end,
                               bool is_last)
{
  for (uint32_t i = 0; i < index->problem_count; i++) {
    const SyntaxProblem *problem = &index->problems[i];
    if (problem->start >= line_start && (problem->start < line_end || is_last))
      buffer_printf(out, "problem %u-%u %d\n", problem->start - line_start, problem->end - line_start,
                    problem->is_missing);
  }
}

static void flat_line_comments(Buffer *out, const DumpIndex *index, uint32_t line_start, uint32_t line_end)
{
  for (uint32_t i = 0; i < index->comment_count; i++) {
    if (index->comments[i] >= line_start && index->comments[i] < line_end)
      buffer_printf(out, "comment %u\n", index->comments[i] - line_start);
  }
}

static void check_line(Lowering *lowering, const DumpIndex *whole, const TextChunk *chunk, uint32_t line)
{
  Str text = str_make(chunk->text, chunk->len);
  uint32_t start = chunk->starts[line];
  bool is_last = line + 1 == chunk->line_count;
  uint32_t end = is_last ? chunk->len : chunk->starts[line + 1];
  Str alone_text = str_slice(text, start, end);
  const uint32_t alone_start = 0;
  DumpIndex *alone = dump_lower(lowering, alone_text, &alone_start, 1);
  flat_check_index(alone, alone_text, &alone_start, 1, '%');

  Buffer got = { 0 };
  Buffer expected = { 0 };
  flat_line_alone(&got, whole, text, line, start);
  flat_line_problems(&got, whole, start, end, is_last);
  flat_line_comments(&got, whole, start, end);
  flat_line_alone(&expected, alone, alone_text, 0, 0);
  flat_line_problems(&expected, alone, 0, end - start, true);
  flat_line_comments(&expected, alone, 0, end - start);
  if (!flat_same(buffer_str(&got), buffer_str(&expected)))
    abort();
  buffer_done(&got);
  buffer_done(&expected);
  dump_index_release(alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static Lowering *lowering;
  if (!lowering)
    lowering = lowering_new(torchscript_language.dialect);
  Document *document = NULL;
  Buffer text = repeated_text(str_make((const char *)data, size));
  FLAT_CHECK(document_new_with_target(buffer_str(&text), UINT32_MAX, &document) == OK);
  buffer_done(&text);
  const TextChunk *chunk = document->chunks[0];
  FLAT_CHECK(document->chunk_count == 1);
  DumpIndex *index = dump_lower(lowering, str_make(chunk->text, chunk->len), chunk->starts, chunk->line_count);
  flat_check_index(index, str_make(chunk->text, chunk->len), chunk->starts, chunk->line_count, '%');
  for (uint32_t line = 0; line < chunk->line_count && line < LINE_LIMIT; line++)
    check_line(lowering, index, chunk, line);
  dump_index_release(index);
  document_release(document);
  return 0;
}
