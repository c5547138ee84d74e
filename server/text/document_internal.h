/// What document.c, document_edit.c and chunk.c share, and what tests need to work with tiny chunks.
///
/// Ownership: as document.h; a document that is still being made belongs to one function and may be changed.
/// Units:     bytes.
/// Errors:    as document.h.
/// Threads:   as document.h.
#pragma once

#include "base/vec.h"
#include "text/document.h"

typedef Vec(TextChunk *) ChunkList;

/// As document_new() with another CHUNK_TARGET; CHUNK_SMALL shrinks with it.
MUST_USE Status document_new_with_target(Str text, uint32_t target, Document **ret_document);

/// Below this many bytes a chunk is merged with a neighbour; at least 1, so that empty chunks are too.
uint32_t text_chunk_small_size(uint32_t target);
/// Appends chunks of the whole of `text`, which is borrowed. The line after an ending at the end of the document
/// belongs to its last chunk: `is_last` says that the text ends there.
void text_chunks_cut(ChunkList *list, Str text, uint32_t target, bool is_last);
/// As text_chunks_cut(), but frees `text` (from malloc) bit by bit.
void text_chunks_cut_taking(ChunkList *list, char *text, size_t len, uint32_t target, bool is_last);

/// Puts `count` chunks, whose references are taken over, in the place of the chunks [first, end).
void document_replace_chunks(Document *document, uint32_t first, uint32_t end, TextChunk *const *chunks, size_t count);
