#include "analysis/graph_walk.h"

#include "base/vec.h"

/// The blocks that are open where each chunk begins, from the summaries of the chunks before it.
void graph_walk_init(GraphWalk *walk, const Dump *dump)
{
  Vec(EntryBlock) open = { 0 };
  Vec(EntryBlock) entries = { 0 };
  uint32_t *first = xcalloc((size_t)dump->chunk_count + 1, sizeof(*first));
  for (uint32_t c = 0; c < dump->chunk_count; c++) {
    const DumpIndex *index = dump->chunks[c]->index;
    first[c] = (uint32_t)entries.count;
    vec_append(&entries, open.items, open.count);
    for (uint32_t s = 0; s < index->segment_count; s++) {
      const Segment *segment = &index->segments[s];
      if (s > 0)
        vec_clear(&open);
      while (open.count > 0 && vec_last(&open)->indent >= segment->min_indent)
        open.count--;
      for (uint32_t i = 0; i < segment->open_count; i++)
        vec_push(&open, (EntryBlock){ index->open_indents[segment->first_open + i], c });
    }
  }
  first[dump->chunk_count] = (uint32_t)entries.count;
  vec_free(&open);
  *walk = (GraphWalk){ .dump = dump, .entry_first = first, .entries = entries.items };
}

void graph_walk_done(GraphWalk *walk)
{
  free(walk->entry_first);
  free(walk->entries);
  *walk = (GraphWalk){ 0 };
}

static const DumpIndex *index_of(const GraphWalk *walk, Place place)
{
  return walk->dump->chunks[place.chunk]->index;
}

static Str text_of(const GraphWalk *walk, Place place)
{
  return chunk_text(walk->dump->chunks[place.chunk]);
}

Str walk_op(const GraphWalk *walk, Place place)
{
  const Item *item = walk_item(walk, place);
  return item->op == NO_OP ? STR("") : dump_op_name(index_of(walk, place), text_of(walk, place), item->op);
}

Str walk_name(const GraphWalk *walk, Place place)
{
  const DumpIndex *index = index_of(walk, place);
  return dump_symbol_name(index, text_of(walk, place), index->occurrences[place.occurrence].symbol);
}

uint32_t walk_graph(const GraphWalk *walk, Place place)
{
  return dump_graph_of(walk->dump, place.chunk, dump_index_segment_of(index_of(walk, place), place.item));
}

uint32_t walk_use_count(const GraphWalk *walk, Place place)
{
  const Item *item = walk_item(walk, place);
  return item[1].first_occurrence - item->first_occurrence - item->def_count;
}

Place walk_use(const GraphWalk *walk, Place place, uint32_t i)
{
  const Item *item = walk_item(walk, place);
  return (Place){ place.chunk, place.item, item->first_occurrence + item->def_count + i };
}

Place walk_definition(const GraphWalk *walk, Place place, uint32_t i)
{
  return (Place){ place.chunk, place.item, walk_item(walk, place)->first_occurrence + i };
}

bool walk_find_definition(const GraphWalk *walk, Place use, Place *ret_definition)
{
  return dump_find_definition(walk->dump, walk_graph(walk, use), walk_name(walk, use), use, ret_definition);
}

// --- Lines and blocks ---

bool walk_next(const GraphWalk *walk, Place place, Place *ret_next)
{
  uint32_t graph = walk_graph(walk, place);
  Place next = { place.chunk, place.item + 1, 0 };
  while (next.chunk < walk->dump->chunk_count && next.item >= index_of(walk, next)->item_count)
    next = (Place){ next.chunk + 1, 0, 0 };
  if (next.chunk == walk->dump->chunk_count || walk_graph(walk, next) != graph)
    return false;
  *ret_next = next;
  return true;
}

bool walk_previous(const GraphWalk *walk, Place place, Place *ret_previous)
{
  uint32_t graph = walk_graph(walk, place);
  Place previous = place;
  while (previous.item == 0) {
    if (previous.chunk == 0)
      return false;
    previous.chunk--;
    previous.item = index_of(walk, previous)->item_count;
  }
  previous.item--;
  if (walk_graph(walk, previous) != graph)
    return false;
  *ret_previous = (Place){ previous.chunk, previous.item, 0 };
  return true;
}

/// Looks backwards in one chunk, from before `item`, for a header that lies further out than `*indent`, which is
/// lowered by every line on the way, as blocks that ended there can't be around what follows.
static bool header_before(const GraphWalk *walk, uint32_t chunk, uint32_t item, uint32_t first, int16_t *indent,
                          Place *ret_header)
{
  const DumpIndex *index = walk->dump->chunks[chunk]->index;
  while (item-- > first) {
    const Item *it = &index->items[item];
    if (it->kind == ITEM_BLOCK_HEADER && (int16_t)it->indent < *indent) {
      *ret_header = (Place){ chunk, item, 0 };
      return true;
    }
    if (item_nests((ItemKind)it->kind) && (int16_t)it->indent < *indent)
      *indent = (int16_t)it->indent;
  }
  return false;
}

bool walk_enclosing_header(const GraphWalk *walk, Place place, Place *ret_header)
{
  const DumpIndex *index = index_of(walk, place);
  uint32_t segment = dump_index_segment_of(index, place.item);
  int16_t indent = (int16_t)walk_item(walk, place)->indent;
  if (indent <= walk->dump->graphs[dump_graph_of(walk->dump, place.chunk, segment)].min_indent)
    return false;
  if (header_before(walk, place.chunk, place.item, index->segments[segment].first_item, &indent, ret_header))
    return true;
  if (segment > 0)
    return false;
  // The innermost of the blocks that were open where the chunk begins and that no line since has left.
  for (uint32_t i = walk->entry_first[place.chunk + 1]; i-- > walk->entry_first[place.chunk];) {
    const EntryBlock *entry = &walk->entries[i];
    if (entry->indent >= indent)
      continue;
    const DumpIndex *there = walk->dump->chunks[entry->chunk]->index;
    for (uint32_t item = there->item_count; item-- > 0;) {
      if (there->items[item].kind == ITEM_BLOCK_HEADER && (int16_t)there->items[item].indent == entry->indent) {
        *ret_header = (Place){ entry->chunk, item, 0 };
        return true;
      }
    }
  }
  return false;
}

bool walk_owner(const GraphWalk *walk, Place header, Place *ret_owner)
{
  uint16_t indent = walk_item(walk, header)->indent;
  for (Place at = header; walk_previous(walk, at, &at);) {
    const Item *item = walk_item(walk, at);
    if (item->kind == ITEM_STATEMENT && item->indent < indent) {
      *ret_owner = at;
      return true;
    }
  }
  return false;
}

uint32_t walk_block_number(const GraphWalk *walk, Place header)
{
  Str line = str_trim(text_chunk_line(walk->dump->chunks[header.chunk]->text, walk_item(walk, header)->line));
  size_t block = str_find(line, STR("block"), 0);
  uint32_t number = 0;
  for (size_t i = block + 5; block != STR_NOT_FOUND && i < line.len && line.data[i] >= '0' && line.data[i] <= '9'; i++)
    number = number * 10 + (uint32_t)(line.data[i] - '0');
  return number;
}

bool walk_block_return(const GraphWalk *walk, Place owner, uint32_t number, Place *ret_return)
{
  uint16_t owner_indent = walk_item(walk, owner)->indent;
  uint16_t header_indent = UINT16_MAX;
  bool inside = false;
  for (Place at = owner; walk_next(walk, at, &at);) {
    const Item *item = walk_item(walk, at);
    if (item->kind == ITEM_CONTINUATION || item->kind == ITEM_GAP)
      continue;
    if (item->indent <= owner_indent || item->kind == ITEM_RETURN)
      return false;
    if (item->kind == ITEM_BLOCK_HEADER && item->indent <= header_indent) {
      header_indent = item->indent;
      inside = walk_block_number(walk, at) == number;
    } else if (item->kind == ITEM_BLOCK_RETURN && inside && item->indent <= header_indent + 3) {
      *ret_return = at;
      return true;
    }
  }
  return false;
}

// --- Text of a line ---

static Str line_of(const GraphWalk *walk, Place place, uint32_t *ret_start)
{
  const TextChunk *chunk = walk->dump->chunks[place.chunk]->text;
  uint32_t line = walk_item(walk, place)->line;
  *ret_start = chunk->starts[line];
  return text_chunk_line(chunk, line);
}

Str walk_type(const GraphWalk *walk, Place definition)
{
  const DumpIndex *index = index_of(walk, definition);
  const Item *item = walk_item(walk, definition);
  uint32_t line_start;
  Str line = line_of(walk, definition, &line_start);
  const Occurrence *occurrence = &index->occurrences[definition.occurrence];
  size_t start = occurrence->start - line_start + index->symbols[occurrence->symbol].len;
  if (!str_starts_with(str_slice(line, start, line.len), STR(" : ")))
    return STR("");
  start += 3;
  bool is_last = definition.occurrence + 1 >= item->first_occurrence + item->def_count;
  size_t end = line.len;
  if (!is_last)
    end = occurrence[1].start - line_start - 2;  // Before `, %`.
  else if (item->kind == ITEM_STATEMENT)
    end = str_find(line, STR(" = "), start);
  Str type = str_trim(str_slice(line, start, end == STR_NOT_FOUND ? line.len : end));
  if (is_last && item->kind != ITEM_STATEMENT) {
    while (type.len > 0 && (type.data[type.len - 1] == ',' || type.data[type.len - 1] == ':'))
      type.len--;
    if (str_ends_with(line, STR("):")) && type.len > 0 && type.data[type.len - 1] == ')')
      type.len--;
  }
  return type;
}

Str walk_attributes(const GraphWalk *walk, Place place)
{
  uint32_t line_start;
  Str line = line_of(walk, place, &line_start);
  Str op = walk_op(walk, place);
  size_t at = str_find(line, STR(" = "), 0);
  at = at == STR_NOT_FOUND || op.len == 0 ? STR_NOT_FOUND : str_find(line, op, at);
  if (at == STR_NOT_FOUND || at + op.len >= line.len || line.data[at + op.len] != '[')
    return STR("");
  size_t start = at + op.len + 1;
  size_t end = str_find(line, STR("]("), start);
  return end == STR_NOT_FOUND ? STR("") : str_slice(line, start, end);
}
