// textDocument/documentLink: every source location whose file exists on this machine.

#include "base/limits.h"
#include "base/vec.h"
#include "graph/features/dump_at.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/features/source_path.h"

enum { CANCEL_LINES = 1024 };

typedef struct KnownFile {
  Str file;
  bool exists;
  Str path;
} KnownFile;

typedef struct Linker {
  const FeatureContext *context;
  Vec(KnownFile) files;
  size_t latest;  ///< Of files: lines of one file are together.
  Vec(Link) links;
} Linker;

/// Looks each file up once; NULL when there are too many of them.
static const KnownFile *know_file(Linker *linker, Str file)
{
  if (linker->latest < linker->files.count && str_equal(linker->files.items[linker->latest].file, file))
    return &linker->files.items[linker->latest];
  for (size_t i = 0; i < linker->files.count; i++) {
    if (str_equal(linker->files.items[i].file, file)) {
      linker->latest = i;
      return &linker->files.items[i];
    }
  }
  if (linker->files.count >= LINK_FILE_LIMIT)
    return NULL;
  KnownFile known = { .file = file };
  known.exists = source_path_find(linker->context, file, &known.path);
  linker->latest = linker->files.count;
  vec_push(&linker->files, known);
  return vec_last(&linker->files);
}

static void link_line(Linker *linker, size_t start, Str line)
{
  LineTail tail = line_tail(line);
  if (tail.location.len == 0)
    return;
  const KnownFile *file = know_file(linker, tail.file);
  if (!file || !file->exists)
    return;
  start += (size_t)(tail.location.data - line.data);
  vec_push(&linker->links, (Link){
                               .range = { start, start + tail.location.len },
                               .path = file->path,
                               .line = tail.file_line > 0 ? tail.file_line - 1 : 0,
                               .column = tail.file_column,
                           });
}

static void link_chunk(Linker *linker, uint32_t chunk)
{
  const Document *document = snapshot_document(linker->context->snapshot);
  const TextChunk *text = document->chunks[chunk];
  for (uint32_t line = 0; line < text->line_count && linker->links.count < LINK_LIMIT; line++) {
    if (line % CANCEL_LINES == 0 && feature_is_cancelled(linker->context))
      return;
    link_line(linker, document->chunk_offsets[chunk] + text->starts[line], text_chunk_line(text, line));
  }
}

LinkList graph_links(const FeatureContext *context)
{
  if (!context->file_exists)
    return (LinkList){ 0 };
  Linker linker = { .context = context };
  for (uint32_t chunk = 0; chunk < snapshot_document(context->snapshot)->chunk_count; chunk++) {
    if (linker.links.count >= LINK_LIMIT || feature_is_cancelled(context))
      break;
    link_chunk(&linker, chunk);
  }
  Link *items = vec_copy(&linker.links, context->arena);
  LinkList list = { items, linker.links.count };
  vec_free(&linker.files);
  vec_free(&linker.links);
  return list;
}
