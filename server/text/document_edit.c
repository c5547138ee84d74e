#include "base/limits.h"
#include "text/document_internal.h"
#include "text/lines.h"

/// One replacement in bytes.
typedef struct Edit {
  Range range;  ///< start <= end <= length.
  Str text;     ///< Borrowed from the change.
} Edit;

enum { PART_PREVIOUS, PART_PREFIX, PART_TEXT, PART_SUFFIX, PART_NEXT, PART_COUNT };

/// What becomes of the chunks [first, end): the bytes of all parts in a row.
typedef struct Splice {
  uint32_t first;
  uint32_t end;
  Str parts[PART_COUNT];  ///< PREVIOUS and NEXT are whole chunks beyond the touched ones, empty if not needed.
} Splice;

// ---- from changes to byte edits ----

static size_t common_prefix(const Document *document, Str text)
{
  size_t at = 0;
  for (uint32_t i = 0; i < document->chunk_count && at < text.len; i++) {
    const TextChunk *chunk = document->chunks[i];
    size_t limit = chunk->len < text.len - at ? chunk->len : text.len - at;
    if (limit == chunk->len && memcmp(chunk->text, text.data + at, limit) == 0) {
      at += limit;
      continue;
    }
    for (size_t k = 0; k < limit && chunk->text[k] == text.data[at]; k++)
      at++;
    break;
  }
  return at;
}

/// At most `limit` bytes: those that the prefix left.
static size_t common_suffix(const Document *document, Str text, size_t limit)
{
  size_t len = 0;
  for (uint32_t i = document->chunk_count; i > 0 && len < limit; i--) {
    const TextChunk *chunk = document->chunks[i - 1];
    size_t most = chunk->len < limit - len ? chunk->len : limit - len;
    const char *end = text.data + text.len - len;
    if (most == chunk->len && memcmp(chunk->text, end - most, most) == 0) {
      len += most;
      continue;
    }
    for (size_t k = 1; k <= most && chunk->text[chunk->len - k] == end[-(ptrdiff_t)k]; k++)
      len++;
    break;
  }
  return len;
}

/// A full text usually differs little from the one before: only what differs is replaced, so the rest stays shared.
static Edit edit_from_full_text(const Document *document, Str text)
{
  size_t length = document_length(document);
  size_t prefix = common_prefix(document, text);
  size_t shorter = length < text.len ? length : text.len;
  size_t suffix = common_suffix(document, text, shorter - prefix);
  return (Edit){ { prefix, length - suffix }, str_slice(text, prefix, text.len - suffix) };
}

static Status edit_from_change(const Document *document, const TextChange *change, PosEncoding encoding, Edit *ret_edit)
{
  if (change->text.len > DOCUMENT_LIMIT)
    return ERR_LIMIT;
  if (change->is_full) {
    *ret_edit = edit_from_full_text(document, change->text);
    return OK;
  }
  size_t start = document_offset(document, change->start, encoding);
  size_t end = document_offset(document, change->end, encoding);
  if (end < start)
    return ERR_FORMAT;
  if (document_length(document) - (end - start) + change->text.len > DOCUMENT_LIMIT)
    return ERR_LIMIT;
  *ret_edit = (Edit){ { start, end }, change->text };
  return OK;
}

// ---- which chunks an edit takes with it ----

static Str chunk_str(const TextChunk *chunk)
{
  return str_make(chunk->text, chunk->len);
}

static size_t splice_length(const Splice *splice)
{
  size_t len = 0;
  for (int i = 0; i < PART_COUNT; i++)
    len += splice->parts[i].len;
  return len;
}

/// The first byte of the result; NUL if it is empty, which is as good as any byte that is not a line ending.
static char splice_first_byte(const Splice *splice)
{
  for (int i = 0; i < PART_COUNT; i++) {
    if (splice->parts[i].len > 0)
      return splice->parts[i].data[0];
  }
  return '\0';
}

static char *join_parts(const Splice *splice, size_t len);

/// Whether the first line of the result would belong to the chunk before. A line that an edit did not touch wouldn't.
static bool begins_inside(const Splice *splice)
{
  Str prefix = splice->parts[PART_PREFIX];
  if (lines_find_break(prefix, 0) < prefix.len)
    return false;
  size_t len = splice_length(splice);
  char *joined = join_parts(splice, len);
  bool inside = line_may_continue(str_make(joined, len), 0);
  free(joined);
  return inside;
}

static bool is_small(const Document *document, const Splice *splice)
{
  return splice_length(splice) < text_chunk_small_size(document->chunk_target);
}

/// Too little for a chunk of its own. The end needs no other care: an edit never ends at a chunk's end but at the start
/// of the next (document_locate), so the last bytes of the last touched chunk stay what they are.
static bool needs_next(const Document *document, const Splice *splice)
{
  return splice->end < document->chunk_count && is_small(document, splice);
}

/// A "\n" after a "\r", a line that may continue another one, or too little at the document's end (also nothing, when
/// the end of a chunk became the end).
static bool needs_previous(const Document *document, const Splice *splice)
{
  if (splice->first == 0)
    return false;
  const TextChunk *previous = document->chunks[splice->first - 1];
  bool joins_pair = previous->text[previous->len - 1] == '\r' && splice_first_byte(splice) == '\n';
  return joins_pair || begins_inside(splice) || (splice->end == document->chunk_count && is_small(document, splice));
}

static Splice splice_plan(const Document *document, Edit edit)
{
  ChunkPoint start = document_locate(document, edit.range.start);
  ChunkPoint end = document_locate(document, edit.range.end);
  Splice splice = { .first = start.chunk, .end = end.chunk + 1 };
  splice.parts[PART_PREFIX] = str_slice(chunk_str(document->chunks[start.chunk]), 0, start.offset);
  splice.parts[PART_TEXT] = edit.text;
  splice.parts[PART_SUFFIX] = str_slice(chunk_str(document->chunks[end.chunk]), end.offset, SIZE_MAX);

  // One more chunk is enough on each side, because none is empty.
  if (needs_next(document, &splice))
    splice.parts[PART_NEXT] = chunk_str(document->chunks[splice.end++]);
  if (needs_previous(document, &splice))
    splice.parts[PART_PREVIOUS] = chunk_str(document->chunks[--splice.first]);
  return splice;
}

// ---- carrying it out ----

static char *join_parts(const Splice *splice, size_t len)
{
  char *joined = xmalloc(len);
  size_t at = 0;
  for (int i = 0; i < PART_COUNT; i++) {
    if (splice->parts[i].len > 0)
      memcpy(joined + at, splice->parts[i].data, splice->parts[i].len);
    at += splice->parts[i].len;
  }
  return joined;
}

static void apply_edit(Document *draft, Edit edit)
{
  if (edit.text.len == 0 && edit.range.start == edit.range.end)
    return;
  Splice splice = splice_plan(draft, edit);
  size_t len = splice_length(&splice);
  bool is_last = splice.end == draft->chunk_count;
  // Up to twice the target one chunk stays one chunk: typing at its end must not make new chunks all the time.
  uint32_t target = len <= 2 * (size_t)draft->chunk_target ? UINT32_MAX : draft->chunk_target;

  ChunkList list = { 0 };
  if (edit.text.len == len)
    text_chunks_cut(&list, edit.text, target, is_last);
  else
    text_chunks_cut_taking(&list, join_parts(&splice, len), len, target, is_last);
  document_replace_chunks(draft, splice.first, splice.end, list.items, list.count);
  vec_free(&list);
}

static Document *copy_document(const Document *document)
{
  Document *copy = xcalloc(1, sizeof(*copy));
  atomic_init(&copy->references, 1);
  copy->chunk_target = document->chunk_target;
  for (uint32_t i = 0; i < document->chunk_count; i++)
    text_chunk_retain(document->chunks[i]);
  document_replace_chunks(copy, 0, 0, document->chunks, document->chunk_count);
  return copy;
}

Status document_apply(const Document *document, const TextChange *changes, size_t count, PosEncoding encoding,
                      Document **ret_document)
{
  Document *draft = copy_document(document);
  for (size_t i = 0; i < count; i++) {
    Edit edit;
    Status status = edit_from_change(draft, &changes[i], encoding, &edit);
    if (status != OK) {
      document_release(draft);
      return status;
    }
    apply_edit(draft, edit);
  }
  *ret_document = draft;
  return OK;
}
