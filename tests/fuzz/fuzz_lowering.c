// Any bytes (repeated.h) as a chunk of a dump: the index keeps its promises, and each line alone, with those that may
// continue it, gives what it gives among others.

#include "../unit/dump_flat.h"
#include "graph/torchscript/torchscript.h"
#include "repeated.h"
#include "text/document.h"
#include "text/document_internal.h"
#include "text/lines.h"

enum { LINE_LIMIT = 1000 };  // So many are read alone, too.

/// Lines of a text, of which nothing depends on the lines around them.
typedef struct Run {
  uint32_t first;
  uint32_t count;
  uint32_t start;
  uint32_t end;
  bool is_last;
} Run;

static void flat_run_items(Buffer *out, const DumpIndex *index, Str text, const Run *run)
{
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    if (item->line < run->first || item->line >= run->first + run->count)
      continue;
    buffer_printf(out, "item %u line %u %u %u ", item->kind, item->line - run->first, item->indent, item->is_python_op);
    if (item->op != NO_OP)
      buffer_append(out, dump_op_name(index, text, item->op));
    for (uint32_t o = item->first_occurrence; o < item[1].first_occurrence; o++) {
      const Occurrence *occurrence = &index->occurrences[o];
      buffer_printf(out, " %c%u+%u", o - item->first_occurrence < item->def_count ? 'D' : 'U',
                    occurrence->start - run->start, index->symbols[occurrence->symbol].len);
    }
    buffer_append_char(out, '\n');
  }
}

static void flat_run(Buffer *out, const DumpIndex *index, Str text, const Run *run)
{
  flat_run_items(out, index, text, run);
  for (uint32_t i = 0; i < index->problem_count; i++) {
    const SyntaxProblem *problem = &index->problems[i];
    if (problem->start >= run->start && (problem->start < run->end || run->is_last))
      buffer_printf(out, "problem %u-%u %d\n", problem->start - run->start, problem->end - run->start,
                    problem->is_missing);
  }
  for (uint32_t i = 0; i < index->comment_count; i++) {
    if (index->comments[i] >= run->start && index->comments[i] < run->end)
      buffer_printf(out, "comment %u\n", index->comments[i] - run->start);
  }
}

static void check_run(Lowering *lowering, const DumpIndex *whole, const TextChunk *chunk, const Run *run)
{
  Str text = str_make(chunk->text, chunk->len);
  Str alone_text = str_slice(text, run->start, run->end);
  uint32_t *starts = xcalloc(run->count, sizeof(*starts));
  for (uint32_t line = 0; line < run->count; line++)
    starts[line] = chunk->starts[run->first + line] - run->start;
  DumpIndex *alone = dump_lower(lowering, alone_text, starts, run->count);
  flat_check_index(alone, alone_text, starts, run->count, '%');

  Run run_alone = { .count = run->count, .end = run->end - run->start, .is_last = true };
  Buffer got = { 0 };
  Buffer expected = { 0 };
  flat_run(&got, whole, text, run);
  flat_run(&expected, alone, alone_text, &run_alone);
  if (!flat_same(buffer_str(&got), buffer_str(&expected)))
    abort();
  buffer_done(&got);
  buffer_done(&expected);
  dump_index_release(alone);
  free(starts);
}

static void check_runs(Lowering *lowering, const DumpIndex *whole, const TextChunk *chunk)
{
  Str text = str_make(chunk->text, chunk->len);
  for (uint32_t line = 0; line < chunk->line_count && line < LINE_LIMIT;) {
    uint32_t next = line + 1;
    while (next < chunk->line_count && line_may_continue(text, chunk->starts[next]))
      next++;
    bool is_last = next == chunk->line_count;
    Run run = { line, next - line, chunk->starts[line], is_last ? chunk->len : chunk->starts[next], is_last };
    check_run(lowering, whole, chunk, &run);
    line = next;
  }
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
  check_runs(lowering, index, chunk);
  dump_index_release(index);
  document_release(document);
  return 0;
}
