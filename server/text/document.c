#include "text/document.h"

#include "base/limits.h"
#include "base/search.h"
#include "text/document_internal.h"
#include "text/lines.h"
#include "text/utf.h"

// ---- life and death ----

static Document *document_from_chunks(ChunkList *list, uint32_t target)
{
  Document *document = xcalloc(1, sizeof(*document));
  atomic_init(&document->references, 1);
  document->chunk_target = target;
  document_replace_chunks(document, 0, 0, list->items, list->count);
  vec_free(list);
  return document;
}

Status document_new_with_target(Str text, uint32_t target, Document **ret_document)
{
  if (text.len > DOCUMENT_LIMIT)
    return ERR_LIMIT;
  ChunkList list = { 0 };
  text_chunks_cut(&list, text, target, true);
  *ret_document = document_from_chunks(&list, target);
  return OK;
}

Status document_new(Str text, Document **ret_document)
{
  return document_new_with_target(text, CHUNK_TARGET, ret_document);
}

Status document_new_taking(char *text, size_t len, Document **ret_document)
{
  if (len > DOCUMENT_LIMIT) {
    free(text);
    return ERR_LIMIT;
  }
  ChunkList list = { 0 };
  text_chunks_cut_taking(&list, text, len, CHUNK_TARGET, true);
  *ret_document = document_from_chunks(&list, CHUNK_TARGET);
  return OK;
}

Document *document_retain(const Document *document)
{
  Document *self = (Document *)document;
  atomic_fetch_add_explicit(&self->references, 1, memory_order_relaxed);
  return self;
}

void document_release(Document *document)
{
  if (!document || atomic_fetch_sub_explicit(&document->references, 1, memory_order_acq_rel) != 1)
    return;
  for (uint32_t i = 0; i < document->chunk_count; i++)
    text_chunk_release(document->chunks[i]);
  free(document->chunks);
  free(document->chunk_offsets);
  free(document->chunk_lines);
  free(document);
}

/// Counts bytes and lines again from chunk `first` on.
static void reindex(Document *document, uint32_t first)
{
  document->chunk_offsets[0] = 0;
  document->chunk_lines[0] = 0;
  for (uint32_t i = first; i < document->chunk_count; i++) {
    document->chunk_offsets[i + 1] = document->chunk_offsets[i] + document->chunks[i]->len;
    document->chunk_lines[i + 1] = document->chunk_lines[i] + document->chunks[i]->line_count;
  }
}

void document_replace_chunks(Document *document, uint32_t first, uint32_t end, TextChunk *const *chunks, size_t count)
{
  for (uint32_t i = first; i < end; i++)
    text_chunk_release(document->chunks[i]);

  uint32_t after = document->chunk_count - end;
  size_t total = first + count + after;
  if (total > document->chunk_count) {
    document->chunks = xrealloc(document->chunks, total * sizeof(*document->chunks));
    document->chunk_offsets = xrealloc(document->chunk_offsets, (total + 1) * sizeof(*document->chunk_offsets));
    document->chunk_lines = xrealloc(document->chunk_lines, (total + 1) * sizeof(*document->chunk_lines));
  }
  if (after > 0)
    memmove(document->chunks + first + count, document->chunks + end, after * sizeof(*document->chunks));
  memcpy(document->chunks + first, chunks, count * sizeof(*document->chunks));
  document->chunk_count = (uint32_t)total;
  reindex(document, first);
}

// ---- questions ----

size_t document_length(const Document *document)
{
  return document->chunk_offsets[document->chunk_count];
}

uint32_t document_line_count(const Document *document)
{
  return document->chunk_lines[document->chunk_count];
}

ChunkPoint document_locate(const Document *document, size_t offset)
{
  if (offset > document_length(document))
    offset = document_length(document);
  uint32_t next;
  SEARCH_FIRST(next, 1, document->chunk_count, document->chunk_offsets[next] <= offset);
  return (ChunkPoint){ next - 1, (uint32_t)(offset - document->chunk_offsets[next - 1]) };
}

/// The chunk in which `line` starts; the line must exist.
static uint32_t chunk_of_line(const Document *document, uint32_t line)
{
  uint32_t next;
  SEARCH_FIRST(next, 1, document->chunk_count, document->chunk_lines[next] <= line);
  return next - 1;
}

uint32_t document_line_of(const Document *document, size_t offset)
{
  ChunkPoint point = document_locate(document, offset);
  return document->chunk_lines[point.chunk] + text_chunk_line_of(document->chunks[point.chunk], point.offset);
}

size_t document_line_start(const Document *document, uint32_t line)
{
  if (line >= document_line_count(document))
    return document_length(document);
  uint32_t chunk = chunk_of_line(document, line);
  return document->chunk_offsets[chunk] + document->chunks[chunk]->starts[line - document->chunk_lines[chunk]];
}

Str document_line(const Document *document, uint32_t line)
{
  if (line >= document_line_count(document))
    return (Str){ 0 };
  uint32_t chunk = chunk_of_line(document, line);
  return text_chunk_line(document->chunks[chunk], line - document->chunk_lines[chunk]);
}

size_t document_offset(const Document *document, Position position, PosEncoding encoding)
{
  size_t start = document_line_start(document, position.line);
  return start + utf_offset(document_line(document, position.line), position.character, encoding);
}

Position document_position(const Document *document, size_t offset, PosEncoding encoding)
{
  ChunkPoint point = document_locate(document, offset);
  const TextChunk *chunk = document->chunks[point.chunk];
  uint32_t line = text_chunk_line_of(chunk, point.offset);
  Str text = text_chunk_line(chunk, line);
  // An offset inside the ending has no column of its own: str_slice() clamps it to the line's end.
  Str before = str_slice(text, 0, utf_floor(text, point.offset - chunk->starts[line]));
  return (Position){ document->chunk_lines[point.chunk] + line, (uint32_t)utf_units(before, encoding) };
}

static Str copy_across_chunks(const Document *document, ChunkPoint start, size_t len, Arena *arena)
{
  char *copy = arena_alloc(arena, len + 1);
  size_t at = 0;
  for (uint32_t i = start.chunk; at < len; i++) {
    const TextChunk *chunk = document->chunks[i];
    uint32_t from = i == start.chunk ? start.offset : 0;
    size_t part = chunk->len - from < len - at ? chunk->len - from : len - at;
    memcpy(copy + at, chunk->text + from, part);
    at += part;
  }
  return str_make(copy, len);
}

Str document_slice(const Document *document, Range range, Arena *arena)
{
  size_t end = range.end < document_length(document) ? range.end : document_length(document);
  size_t start = range.start < end ? range.start : end;
  ChunkPoint point = document_locate(document, start);
  const TextChunk *chunk = document->chunks[point.chunk];
  if (end - start <= chunk->len - point.offset)
    return str_make(chunk->text + point.offset, end - start);
  return copy_across_chunks(document, point, end - start, arena);
}
