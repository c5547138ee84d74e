#include "graph/model/other_graphs.h"

#include "base/search.h"
#include "base/vec.h"
#include "graph/model/snapshot_dump.h"

/// What a model was made from is no other graph to look at.
#define SOURCE_OF_PROGRAM STR("exported_program=")

typedef struct Finder {
  const Document *document;
  Vec(Range) found;
  bool is_other;   ///< The last range has no end yet.
  bool is_source;  ///< What comes is what the graph before was made from.
} Finder;

static bool follows_source(const Finder *finder, size_t offset)
{
  uint32_t line = document_line_of(finder->document, offset);
  return line > 0 && str_equal(str_trim(document_line(finder->document, line - 1)), SOURCE_OF_PROGRAM);
}

static void begin(Finder *finder, size_t start)
{
  finder->is_source |= follows_source(finder, start);
  if (finder->is_other || finder->is_source)
    return;
  finder->is_other = true;
  vec_push(&finder->found, ((Range){ start, document_length(finder->document) }));
}

static void end(Finder *finder, size_t at)
{
  if (finder->is_other)
    vec_last(&finder->found)->end = at;
  finder->is_other = finder->is_source = false;
}

/// Lines that tell of other languages, and headers of the own one, in order.
static void find_in_chunk(Finder *finder, const DumpIndex *index, const TextChunk *text, size_t base)
{
  uint32_t mark = 0;
  uint32_t marked_line = UINT32_MAX;
  for (uint32_t i = 0; i <= index->item_count; i++) {
    const Item *item = i < index->item_count ? &index->items[i] : NULL;
    for (; mark < index->unread_count; mark++) {
      const Unread *unread = &index->unread[mark];
      if (unread->reason != UNREAD_OTHER_LANGUAGE)
        continue;
      uint32_t line = text_chunk_line_of(text, unread->start);
      if (item && line > item->line)
        break;
      marked_line = line;
      begin(finder, base + unread->start);
    }
    if (item && item_is_header(item) && item->line != marked_line)
      end(finder, base + text->starts[item->line]);
  }
}

static bool has_marks(const Dump *dump)
{
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    for (uint32_t i = 0; i < index->unread_count; i++) {
      if (index->unread[i].reason == UNREAD_OTHER_LANGUAGE)
        return true;
    }
  }
  return false;
}

OtherGraphs other_graphs_find(const Snapshot *snapshot, Arena *arena)
{
  const Dump *dump = snapshot_dump(snapshot);
  Finder finder = { .document = snapshot_document(snapshot) };
  if (!dump || !has_marks(dump))
    return (OtherGraphs){ 0 };
  for (uint32_t c = 0; c < dump->chunk_count; c++)
    find_in_chunk(&finder, dump->chunks[c]->index, dump->chunks[c]->text, finder.document->chunk_offsets[c]);
  OtherGraphs others = { vec_copy(&finder.found, arena), finder.found.count };
  vec_free(&finder.found);
  return others;
}

bool other_graphs_hold(const OtherGraphs *others, size_t offset)
{
  size_t after;
  SEARCH_FIRST(after, 0, others->count, others->items[after].start <= offset);
  return after > 0 && offset < others->items[after - 1].end;
}
