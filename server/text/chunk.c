#include "base/search.h"
#include "text/document_internal.h"
#include "text/lines.h"

typedef Vec(size_t) Cuts;

/// Makes one allocation: the chunk, its line starts, its text and a NUL.
static TextChunk *chunk_new(Str text, bool is_last, LineStarts *scratch)
{
  static atomic_uint_fast64_t last_serial;

  vec_clear(scratch);
  lines_scan_starts(text, scratch);
  uint32_t lines = (uint32_t)scratch->count;
  bool ends_with_break = text.len > 0 && is_line_break(text.data[text.len - 1]);
  if (ends_with_break && !is_last)
    lines--;  // The line after that ending starts in the next chunk.

  TextChunk *chunk = xmalloc(sizeof(*chunk) + lines * sizeof(uint32_t) + text.len + 1);
  uint32_t *starts = (uint32_t *)(chunk + 1);
  char *copy = (char *)(starts + lines);
  memcpy(starts, scratch->items, lines * sizeof(uint32_t));
  if (text.len > 0)
    memcpy(copy, text.data, text.len);
  copy[text.len] = '\0';

  atomic_init(&chunk->references, 1);
  chunk->line_count = lines;
  chunk->len = (uint32_t)text.len;
  chunk->serial = atomic_fetch_add(&last_serial, 1) + 1;
  chunk->starts = starts;
  chunk->text = copy;
  return chunk;
}

TextChunk *text_chunk_retain(TextChunk *chunk)
{
  atomic_fetch_add_explicit(&chunk->references, 1, memory_order_relaxed);
  return chunk;
}

void text_chunk_release(TextChunk *chunk)
{
  if (chunk && atomic_fetch_sub_explicit(&chunk->references, 1, memory_order_acq_rel) == 1)
    free(chunk);
}

uint32_t text_chunk_line_of(const TextChunk *chunk, uint32_t offset)
{
  uint32_t next;
  SEARCH_FIRST(next, 1, chunk->line_count, chunk->starts[next] <= offset);
  return next - 1;
}

Str text_chunk_line(const TextChunk *chunk, uint32_t line)
{
  uint32_t start = chunk->starts[line];
  uint32_t end = line + 1 < chunk->line_count ? chunk->starts[line + 1] : chunk->len;
  return lines_trim_ending(str_make(chunk->text + start, end - start));
}

uint32_t text_chunk_small_size(uint32_t target)
{
  uint32_t small = target / (CHUNK_TARGET / CHUNK_SMALL);
  return small > 0 ? small : 1;
}

/// The first line that may begin a chunk after the byte at `from`. A text that seems to go on for ever is cut all the
/// same.
static size_t find_cut(Str text, size_t from)
{
  size_t cut = lines_next(text, from);
  while (cut < text.len && cut - from < CHUNK_TARGET && line_may_continue(text, cut))
    cut = lines_next(text, cut);
  return cut;
}

/// Where chunks end. Only the neighbourhood of each cut is read.
static Cuts find_cuts(Str text, uint32_t target)
{
  Cuts cuts = { 0 };
  size_t cut = 0;
  do {
    cut = text.len - cut > target ? find_cut(text, cut + target - 1) : text.len;
    if (text.len - cut < text_chunk_small_size(target))
      cut = text.len;
    vec_push(&cuts, cut);
  } while (cut < text.len);
  return cuts;
}

void text_chunks_cut(ChunkList *list, Str text, uint32_t target, bool is_last)
{
  Cuts cuts = find_cuts(text, target);
  LineStarts scratch = { 0 };
  vec_reserve(list, list->count + cuts.count);
  size_t start = 0;
  for (size_t i = 0; i < cuts.count; i++) {
    vec_push(list, chunk_new(str_slice(text, start, cuts.items[i]), is_last && i + 1 == cuts.count, &scratch));
    start = cuts.items[i];
  }
  vec_free(&scratch);
  vec_free(&cuts);
}

void text_chunks_cut_taking(ChunkList *list, char *text, size_t len, uint32_t target, bool is_last)
{
  // A realloc that copies must not make this quadratic, so the steps are a part of the whole.
  const size_t release_step = 1024 * 1024 + len / 16;

  Cuts cuts = find_cuts(str_make(text, len), target);
  LineStarts scratch = { 0 };
  vec_reserve(list, list->count + cuts.count);
  size_t allocated = len;
  // From the back, because memory can be given back only there.
  for (size_t i = cuts.count; i-- > 0;) {
    size_t start = i > 0 ? cuts.items[i - 1] : 0;
    Str piece = str_make(text + start, cuts.items[i] - start);
    list->items[list->count + i] = chunk_new(piece, is_last && i + 1 == cuts.count, &scratch);
    if (start > 0 && allocated - start >= release_step) {
      text = xrealloc(text, start);
      allocated = start;
    }
  }
  list->count += cuts.count;
  free(text);
  vec_free(&scratch);
  vec_free(&cuts);
}
