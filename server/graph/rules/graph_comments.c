// The comments of graphs that may switch rules off; lowering has found them.

#include "graph/graph_language.h"
#include "graph/model/snapshot_dump.h"

static bool is_comment_line(Str line)
{
  line = str_trim(line);
  return line.len > 0 && line.data[0] == '#';
}

/// The first line that is part of a graph; UINT32_MAX if there is none. A program may well log three dots before.
static uint32_t first_graph_line(const Document *document, const Dump *dump)
{
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t i = 0; i < index->item_count; i++) {
      if (index->items[i].kind != ITEM_GAP)
        return document->chunk_lines[c] + index->items[i].line;
    }
  }
  return UINT32_MAX;
}

void graph_each_comment(const Snapshot *snapshot, CommentVisitor *visit, void *context)
{
  const Document *document = snapshot_document(snapshot);
  const Dump *dump = snapshot_dump(snapshot);
  uint32_t first_line = 0;
  bool is_first = true;
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    const TextChunk *text = document->chunks[c];
    for (uint32_t i = 0; i < index->comment_count; i++) {
      if (is_first)
        first_line = first_graph_line(document, dump);
      is_first = false;
      uint32_t in_chunk = text_chunk_line_of(text, index->comments[i]);
      uint32_t line = document->chunk_lines[c] + in_chunk;
      CommentPlace place = {
        .line = line,
        .hash = index->comments[i] - text->starts[in_chunk],
        .is_alone = is_comment_line(text_chunk_line(text, in_chunk)),
        .is_late = line >= first_line,
      };
      visit(&place, context);
    }
  }
}
