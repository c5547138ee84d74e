/// A snapshot as text that does not depend on how the document is cut into chunks or how the snapshot came about: two
/// snapshots of the same bytes must give the same text. And every promise that an index makes by itself.
///
/// Ownership: the caller's buffer.
/// Units:     lines and offsets of the document.
/// Errors:    a broken promise prints what is wrong and aborts.
/// Threads:   one thread at a time.
/// Sources:   server/graph/model/dump.h, server/graph/model/dump_index.h.
#pragma once

#include <stdio.h>

#include "base/buffer.h"
#include "core/diagnostics.h"
#include "graph/model/graph_walk.h"
#include "graph/model/snapshot_dump.h"
#include "text/lines.h"

#define FLAT_CHECK(condition)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                        \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)

// --- What an index promises by itself ---

/// `sign` is what every name of the language begins with, or 0.
static inline void flat_check_symbols(const DumpIndex *index, Str text, const Segment *segment, char sign)
{
  for (uint32_t i = 0; i < segment->symbol_count; i++) {
    const DumpSymbol *symbol = &index->symbols[segment->first_symbol + i];
    FLAT_CHECK(symbol->len > (sign ? 1 : 0) && (size_t)symbol->start + symbol->len <= text.len);
    FLAT_CHECK(!sign || text.data[symbol->start] == sign);
    Str name = dump_symbol_name(index, text, segment->first_symbol + i);
    FLAT_CHECK(symbol->hash == str_hash(name));
    FLAT_CHECK(i == 0 || symbol[-1].hash <= symbol->hash);
    FLAT_CHECK(symbol->flags & (SYMBOL_DEFINED | SYMBOL_USED));
    uint32_t segment_number = (uint32_t)(segment - index->segments);
    FLAT_CHECK(dump_index_find(index, text, segment_number, name, symbol->hash) == segment->first_symbol + i);
  }
}

static inline void flat_check_item(const DumpIndex *index, Str text, uint32_t i, const uint32_t *starts, uint32_t lines)
{
  const Item *item = &index->items[i];
  FLAT_CHECK(item->line < lines);
  FLAT_CHECK(i == 0 || item[-1].line <= item->line);
  FLAT_CHECK(item->first_occurrence + item->def_count <= item[1].first_occurrence);
  FLAT_CHECK(item->op == NO_OP || item->op < index->op_count);
  FLAT_CHECK(item->indent < INDENT_LIMIT);
  uint32_t next = item->line + 1;
  while (next < lines && line_may_continue(text, starts[next]))
    next++;
  uint32_t line_end = next < lines ? starts[next] : (uint32_t)text.len;
  const Segment *segment = &index->segments[dump_index_segment_of(index, i)];
  FLAT_CHECK(i >= segment->first_item && i < segment->first_item + segment->item_count);
  for (uint32_t o = item->first_occurrence; o < item[1].first_occurrence; o++) {
    const Occurrence *occurrence = &index->occurrences[o];
    FLAT_CHECK(dump_index_item_of(index, o) == i);
    FLAT_CHECK(occurrence->symbol - segment->first_symbol < segment->symbol_count);
    const DumpSymbol *symbol = &index->symbols[occurrence->symbol];
    FLAT_CHECK(occurrence->start >= starts[item->line] && occurrence->start + symbol->len <= line_end);
    Str here = str_slice(text, occurrence->start, (size_t)occurrence->start + symbol->len);
    FLAT_CHECK(str_equal(here, dump_symbol_name(index, text, occurrence->symbol)));
    FLAT_CHECK(symbol->flags & (o - item->first_occurrence < item->def_count ? SYMBOL_DEFINED : SYMBOL_USED));
  }
}

static inline void flat_check_index(const DumpIndex *index, Str text, const uint32_t *starts, uint32_t lines, char sign)
{
  uint32_t item = 0;
  uint32_t symbol = 0;
  uint32_t open = 0;
  FLAT_CHECK(index->segment_count >= 1);
  for (uint32_t s = 0; s < index->segment_count; s++) {
    const Segment *segment = &index->segments[s];
    FLAT_CHECK(segment->first_item == item && segment->first_symbol == symbol && segment->first_open == open);
    for (uint32_t i = 1; i < segment->open_count; i++)
      FLAT_CHECK(index->open_headers[open + i - 1].indent < index->open_headers[open + i].indent);
    for (uint32_t i = 0; i < segment->open_count; i++)
      FLAT_CHECK(index->items[index->open_headers[open + i].item].kind == ITEM_BLOCK_HEADER);
    item += segment->item_count;
    symbol += segment->symbol_count;
    open += segment->open_count;
    flat_check_symbols(index, text, segment, sign);
  }
  FLAT_CHECK(item == index->item_count && symbol == index->symbol_count && open == index->open_count);
  FLAT_CHECK(index->items[index->item_count].first_occurrence == index->occurrence_count);
  for (uint32_t i = 0; i < index->item_count; i++)
    flat_check_item(index, text, i, starts, lines);
  for (uint32_t i = 0; i < index->op_count; i++)
    FLAT_CHECK((size_t)index->ops[i].start + index->ops[i].len <= text.len && index->ops[i].count > 0);
  for (uint32_t i = 0; i < index->problem_count; i++) {
    const SyntaxProblem *problem = &index->problems[i];
    FLAT_CHECK(problem->start <= problem->end && problem->end <= text.len);
    FLAT_CHECK(i == 0 || problem[-1].start <= problem->start);
  }
  for (uint32_t i = 0; i < index->comment_count; i++) {
    FLAT_CHECK(index->comments[i] < text.len && text.data[index->comments[i]] == '#');
    FLAT_CHECK(i == 0 || index->comments[i - 1] < index->comments[i]);
  }
}

// --- The flat text ---

typedef struct Flattener {
  Buffer *out;
  const Snapshot *snapshot;
  const Document *document;
  const Dump *dump;
  GraphWalk walk;
} Flattener;

static inline uint32_t flat_line(const Flattener *flat, Place place)
{
  return flat->document->chunk_lines[place.chunk] + walk_item(&flat->walk, place)->line;
}

static inline size_t flat_offset(const Flattener *flat, Place place)
{
  const DumpIndex *index = flat->dump->chunks[place.chunk]->index;
  return flat->document->chunk_offsets[place.chunk] + index->occurrences[place.occurrence].start;
}

static inline void flat_definition(const Flattener *flat, Place place)
{
  buffer_printf(flat->out, " D%zu", flat_offset(flat, place));
  buffer_append(flat->out, walk_name(&flat->walk, place));
  UseCursor cursor = dump_uses_after(flat->dump, place);
  Place use;
  if (walk_next_use(&flat->walk, place, &cursor, &use))
    buffer_printf(flat->out, "/%zu", flat_offset(flat, use));
  size_t count = dump_count_uses(flat->dump, walk_graph(&flat->walk, place), walk_name(&flat->walk, place));
  buffer_printf(flat->out, "*%zu:", count);
  buffer_append(flat->out, walk_type(&flat->walk, place));
}

static inline void flat_use(const Flattener *flat, Place place)
{
  buffer_printf(flat->out, " U%zu", flat_offset(flat, place));
  buffer_append(flat->out, walk_name(&flat->walk, place));
  Place definition;
  Place again;
  bool is_found = walk_find_definition(&flat->walk, place, &definition);
  if (is_found)
    buffer_printf(flat->out, ">%zu", flat_offset(flat, definition));
  uint32_t graph = walk_graph(&flat->walk, place);
  FLAT_CHECK(dump_find_definition(flat->dump, graph, walk_name(&flat->walk, place), place, &again) == is_found);
  FLAT_CHECK(!is_found || (again.chunk == definition.chunk && again.occurrence == definition.occurrence));
}

static inline void flat_nesting(const Flattener *flat, Place place)
{
  Place header;
  Place owner;
  Place end;
  if (walk_enclosing_header(&flat->walk, place, &header)) {
    buffer_printf(flat->out, " in %u", flat_line(flat, header));
    FLAT_CHECK(walk_item(&flat->walk, header)->kind == ITEM_BLOCK_HEADER);
  }
  if (walk_item(&flat->walk, place)->kind == ITEM_BLOCK_HEADER && walk_owner(&flat->walk, place, &owner)) {
    buffer_printf(flat->out, " of %u", flat_line(flat, owner));
    if (walk_block_return(&flat->walk, owner, walk_block_number(&flat->walk, place), &end))
      buffer_printf(flat->out, " to %u", flat_line(flat, end));
  }
}

static inline void flat_item(const Flattener *flat, uint32_t chunk, uint32_t i)
{
  Place place = { chunk, i, 0 };
  const Item *item = walk_item(&flat->walk, place);
  buffer_printf(flat->out, "line %u kind %u indent %u graph %u%s ", flat_line(flat, place), item->kind, item->indent,
                walk_graph(&flat->walk, place), item->is_python_op ? " python" : "");
  buffer_append(flat->out, walk_op(&flat->walk, place));
  buffer_append_char(flat->out, '[');
  buffer_append(flat->out, walk_attributes(&flat->walk, place));
  buffer_append_char(flat->out, ']');
  for (uint32_t o = item->first_occurrence; o < item[1].first_occurrence; o++) {
    place.occurrence = o;
    if (o - item->first_occurrence < item->def_count)
      flat_definition(flat, place);
    else
      flat_use(flat, place);
  }
  flat_nesting(flat, place);
  buffer_append_char(flat->out, '\n');
}

static inline void flat_items(const Flattener *flat, uint32_t c)
{
  for (uint32_t i = 0; i < flat->dump->chunks[c]->index->item_count; i++)
    flat_item(flat, c, i);
}

static inline void flat_problems(const Flattener *flat, uint32_t c)
{
  const ChunkState *chunk = flat->dump->chunks[c];
  size_t base = flat->document->chunk_offsets[c];
  for (uint32_t i = 0; i < chunk->index->problem_count; i++) {
    const SyntaxProblem *problem = &chunk->index->problems[i];
    buffer_printf(flat->out, "problem %zu-%zu %d\n", base + problem->start, base + problem->end, problem->is_missing);
  }
}

static inline void flat_comments(const Flattener *flat, uint32_t c)
{
  const DumpIndex *index = flat->dump->chunks[c]->index;
  for (uint32_t i = 0; i < index->comment_count; i++)
    buffer_printf(flat->out, "comment %zu\n", flat->document->chunk_offsets[c] + index->comments[i]);
}

static inline void flat_faults(const Flattener *flat, uint32_t c)
{
  const ChunkState *chunk = flat->dump->chunks[c];
  size_t base = flat->document->chunk_offsets[c];
  for (uint32_t i = 0; i < chunk->fault_count; i++) {
    const Fault *fault = &chunk->faults[i];
    size_t offset = base + chunk->index->occurrences[fault->occurrence].start;
    buffer_printf(flat->out, "fault %zu line %u kind %d\n", offset, flat_line(flat, (Place){ c, fault->item, 0 }),
                  fault->kind);
  }
}

static inline void flat_graph(const Flattener *flat, uint32_t g)
{
  const Graph *graph = &flat->dump->graphs[g];
  buffer_printf(flat->out, "graph %u flags %u indent %d follows %d", g, graph->flags, graph->min_indent,
                graph->follows_printable);
  for (uint32_t c = graph->first_chunk; c <= graph->last_chunk; c++) {
    const Segment *part = &flat->dump->chunks[c]->index->segments[graph_segment(graph, c)];
    if (part->item_count > 0) {
      buffer_printf(flat->out, " line %u", flat_line(flat, (Place){ c, part->first_item, 0 }));
      break;
    }
  }
  buffer_append_char(flat->out, '\n');
}

static inline void flat_diagnostics(Buffer *out, const Snapshot *snapshot)
{
  Arena arena = { 0 };
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  size_t length = document_length(snapshot_document(snapshot));
  buffer_printf(out, "%zu diagnostics, %zu hidden, %zu suppressed\n", list.count, list.hidden, list.suppressed_total);
  for (size_t i = 0; i < list.count; i++) {
    const Diagnostic *d = &list.items[i];
    FLAT_CHECK(d->range.start <= d->range.end && d->range.end <= length);
    FLAT_CHECK(i == 0 || d[-1].range.start <= d->range.start);
    buffer_printf(out, "%zu-%zu %s %d%s ", d->range.start, d->range.end, rule_info(d->rule)->name, d->severity,
                  d->is_unnecessary ? " unnecessary" : "");
    buffer_append(out, d->message);
    for (size_t k = 0; k < d->related_count; k++) {
      FLAT_CHECK(d->related[k].range.end <= length);
      buffer_printf(out, " (%zu-%zu ", d->related[k].range.start, d->related[k].range.end);
      buffer_append(out, d->related[k].message);
      buffer_append_char(out, ')');
    }
    const Str support[] = { d->support.op, d->support.exporter, d->support.torch };
    for (size_t k = 0; k < COUNT(support); k++) {
      buffer_append_char(out, ' ');
      buffer_append(out, support[k]);
    }
    buffer_printf(out, " %d %d\n", d->support.opset, d->support.since);
  }
  arena_done(&arena);
}

static inline void flat_snapshot(Buffer *out, const Snapshot *snapshot)
{
  Flattener flat = { .out = out, .snapshot = snapshot, .document = snapshot_document(snapshot) };
  flat.dump = snapshot_dump(snapshot);
  flat.walk.dump = flat.dump;
  buffer_printf(out, "kind %s\n", snapshot_language(snapshot) ? snapshot_language(snapshot)->name : "unknown");
  static void (*const parts[])(const Flattener *, uint32_t) = { flat_items, flat_problems, flat_comments, flat_faults };
  for (size_t part = 0; flat.dump && part < COUNT(parts); part++) {
    for (uint32_t c = 0; c < flat.dump->chunk_count; c++)
      parts[part](&flat, c);
  }
  for (uint32_t g = 0; flat.dump && g < flat.dump->graph_count; g++)
    flat_graph(&flat, g);
  flat_diagnostics(out, snapshot);
}

static inline void flat_check_snapshot(const Snapshot *snapshot)
{
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t c = 0; dump && c < dump->chunk_count; c++) {
    const TextChunk *text = dump->chunks[c]->text;
    FLAT_CHECK(text == snapshot_document(snapshot)->chunks[c]);
    flat_check_index(dump->chunks[c]->index, str_make(text->text, text->len), text->starts, text->line_count,
                     snapshot_dialect(snapshot)->name_sign);
  }
}

/// True if both are the same; else the first line that differs is printed.
static inline bool flat_same(Str a, Str b)
{
  if (str_equal(a, b))
    return true;
  size_t at = 0;
  while (at < a.len && at < b.len && a.data[at] == b.data[at])
    at++;
  size_t start = at;
  while (start > 0 && a.data[start - 1] != '\n')
    start--;
  const Str texts[] = { a, b };
  for (int i = 0; i < 2; i++) {
    size_t end = str_find_char(texts[i], '\n', at);
    Str line = str_slice(texts[i], start, end == STR_NOT_FOUND ? texts[i].len : end);
    fprintf(stderr, "%s: %.*s\n", i == 0 ? "got" : "expected", (int)(line.len < 2000 ? line.len : 2000), line.data);
  }
  return false;
}
