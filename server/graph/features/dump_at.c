#include "graph/features/dump_at.h"

#include "text/lines.h"

const Item *dump_place_item(const Dump *dump, Place place)
{
  return &dump->chunks[place.chunk]->index->items[place.item];
}

static Str occurrence_name(const Dump *dump, Place place)
{
  const ChunkState *chunk = dump->chunks[place.chunk];
  return dump_symbol_name(chunk->index, chunk_text(chunk), chunk->index->occurrences[place.occurrence].symbol);
}

Range dump_place_range(const Snapshot *snapshot, Place place)
{
  const Dump *dump = snapshot_dump(snapshot);
  const DumpIndex *index = dump->chunks[place.chunk]->index;
  const Occurrence *occurrence = &index->occurrences[place.occurrence];
  size_t start = snapshot_document(snapshot)->chunk_offsets[place.chunk] + occurrence->start;
  return (Range){ start, start + index->symbols[occurrence->symbol].len };
}

uint32_t dump_place_line(const Snapshot *snapshot, Place place)
{
  uint32_t first = snapshot_document(snapshot)->chunk_lines[place.chunk];
  return first + dump_place_item(snapshot_dump(snapshot), place)->line;
}

uint32_t dump_place_graph(const Dump *dump, Place place)
{
  uint32_t segment = dump_index_segment_of(dump->chunks[place.chunk]->index, place.item);
  return dump_graph_of(dump, place.chunk, segment);
}

Range dump_line_content(const Document *document, uint32_t line)
{
  size_t start = document_line_start(document, line);
  Str text = document_line(document, line);
  Str content = str_trim(text);
  if (content.len == 0)
    return (Range){ start, start };
  start += (size_t)(content.data - text.data);
  return (Range){ start, start + content.len };
}

/// Finds the occurrence on the item's line that holds the chunk offset, or ends at it.
static bool occurrence_at(const DumpIndex *index, uint32_t item, uint32_t offset, uint32_t *ret_occurrence)
{
  bool found = false;
  for (uint32_t o = index->items[item].first_occurrence; o < index->items[item + 1].first_occurrence; o++) {
    uint32_t start = index->occurrences[o].start;
    uint32_t end = start + index->symbols[index->occurrences[o].symbol].len;
    if (offset < start || offset > end)
      continue;
    *ret_occurrence = o;
    found = true;
    if (offset < end)
      break;
  }
  return found;
}

/// The item that the line belongs to: its own, or that of the statement which goes on there.
static uint32_t item_of_line(const ChunkState *chunk, uint32_t line)
{
  const TextChunk *text = chunk->text;
  uint32_t item = dump_index_item_at(chunk->index, line);
  while (item == NO_ITEM && line > 0 && line_may_continue(str_make(text->text, text->len), text->starts[line]))
    item = dump_index_item_at(chunk->index, --line);
  return item;
}

bool dump_place_at(const Snapshot *snapshot, size_t offset, Place *ret_place)
{
  const Dump *dump = snapshot_dump(snapshot);
  if (!dump)
    return false;
  ChunkPoint point = document_locate(snapshot_document(snapshot), offset);
  const ChunkState *chunk = dump->chunks[point.chunk];
  uint32_t item = item_of_line(chunk, text_chunk_line_of(chunk->text, point.offset));
  if (item == NO_ITEM)
    return false;
  *ret_place = (Place){ .chunk = point.chunk, .item = item };
  return true;
}

bool name_at(const Snapshot *snapshot, size_t offset, NameAt *ret_name)
{
  Place place;
  if (!dump_place_at(snapshot, offset, &place))
    return false;
  const Dump *dump = snapshot_dump(snapshot);
  const DumpIndex *index = dump->chunks[place.chunk]->index;
  uint32_t in_chunk = (uint32_t)(offset - snapshot_document(snapshot)->chunk_offsets[place.chunk]);
  // A damaged line may have more than one item.
  uint32_t line = index->items[place.item].line;
  for (; place.item < index->item_count && index->items[place.item].line == line; place.item++) {
    if (!occurrence_at(index, place.item, in_chunk, &place.occurrence))
      continue;
    const Item *item = &index->items[place.item];
    *ret_name = (NameAt){
      .place = place,
      .is_definition = place.occurrence - item->first_occurrence < item->def_count,
      .graph = dump_place_graph(dump, place),
      .name = occurrence_name(dump, place),
      .range = dump_place_range(snapshot, place),
    };
    return true;
  }
  return false;
}

/// Whether anything in the graph defines the name.
static bool graph_defines(const Dump *dump, uint32_t graph, Str name)
{
  const Graph *g = &dump->graphs[graph];
  uint32_t hash = str_hash(name);
  for (uint32_t chunk = g->first_chunk; chunk <= g->last_chunk; chunk++) {
    const ChunkState *state = dump->chunks[chunk];
    uint32_t symbol = dump_index_find(state->index, chunk_text(state), graph_segment(g, chunk), name, hash);
    if (symbol != NO_SYMBOL && (state->index->symbols[symbol].flags & SYMBOL_DEFINED))
      return true;
  }
  return false;
}

/// The graph that defines the name as `name->graph` sees it; that graph itself if none does.
static uint32_t home_graph(const Dump *dump, const NameAt *name)
{
  uint32_t graph = name->graph;
  while (!graph_defines(dump, graph, name->name)) {
    if (!dump->graphs[graph].follows_printable || graph == 0)
      return name->graph;
    graph--;
  }
  return graph;
}

bool name_at_definition(const Dump *dump, const NameAt *name, Place *ret_place)
{
  return dump_find_definition(dump, home_graph(dump, name), name->name, name->place, ret_place);
}

size_t name_at_count_uses(const Dump *dump, const NameAt *name)
{
  uint32_t graph = home_graph(dump, name);
  size_t count = dump_count_uses(dump, graph, name->name);
  while (++graph < dump->graph_count && dump->graphs[graph].follows_printable) {
    if (!graph_defines(dump, graph, name->name))
      count += dump_count_uses(dump, graph, name->name);
  }
  return count;
}

void name_at_each_occurrence(const Dump *dump, const NameAt *name,
                             bool (*visit)(Place place, bool is_definition, void *context), void *context)
{
  uint32_t graph = home_graph(dump, name);
  dump_each_occurrence(dump, graph, name->name, visit, context);
  while (++graph < dump->graph_count && dump->graphs[graph].follows_printable) {
    if (!graph_defines(dump, graph, name->name))
      dump_each_occurrence(dump, graph, name->name, visit, context);
  }
}

bool dump_place_previous(const Dump *dump, Place *place)
{
  Place at = { .chunk = place->chunk, .item = place->item };
  while (at.item == 0) {
    if (at.chunk == 0)
      return false;
    at.chunk--;
    at.item = dump->chunks[at.chunk]->index->item_count;
  }
  at.item--;
  *place = at;
  return true;
}

bool dump_place_next(const Dump *dump, Place *place)
{
  Place at = { .chunk = place->chunk, .item = place->item + 1 };
  while (at.item >= dump->chunks[at.chunk]->index->item_count) {
    if (at.chunk + 1 == dump->chunk_count)
      return false;
    at.chunk++;
    at.item = 0;
  }
  *place = at;
  return true;
}
