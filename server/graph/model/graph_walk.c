#include "graph/model/graph_walk.h"

#include "base/ascii.h"
#include "base/limits.h"

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

// --- Traces ---

/// The lines of the place's graph in its chunk.
static const Segment *part_of(const GraphWalk *walk, Place place)
{
  return &index_of(walk, place)->segments[dump_index_segment_of(index_of(walk, place), place.item)];
}

static uint32_t last_item(const Segment *part)
{
  return part->first_item + part->item_count - 1;
}

static void trace_items(const GraphWalk *walk, uint32_t chunk, uint32_t a, uint32_t b)
{
  if (walk->trace)
    trace_add_items(walk->trace, chunk, a < b ? a : b, a < b ? b : a);
}

/// What the name at the place means in other chunks was asked.
static void trace_name(const GraphWalk *walk, Place place)
{
  const DumpIndex *index = index_of(walk, place);
  if (walk->trace)
    trace_add_name(walk->trace, index->symbols[index->occurrences[place.occurrence].symbol].hash);
}

// --- Values ---

bool walk_find_definition(const GraphWalk *walk, Place use, Place *ret_definition)
{
  Place found = { .chunk = NO_CHUNK };
  bool is_found = dump_definition_of(walk->dump, walk_graph(walk, use), use, &found);
  if (is_found)
    *ret_definition = found;
  if (!walk->trace)
    return is_found;
  if (found.chunk == use.chunk && found.item < use.item) {
    trace_items(walk, use.chunk, found.item, use.item);
    return true;
  }
  const Segment *part = part_of(walk, use);
  trace_items(walk, use.chunk, part->first_item, last_item(part));
  trace_name(walk, use);
  if (is_found && found.chunk != use.chunk) {
    const DumpIndex *there = index_of(walk, found);
    bool is_only_one = !(there->symbols[there->occurrences[found.occurrence].symbol].flags & SYMBOL_DEFINED_TWICE);
    part = part_of(walk, found);
    trace_items(walk, found.chunk, is_only_one ? found.item : part->first_item,
                is_only_one ? found.item : last_item(part));
  }
  return is_found;
}

bool walk_next_use(const GraphWalk *walk, Place definition, UseCursor *cursor, Place *ret_use)
{
  uint32_t chunk = cursor->chunk;
  uint32_t graph_number = walk_graph(walk, definition);
  const Graph *graph = &walk->dump->graphs[graph_number];
  bool is_found = dump_next_use(walk->dump, graph_number, cursor, ret_use);
  if (!walk->trace)
    return is_found;
  if (is_found && ret_use->chunk == definition.chunk) {
    trace_items(walk, definition.chunk, definition.item, ret_use->item);
    return true;
  }
  // The chunk that the cursor leaves was read to its end. Those on the way have no use, or the name would be another.
  trace_name(walk, definition);
  if (is_found)
    trace_items(walk, ret_use->chunk, part_of(walk, *ret_use)->first_item, ret_use->item);
  if (is_found && ret_use->chunk == chunk)
    return true;
  const Segment *left = &walk->dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)];
  trace_items(walk, chunk, chunk == definition.chunk ? definition.item : left->first_item, last_item(left));
  return is_found;
}

// --- Lines and blocks ---

bool walk_next(const GraphWalk *walk, Place place, Place *ret_next)
{
  uint32_t graph = walk_graph(walk, place);
  Place next = { place.chunk, place.item + 1, 0 };
  while (next.chunk < walk->dump->chunk_count && next.item >= index_of(walk, next)->item_count)
    next = (Place){ next.chunk + 1, 0, 0 };
  trace_items(walk, place.chunk, place.item, place.item);
  if (next.chunk == walk->dump->chunk_count)
    return false;
  trace_items(walk, next.chunk, next.item, next.item);
  if (walk_graph(walk, next) != graph)
    return false;
  *ret_next = next;
  return true;
}

/// The line of the same graph before it.
static bool previous_line(const GraphWalk *walk, Place place, Place *ret_previous)
{
  uint32_t graph = walk_graph(walk, place);
  Place previous = place;
  trace_items(walk, place.chunk, place.item, place.item);
  while (previous.item == 0) {
    if (previous.chunk == 0)
      return false;
    previous.chunk--;
    previous.item = index_of(walk, previous)->item_count;
  }
  previous.item--;
  trace_items(walk, previous.chunk, previous.item, previous.item);
  if (walk_graph(walk, previous) != graph)
    return false;
  *ret_previous = (Place){ previous.chunk, previous.item, 0 };
  return true;
}

/// Of a header such a line may be, too: the names of what a graph gives.
static bool may_be_rest(const Item *item)
{
  return item->kind == ITEM_CONTINUATION || (item->kind == ITEM_PARAMETERS && item->def_count == 0);
}

bool walk_rest(const GraphWalk *walk, Place first, Place place, Place *ret_next)
{
  return walk_item(walk, first)->kind == ITEM_STATEMENT && walk_next(walk, place, ret_next) &&
         may_be_rest(walk_item(walk, *ret_next));
}

Place walk_statement(const GraphWalk *walk, Place place)
{
  Place first = place;
  while (may_be_rest(walk_item(walk, first)) && previous_line(walk, first, &first)) {
  }
  return walk_item(walk, first)->kind == ITEM_STATEMENT ? first : place;
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
  const Dump *dump = walk->dump;
  const DumpIndex *index = index_of(walk, place);
  const Item *item = walk_item(walk, place);
  uint32_t segment = dump_index_segment_of(index, place.item);
  int16_t indent = item_nests((ItemKind)item->kind) ? (int16_t)item->indent : INDENT_LIMIT;
  trace_items(walk, place.chunk, place.item, place.item);
  if (indent <= dump->graphs[dump_graph_of(dump, place.chunk, segment)].min_indent)
    return false;
  uint32_t first = index->segments[segment].first_item;
  if (header_before(walk, place.chunk, place.item, first, &indent, ret_header)) {
    trace_items(walk, place.chunk, ret_header->item, place.item);
    return true;
  }
  trace_items(walk, place.chunk, first, place.item);
  // The innermost of the blocks that were open where the chunk begins and that no line since has left.
  uint32_t block = segment == 0 ? dump->frames[place.chunk].entry : NO_BLOCK;
  while (block != NO_BLOCK && dump->blocks[block].indent >= indent)
    block = dump->blocks[block].parent;
  if (block == NO_BLOCK)
    return false;
  *ret_header = (Place){ dump->blocks[block].chunk, dump->blocks[block].item, 0 };
  trace_items(walk, ret_header->chunk, ret_header->item, index_of(walk, *ret_header)->item_count - 1);
  return true;
}

/// Lines of a graph one chunk at a time, so that chunks without any line of interest are passed over.
static bool part_has_line_within(const GraphWalk *walk, const Graph *graph, uint32_t chunk, int16_t indent)
{
  return walk->dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)].min_indent < indent;
}

bool walk_owner(const GraphWalk *walk, Place header, Place *ret_owner)
{
  int16_t indent = (int16_t)walk_item(walk, header)->indent;
  const Graph *graph = &walk->dump->graphs[walk_graph(walk, header)];
  for (uint32_t chunk = header.chunk + 1; chunk-- > graph->first_chunk;) {
    if (!part_has_line_within(walk, graph, chunk, indent))
      continue;
    const DumpIndex *index = walk->dump->chunks[chunk]->index;
    const Segment *part = &index->segments[graph_segment(graph, chunk)];
    uint32_t end = chunk == header.chunk ? header.item : part->first_item + part->item_count;
    uint32_t item = end;
    while (item > part->first_item) {
      const Item *it = &index->items[--item];
      if (it->kind != ITEM_STATEMENT || (int16_t)it->indent >= indent)
        continue;
      trace_items(walk, chunk, item, end);
      *ret_owner = (Place){ chunk, item, 0 };
      return true;
    }
    trace_items(walk, chunk, part->first_item, end);
  }
  return false;
}

uint32_t walk_block_number(const GraphWalk *walk, Place header)
{
  Str line = str_trim(text_chunk_line(walk->dump->chunks[header.chunk]->text, walk_item(walk, header)->line));
  size_t block = str_find(line, STR("block"), 0);
  uint32_t number = 0;
  for (size_t i = block + 5; block != STR_NOT_FOUND && i < line.len && ascii_is_digit(line.data[i]); i++)
    number = number * 10 + (uint32_t)(line.data[i] - '0');
  return number;
}

/// Looks for the `->` line of a block in the lines [item, end) of one chunk.
typedef struct ReturnSearch {
  const GraphWalk *walk;
  int16_t owner_indent;
  int16_t header_indent;  ///< Of the node's blocks; INDENT_LIMIT before the first one.
  uint32_t number;
  bool is_inside;  ///< In the block of that number.
  bool has_ended;  ///< The node's blocks have.
} ReturnSearch;

static bool find_return(ReturnSearch *search, uint32_t chunk, uint32_t item, uint32_t end, Place *ret_return)
{
  const DumpIndex *index = search->walk->dump->chunks[chunk]->index;
  uint32_t first = item;
  bool is_found = false;
  for (; item < end && !search->has_ended && !is_found; item++) {
    const Item *it = &index->items[item];
    int16_t indent = (int16_t)it->indent;
    if (!item_nests((ItemKind)it->kind))
      continue;
    if (indent <= search->owner_indent || it->kind == ITEM_RETURN) {
      search->has_ended = true;
    } else if (it->kind == ITEM_BLOCK_HEADER && indent <= search->header_indent) {
      search->header_indent = indent;
      search->is_inside = walk_block_number(search->walk, (Place){ chunk, item, 0 }) == search->number;
    } else if (it->kind == ITEM_BLOCK_RETURN && search->is_inside && indent <= search->header_indent + 3) {
      *ret_return = (Place){ chunk, item, 0 };
      is_found = true;
    }
  }
  if (item > first)
    trace_items(search->walk, chunk, first, item - 1);
  return is_found;
}

bool walk_block_return(const GraphWalk *walk, Place owner, uint32_t number, Place *ret_return)
{
  const Graph *graph = &walk->dump->graphs[walk_graph(walk, owner)];
  ReturnSearch search = {
    .walk = walk,
    .owner_indent = (int16_t)walk_item(walk, owner)->indent,
    .header_indent = INDENT_LIMIT,
    .number = number,
  };
  for (uint32_t chunk = owner.chunk; chunk <= graph->last_chunk && !search.has_ended; chunk++) {
    const Segment *part = &walk->dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)];
    uint32_t first = chunk == owner.chunk ? owner.item + 1 : part->first_item;
    // Lines further in than this belong to blocks within the block.
    if (chunk > owner.chunk && search.header_indent != INDENT_LIMIT && part->min_indent > search.header_indent + 3)
      continue;
    if (find_return(&search, chunk, first, part->first_item + part->item_count, ret_return))
      return true;
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
