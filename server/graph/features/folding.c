// textDocument/foldingRange: graphs, long headers, modules, statements with blocks, blocks, and text between graphs.

#include "base/limits.h"
#include "graph/features/graph_features.h"
#include "graph/features/outline.h"

/// Headers and text of fewer lines are not folded.
enum { SHORT_LINES = 3 };

typedef struct Folder {
  const FeatureContext *context;
  const Document *document;
  Vec(Fold) folds;
} Folder;

static void add_fold(Folder *folder, uint32_t start, uint32_t end, const char *kind)
{
  if (end > start)
    vec_push(&folder->folds, (Fold){ start, end, kind });
}

static void fold_parts(Folder *folder)
{
  Outline outline;
  outline_build(folder->context, NULL, &outline);
  for (size_t i = 0; i < outline.parts.count; i++) {
    const OutlinePart *part = &outline.parts.items[i];
    add_fold(folder, part->first_line, part->last_line, part->kind == PART_MODULE ? "region" : NULL);
    // From the second line on, so that a header folds apart from its graph.
    if (part->kind == PART_GRAPH && part->header_end - part->first_line > SHORT_LINES)
      add_fold(folder, part->first_line + 1, part->header_end, NULL);
  }
  outline_done(&outline);
}

// --- Text ---

static bool is_blank(const Folder *folder, uint32_t line)
{
  return str_trim(document_line(folder->document, line)).len == 0;
}

/// Lines [start, end) are not part of a graph.
static void fold_text(Folder *folder, uint32_t start, uint32_t end)
{
  while (start < end && is_blank(folder, start))
    start++;
  while (start < end && is_blank(folder, end - 1))
    end--;
  if (end - start >= SHORT_LINES)
    add_fold(folder, start, end - 1, "comment");
}

static void fold_texts(Folder *folder)
{
  const Dump *dump = snapshot_dump(folder->context->snapshot);
  uint32_t next = 0;
  for (uint32_t chunk = 0; chunk < dump->chunk_count && !feature_is_cancelled(folder->context); chunk++) {
    const DumpIndex *index = dump->chunks[chunk]->index;
    for (uint32_t i = 0; i < index->item_count; i++) {
      uint32_t line = folder->document->chunk_lines[chunk] + index->items[i].line;
      if (line > next)
        fold_text(folder, next, line);
      next = line + 1;
    }
  }
  uint32_t count = document_line_count(folder->document);
  if (count > next && !feature_is_cancelled(folder->context))
    fold_text(folder, next, count);
}

// --- Order ---

static int compare_folds(const void *left, const void *right)
{
  const Fold *a = left;
  const Fold *b = right;
  if (a->start_line != b->start_line)
    return a->start_line < b->start_line ? -1 : 1;
  return a->end_line == b->end_line ? 0 : a->end_line > b->end_line ? -1 : 1;
}

/// Editors show one fold a line: the largest stays.
static void drop_same_start(Folder *folder)
{
  size_t kept = 0;
  for (size_t i = 0; i < folder->folds.count; i++) {
    if (kept == 0 || folder->folds.items[kept - 1].start_line != folder->folds.items[i].start_line)
      folder->folds.items[kept++] = folder->folds.items[i];
  }
  folder->folds.count = kept;
}

static void drop_small(Folder *folder)
{
  for (uint32_t lines = 4; folder->folds.count > FOLD_LIMIT; lines *= 2) {
    size_t kept = 0;
    for (size_t i = 0; i < folder->folds.count; i++) {
      if (folder->folds.items[i].end_line - folder->folds.items[i].start_line >= lines)
        folder->folds.items[kept++] = folder->folds.items[i];
    }
    folder->folds.count = kept;
  }
}

FoldList graph_folding(const FeatureContext *context)
{
  Folder folder = { .context = context, .document = snapshot_document(context->snapshot) };
  fold_parts(&folder);
  fold_texts(&folder);
  vec_sort(&folder.folds, compare_folds);
  drop_same_start(&folder);
  drop_small(&folder);
  Fold *items = vec_copy(&folder.folds, context->arena);
  FoldList list = { items, folder.folds.count };
  vec_free(&folder.folds);
  return list;
}
