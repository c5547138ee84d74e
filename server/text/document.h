/// The text of one document version: immutable chunks of whole lines, shared between versions.
///
/// A line ends with "\n", "\r\n" or a lone "\r". A chunk holds whole lines, about CHUNK_TARGET bytes of them;
/// only the last line of the last chunk may lack its ending, and no chunk boundary splits a "\r\n" or comes before a
/// line that may continue the one before (line_may_continue()), unless there are very many of these. A document has at
/// least one chunk. An edit makes a new document that shares every chunk it did not touch.
///
/// Ownership: documents and chunks are reference-counted; a Str into a chunk lives as long as the chunk.
/// Units:     offsets and lengths are bytes; lines are 0-based.
/// Errors:    an impossible edit is refused with ERR_FORMAT and a too large document with ERR_LIMIT.
/// Threads:   immutable; retain and release from any thread.
/// Sources:   LSP 3.17 "TextDocument" for line endings and clamping.
#pragma once

#include <stdatomic.h>

#include "base/limits.h"
#include "base/memory.h"
#include "text/position.h"

enum {
  CHUNK_TARGET = 64 * 1024,  ///< A chunk is cut at the first safe line end after this many bytes.
  CHUNK_SMALL = 16 * 1024,   ///< An edited chunk below this is merged with the one after it.
};

typedef struct TextChunk {
  atomic_uint references;
  uint32_t line_count;     ///< Lines that start in this chunk; at least 1.
  uint32_t len;            ///< Bytes of text.
  uint64_t serial;         ///< Unique in the process and growing: a younger chunk has a larger one.
  const uint32_t *starts;  ///< Offset of each line's first byte, in the same allocation.
  const char *text;        ///< In the same allocation, followed by a NUL.
} TextChunk;

typedef struct Document {
  atomic_uint references;
  uint32_t chunk_count;   ///< At least 1.
  uint32_t chunk_target;  ///< CHUNK_TARGET, but for tests; edits cut by it too.
  TextChunk **chunks;     ///< Retained.
  size_t *chunk_offsets;  ///< chunk_count + 1 entries; the last is the length of the text.
  uint32_t *chunk_lines;  ///< chunk_count + 1 entries: first line of each chunk; the last is the number of lines.
} Document;

/// One element of contentChanges, already decoded.
typedef struct TextChange {
  bool is_full;  ///< `text` replaces everything and the range means nothing.
  Position start;
  Position end;
  Str text;
} TextChange;

/// Where an offset is.
typedef struct ChunkPoint {
  uint32_t chunk;   ///< Index into `chunks`.
  uint32_t offset;  ///< Within the chunk.
} ChunkPoint;

MUST_USE Status document_new(Str text, Document **ret_document);
/// As document_new(), but takes over `text`, which was made by malloc() and is freed early to keep memory low.
MUST_USE Status document_new_taking(char *text, size_t len, Document **ret_document);
Document *document_retain(const Document *document);
void document_release(Document *document);
TextChunk *text_chunk_retain(TextChunk *chunk);
void text_chunk_release(TextChunk *chunk);

/// A new document with all changes applied in order, each to the result of those before it.
/// A position after a line's end or the last line is clamped. A range whose end lies before its start
/// after clamping is impossible: ERR_FORMAT, and nothing changes.
MUST_USE Status document_apply(const Document *document, const TextChange *changes, size_t count, PosEncoding encoding,
                               Document **ret_document);

size_t document_length(const Document *document);
uint32_t document_line_count(const Document *document);

ChunkPoint document_locate(const Document *document, size_t offset);
uint32_t document_line_of(const Document *document, size_t offset);
size_t document_line_start(const Document *document, uint32_t line);
/// The line without its ending, borrowed from its chunk.
Str document_line(const Document *document, uint32_t line);
size_t document_offset(const Document *document, Position position, PosEncoding encoding);
Position document_position(const Document *document, size_t offset, PosEncoding encoding);
/// The bytes of [range.start, range.end): borrowed if one chunk holds them, else copied into the arena.
Str document_slice(const Document *document, Range range, Arena *arena);

/// The line (within the chunk) that holds the byte at `offset`; the last line for an offset at or after the end.
uint32_t text_chunk_line_of(const TextChunk *chunk, uint32_t offset);
/// A line of the chunk without its ending.
Str text_chunk_line(const TextChunk *chunk, uint32_t line);
