// The comments of Python files that may switch rules off.

#include "core/snapshot.h"
#include "python/python_language.h"
#include "python/syntax/comment_scan.h"
#include "text/marker.h"

static void visit_comment(const Document *document, uint32_t chunk, const FoundComment *comment, CommentVisitor *visit,
                          void *context)
{
  const TextChunk *text = document->chunks[chunk];
  uint32_t line = text_chunk_line_of(text, (uint32_t)comment->hash);
  size_t column = comment->hash - text->starts[line];
  Str words = str_make(text->text + comment->hash, comment->end - comment->hash);
  for (size_t at = marker_find(words, 0); at != STR_NOT_FOUND; at = marker_find(words, at + 1)) {
    size_t hash = marker_hash(words, at);
    CommentPlace place = { document->chunk_lines[chunk] + line, column + hash, comment->is_alone, comment->has_code };
    if (hash != STR_NOT_FOUND)
      visit(&place, context);
  }
}

static bool has_marker(const Document *document)
{
  for (uint32_t c = 0; c < document->chunk_count; c++) {
    const TextChunk *text = document->chunks[c];
    if (marker_find(str_make(text->text, text->len), 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

void python_each_comment(const Snapshot *snapshot, CommentVisitor *visit, void *context)
{
  const Document *document = snapshot_document(snapshot);
  if (!has_marker(document))
    return;
  CommentScan scan = { 0 };
  for (uint32_t c = 0; c < document->chunk_count; c++) {
    Str text = str_make(document->chunks[c]->text, document->chunks[c]->len);
    FoundComment comment;
    for (size_t at = 0; comment_scan_next(&scan, text, &at, &comment);)
      visit_comment(document, c, &comment, visit, context);
  }
}
