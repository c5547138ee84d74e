// Lowering of one chunk: walks the lines of the syntax list in order, keeps the stack of open blocks, and writes the
// tables of the DumpIndex. Names are counted in a hash table while a segment is read, and sorted when it ends.

#include "base/sort.h"
#include "base/vec.h"
#include "model/dump_index.h"

/// An open block of the segment being read.
typedef struct OpenBlock {
  int16_t indent;     ///< Of its header.
  bool is_empty;      ///< No line of it was seen yet.
  uint32_t def_mark;  ///< Length of `visible_defs` when it began.
} OpenBlock;

typedef struct Slot {
  uint32_t stamp;  ///< The table's stamp when the slot was filled; older means free.
  uint32_t index;
} Slot;

/// Open addressing over entries that the caller compares; a new stamp empties it at once.
typedef struct SlotTable {
  Slot *slots;
  uint32_t size;  ///< A power of two, or 0.
  uint32_t used;
  uint32_t stamp;
} SlotTable;

struct Lowering {
  SyntaxParser *parser;
  Str text;
  const uint32_t *starts;
  uint32_t line_count;
  uint32_t line;  ///< Of the node being read.

  Vec(Item) items;
  Vec(Occurrence) occurrences;
  Vec(Occurrence) line_uses;  ///< Uses of the line being read; appended behind its definitions.
  Vec(DumpSymbol) symbols;
  Vec(bool) is_visible;  ///< By symbol.
  Vec(Segment) segments;
  Vec(int16_t) open_indents;
  Vec(OpName) ops;
  Vec(SyntaxProblem) problems;
  Vec(OpenBlock) blocks;
  Vec(uint32_t) visible_defs;  ///< Symbols in the order in which they became visible.
  Vec(uint64_t) sort_keys;
  Vec(DumpSymbol) sorted;
  Vec(uint32_t) renumbered;
  SlotTable symbol_table;
  SlotTable op_table;
  bool is_closed;  ///< The segment's graph has ended.
  bool is_body;    ///< A line of the segment's body was seen.
};

Lowering *lowering_new(void)
{
  Lowering *lowering = xcalloc(1, sizeof(*lowering));
  lowering->parser = syntax_parser_new();
  return lowering;
}

void lowering_free(Lowering *lowering)
{
  if (!lowering)
    return;
  syntax_parser_free(lowering->parser);
  vec_free(&lowering->items);
  vec_free(&lowering->occurrences);
  vec_free(&lowering->line_uses);
  vec_free(&lowering->symbols);
  vec_free(&lowering->is_visible);
  vec_free(&lowering->segments);
  vec_free(&lowering->open_indents);
  vec_free(&lowering->ops);
  vec_free(&lowering->problems);
  vec_free(&lowering->blocks);
  vec_free(&lowering->visible_defs);
  vec_free(&lowering->sort_keys);
  vec_free(&lowering->sorted);
  vec_free(&lowering->renumbered);
  free(lowering->symbol_table.slots);
  free(lowering->op_table.slots);
  free(lowering);
}

// --- Tables of names ---

static void slot_table_clear(SlotTable *table)
{
  table->used = 0;
  table->stamp++;
}

/// Doubles the table; `hash_of` tells where an entry belongs.
static void slot_table_grow(SlotTable *table, uint32_t (*hash_of)(const Lowering *, uint32_t), const Lowering *lowering)
{
  uint32_t size = table->size ? table->size * 2 : 1024;
  Slot *slots = xcalloc(size, sizeof(Slot));
  for (uint32_t i = 0; i < table->size; i++) {
    if (table->slots[i].stamp != table->stamp)
      continue;
    uint32_t at = hash_of(lowering, table->slots[i].index) & (size - 1);
    while (slots[at].stamp == table->stamp)
      at = (at + 1) & (size - 1);
    slots[at] = table->slots[i];
  }
  free(table->slots);
  table->slots = slots;
  table->size = size;
}

static uint32_t symbol_hash(const Lowering *lowering, uint32_t symbol)
{
  return lowering->symbols.items[symbol].hash;
}

static uint32_t op_hash(const Lowering *lowering, uint32_t op)
{
  const OpName *name = &lowering->ops.items[op];
  return str_hash(str_slice(lowering->text, name->start, (size_t)name->start + name->len));
}

static uint32_t add_symbol(Lowering *lowering, uint32_t start, uint32_t len)
{
  SlotTable *table = &lowering->symbol_table;
  if (table->used * 2 >= table->size)
    slot_table_grow(table, symbol_hash, lowering);
  Str name = str_make(lowering->text.data + start, len);
  uint32_t hash = str_hash(name);
  uint32_t at = hash & (table->size - 1);
  for (; table->slots[at].stamp == table->stamp; at = (at + 1) & (table->size - 1)) {
    uint32_t symbol = table->slots[at].index;
    const DumpSymbol *s = &lowering->symbols.items[symbol];
    if (s->hash == hash && s->len == len && memcmp(lowering->text.data + s->start, name.data, len) == 0)
      return symbol;
  }
  table->used++;
  table->slots[at] = (Slot){ table->stamp, (uint32_t)lowering->symbols.count };
  vec_push(&lowering->symbols, (DumpSymbol){ .hash = hash, .start = start, .len = len, .indent = INDENT_GRAPH });
  vec_push(&lowering->is_visible, false);
  return (uint32_t)lowering->symbols.count - 1;
}

static uint32_t add_op(Lowering *lowering, uint32_t start, uint32_t len)
{
  SlotTable *table = &lowering->op_table;
  if (table->used * 2 >= table->size)
    slot_table_grow(table, op_hash, lowering);
  Str name = str_make(lowering->text.data + start, len);
  uint32_t at = str_hash(name) & (table->size - 1);
  for (; table->slots[at].stamp == table->stamp; at = (at + 1) & (table->size - 1)) {
    OpName *op = &lowering->ops.items[table->slots[at].index];
    if (op->len == len && memcmp(lowering->text.data + op->start, name.data, len) == 0) {
      op->count++;
      return table->slots[at].index;
    }
  }
  table->used++;
  table->slots[at] = (Slot){ table->stamp, (uint32_t)lowering->ops.count };
  vec_push(&lowering->ops, (OpName){ start, len, 1 });
  return (uint32_t)lowering->ops.count - 1;
}

// --- Segments and blocks ---

static Segment *segment(Lowering *lowering)
{
  return vec_last(&lowering->segments);
}

/// Sorts the segment's symbols by hash and renumbers its occurrences.
static void sort_symbols(Lowering *lowering, Segment *s)
{
  uint32_t first = s->first_symbol;
  uint32_t count = (uint32_t)lowering->symbols.count - first;
  s->symbol_count = count;
  vec_clear(&lowering->sort_keys);
  for (uint32_t i = 0; i < count; i++)
    vec_push(&lowering->sort_keys, (uint64_t)lowering->symbols.items[first + i].hash << 32 | i);

  vec_reserve(&lowering->sort_keys, 2 * (size_t)count);
  vec_reserve(&lowering->renumbered, count);
  uint64_t *keys = lowering->sort_keys.items;
  uint32_t *renumbered = lowering->renumbered.items;
  if (count > 1)
    sort_by_high_half(keys, keys + count, count);
  vec_clear(&lowering->sorted);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t old = (uint32_t)keys[i];
    renumbered[old] = first + i;
    vec_push(&lowering->sorted, lowering->symbols.items[first + old]);
  }
  if (count > 0)
    memcpy(lowering->symbols.items + first, lowering->sorted.items, count * sizeof(DumpSymbol));
  uint32_t occurrence = s->first_item < lowering->items.count ? lowering->items.items[s->first_item].first_occurrence
                                                              : (uint32_t)lowering->occurrences.count;
  for (; occurrence < lowering->occurrences.count; occurrence++)
    lowering->occurrences.items[occurrence].symbol = renumbered[lowering->occurrences.items[occurrence].symbol - first];
}

static void end_segment(Lowering *lowering)
{
  Segment *s = segment(lowering);
  s->item_count = (uint32_t)lowering->items.count - s->first_item;
  s->first_open = (uint32_t)lowering->open_indents.count;
  s->open_count = (uint32_t)lowering->blocks.count;
  if (lowering->blocks.count > 0 && vec_last(&lowering->blocks)->is_empty)
    s->flags |= SEGMENT_OPEN_EMPTY;
  for (size_t i = 0; i < lowering->blocks.count; i++)
    vec_push(&lowering->open_indents, lowering->blocks.items[i].indent);
  for (size_t i = 0; i < lowering->visible_defs.count; i++)
    lowering->symbols.items[lowering->visible_defs.items[i]].flags |= SYMBOL_OPEN;
  sort_symbols(lowering, s);
}

static void begin_segment(Lowering *lowering, uint16_t flags)
{
  vec_push(&lowering->segments, (Segment){
                                    .first_item = (uint32_t)lowering->items.count,
                                    .first_symbol = (uint32_t)lowering->symbols.count,
                                    .flags = flags,
                                    .min_indent = INDENT_LIMIT,
                                    .first_indent = INDENT_LIMIT,
                                });
  vec_clear(&lowering->blocks);
  vec_clear(&lowering->visible_defs);
  slot_table_clear(&lowering->symbol_table);
  lowering->is_closed = false;
  lowering->is_body = false;
}

static void next_segment(Lowering *lowering, uint16_t flags)
{
  end_segment(lowering);
  begin_segment(lowering, flags);
}

/// What is defined in the innermost block can't be seen any more.
static void pop_block(Lowering *lowering)
{
  uint32_t mark = vec_last(&lowering->blocks)->def_mark;
  while (lowering->visible_defs.count > mark)
    lowering->is_visible.items[lowering->visible_defs.items[--lowering->visible_defs.count]] = false;
  lowering->blocks.count--;
}

/// Closes the blocks that a line at `indent` lies outside of.
static void close_blocks(Lowering *lowering, int16_t indent)
{
  Segment *s = segment(lowering);
  if (s->flags & SEGMENT_HEADER_OPEN)  // Lines of the header are missing, or could not be read.
    s->flags = (uint16_t)((s->flags & ~SEGMENT_HEADER_OPEN) | SEGMENT_GAP);
  lowering->is_body = true;
  if (s->first_indent == INDENT_LIMIT)
    s->first_indent = indent;
  if (indent < s->min_indent)
    s->min_indent = indent;
  if (lowering->blocks.count > 0) {
    OpenBlock *innermost = vec_last(&lowering->blocks);
    if (innermost->is_empty && indent <= innermost->indent)
      s->flags |= SEGMENT_UNINDENTED;
    innermost->is_empty = false;
  }
  while (lowering->blocks.count > 0 && vec_last(&lowering->blocks)->indent >= indent)
    pop_block(lowering);
}

// --- Lines ---

static void add_definition(Lowering *lowering, uint32_t start, uint32_t len)
{
  uint32_t id = add_symbol(lowering, start, len);
  DumpSymbol *symbol = &lowering->symbols.items[id];
  if (symbol->flags & SYMBOL_DEFINED)
    symbol->flags |= SYMBOL_DEFINED_TWICE;
  symbol->flags |= SYMBOL_DEFINED;
  if (!lowering->is_visible.items[id]) {
    lowering->is_visible.items[id] = true;
    symbol->indent = lowering->blocks.count > 0 ? vec_last(&lowering->blocks)->indent : INDENT_GRAPH;
    vec_push(&lowering->visible_defs, id);
  }
  vec_push(&lowering->occurrences, (Occurrence){ id, start });
}

static void add_use(Lowering *lowering, uint32_t start, uint32_t len)
{
  uint32_t id = add_symbol(lowering, start, len);
  lowering->symbols.items[id].flags |= SYMBOL_USED;
  if (!lowering->is_visible.items[id])
    lowering->symbols.items[id].flags |= SYMBOL_IMPORTED;
  vec_push(&lowering->line_uses, (Occurrence){ id, start });
}

static void add_problem(Lowering *lowering, const SyntaxNode *node)
{
  // One problem a line says enough.
  if (lowering->problems.count > 0 && vec_last(&lowering->problems)->start >= lowering->starts[lowering->line])
    return;
  vec_push(&lowering->problems, (SyntaxProblem){ node->start, node->end, node->kind == NODE_MISSING });
}

static uint32_t line_of(Lowering *lowering, uint32_t offset)
{
  while (lowering->line + 1 < lowering->line_count && lowering->starts[lowering->line + 1] <= offset)
    lowering->line++;
  return lowering->line;
}

/// White space from `offset` on. A statement without outputs is printed as ` = op`, one column further in.
static int16_t indent_from(Str text, uint32_t offset)
{
  int16_t indent = 0;
  while (offset < text.len && indent < INDENT_LIMIT - 1 && (text.data[offset] == ' ' || text.data[offset] == '\t')) {
    offset++;
    indent++;
  }
  return offset < text.len && text.data[offset] == '=' && indent > 0 ? (int16_t)(indent - 1) : indent;
}

static bool names_value(const SyntaxNode *node)
{
  return node->end - node->start > 1;  // A bare `%` is a missing input of a printable graph.
}

/// The end of the graph's header: its own line, or one of those that continue it.
static void end_header(Lowering *lowering, ItemKind kind)
{
  Segment *s = segment(lowering);
  if (kind == ITEM_PARAMETERS && !(s->flags & SEGMENT_HEADER) && !lowering->is_body)
    s->flags |= SEGMENT_HEADER_END;
  if (kind == ITEM_PARAMETERS || kind == ITEM_GRAPH_HEADER)
    s->flags &= (uint16_t)~SEGMENT_HEADER_OPEN;
}

/// Reads the names, the operator and the problems of the line `nodes[i, end)`.
/// Definitions come first in the text too, but for damaged lines that is made sure of here.
static void read_line(Lowering *lowering, const SyntaxNode *nodes, size_t count, Item *item)
{
  item->first_occurrence = (uint32_t)lowering->occurrences.count;
  vec_clear(&lowering->line_uses);
  for (size_t i = 0; i < count; i++) {
    const SyntaxNode *node = &nodes[i];
    switch ((NodeKind)node->kind) {
    case NODE_VALUE_NAME:
      if (names_value(node)) {
        add_definition(lowering, node->start, node->end - node->start);
        item->def_count++;
      }
      break;
    case NODE_VALUE_REF:
      if (names_value(node))
        add_use(lowering, node->start, node->end - node->start);
      break;
    case NODE_PYTHON_OP:
      item->is_python_op = true;
      item->op = add_op(lowering, node->start, node->end - node->start);
      break;
    case NODE_OP_KIND:
      item->op = add_op(lowering, node->start, node->end - node->start);
      if (str_starts_with(syntax_text(node, lowering->text), STR("onnx::")))
        segment(lowering)->flags |= SEGMENT_LOWERED;
      break;
    case NODE_ATTRIBUTE_NAME:
      if (str_equal(syntax_text(node, lowering->text), STR("onnx_name")))  // The exporter adds it to every node.
        segment(lowering)->flags |= SEGMENT_LOWERED;
      break;
    case NODE_HEADER_END:
      end_header(lowering, (ItemKind)item->kind);
      break;
    case NODE_ERROR:
    case NODE_MISSING:
      add_problem(lowering, node);
      break;
    default:
      break;
    }
  }
  vec_append(&lowering->occurrences, lowering->line_uses.items, lowering->line_uses.count);
}

/// Where the line's indentation begins: behind a log prefix, if there is one.
static uint32_t indent_start(const Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  if (count > 1 && nodes[1].kind == NODE_LOG_PREFIX)
    return nodes[1].end;
  return lowering->starts[lowering->line];
}

static void add_item(Lowering *lowering, ItemKind kind, const SyntaxNode *nodes, size_t count)
{
  int16_t indent = indent_from(lowering->text, indent_start(lowering, nodes, count));
  if (lowering->is_closed)
    next_segment(lowering, 0);  // Behind the end of a graph anything but a header is a piece of another one.
  if (item_nests(kind))
    close_blocks(lowering, indent);
  if (kind == ITEM_BLOCK_HEADER)
    vec_push(&lowering->blocks, (OpenBlock){ indent, true, (uint32_t)lowering->visible_defs.count });

  Item item = {
    .line = line_of(lowering, nodes[0].start), .op = NO_OP, .indent = (uint16_t)indent, .kind = (uint8_t)kind
  };
  read_line(lowering, nodes, count, &item);
  vec_push(&lowering->items, item);
  if (kind == ITEM_RETURN) {
    segment(lowering)->flags |= SEGMENT_RETURN;
    lowering->is_closed = true;
  }
}

static uint32_t line_end_of(const Lowering *lowering, uint32_t line)
{
  return line + 1 < lowering->line_count ? lowering->starts[line + 1] : (uint32_t)lowering->text.len;
}

/// Does another item of the line, read from its sound beginning, define the name that stands at `start`?
static bool defines_at(const Lowering *lowering, uint32_t line, uint32_t start)
{
  for (size_t i = lowering->items.count; i-- > 0 && lowering->items.items[i].line == line;) {
    const Item *item = &lowering->items.items[i];
    for (uint32_t o = item->first_occurrence; o < item->first_occurrence + item->def_count; o++) {
      if (lowering->occurrences.items[o].start == start)
        return true;
    }
  }
  return false;
}

/// A line that could not be read at all: what it defines is still taken, so that one mistake stays one mistake.
static void add_damaged_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  uint32_t line = line_of(lowering, nodes[0].start);
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].kind == NODE_ERROR || nodes[i].kind == NODE_MISSING)
      add_problem(lowering, &nodes[i]);
  }
  uint32_t line_start = lowering->starts[line];
  uint32_t line_end = line_end_of(lowering, line);
  Str rest = str_trim(str_slice(lowering->text, line_start, line_end));
  if (rest.len < 2 || rest.data[0] != '%')
    return;
  Item item = { .line = line, .op = NO_OP, .kind = ITEM_STATEMENT };
  item.indent = (uint16_t)indent_from(lowering->text, line_start);
  item.first_occurrence = (uint32_t)lowering->occurrences.count;
  if (lowering->is_closed)
    next_segment(lowering, 0);
  close_blocks(lowering, (int16_t)item.indent);
  size_t len = 1;
  while (len < rest.len && rest.data[len] != ' ' && rest.data[len] != ',' && rest.data[len] != ':' &&
         rest.data[len] != '=')
    len++;
  uint32_t name_start = (uint32_t)(rest.data - lowering->text.data);
  if (len > 1 && !defines_at(lowering, line, name_start)) {
    add_definition(lowering, name_start, (uint32_t)len);
    item.def_count = 1;
  }
  vec_clear(&lowering->line_uses);
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].kind == NODE_VALUE_REF && names_value(&nodes[i]) && nodes[i].start > rest.data - lowering->text.data)
      add_use(lowering, nodes[i].start, nodes[i].end - nodes[i].start);
  }
  vec_append(&lowering->occurrences, lowering->line_uses.items, lowering->line_uses.count);
  vec_push(&lowering->items, item);
}

static bool says_gap(Str line)
{
  static const Str words[] = { STR_INIT("..."), STR_INIT("\xe2\x80\xa6"), STR_INIT("truncated"), STR_INIT("omitted") };
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (str_find(line, words[i], 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

static void lower_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  switch ((NodeKind)nodes[0].kind) {
  case NODE_STATEMENT:
    add_item(lowering, ITEM_STATEMENT, nodes, count);
    break;
  case NODE_GRAPH_HEADER:
    next_segment(lowering, SEGMENT_HEADER | SEGMENT_HEADER_OPEN);
    add_item(lowering, ITEM_GRAPH_HEADER, nodes, count);
    break;
  case NODE_PRINTABLE_GRAPH_HEADER:
    // One that takes nothing is mostly the body of an If, and sees the names of the graph around it.
    next_segment(lowering,
                 lowering->text.data[nodes[0].end - 1] == '{' ? SEGMENT_PRINTABLE : SEGMENT_HEADER | SEGMENT_PRINTABLE);
    add_item(lowering, ITEM_PRINTABLE_HEADER, nodes, count);
    break;
  case NODE_PARAMETER_LINE:
    add_item(lowering, ITEM_PARAMETERS, nodes, count);
    break;
  case NODE_PRINTABLE_SECTION:
    add_item(lowering, ITEM_SECTION, nodes, count);
    break;
  case NODE_BLOCK_HEADER:
    add_item(lowering, ITEM_BLOCK_HEADER, nodes, count);
    break;
  case NODE_BLOCK_RETURN:
    add_item(lowering, ITEM_BLOCK_RETURN, nodes, count);
    break;
  case NODE_RETURN_STATEMENT:
    add_item(lowering, ITEM_RETURN, nodes, count);
    break;
  case NODE_PYTHON_OP_CONTINUATION:
    add_item(lowering, ITEM_CONTINUATION, nodes, count);
    break;
  case NODE_TEXT_LINE:
    if (says_gap(syntax_text(&nodes[0], lowering->text))) {
      add_item(lowering, ITEM_GAP, nodes, 1);
      segment(lowering)->flags |= SEGMENT_GAP;
    }
    break;
  case NODE_CLOSING_BRACE:
    // Of a graph whose beginning is missing: something stood before this.
    if (segment(lowering)->flags == 0 && segment(lowering)->first_item == lowering->items.count) {
      add_item(lowering, ITEM_GAP, nodes, 1);
      segment(lowering)->flags |= SEGMENT_GAP;
    }
    break;
  case NODE_ERROR:
  case NODE_MISSING:
    add_damaged_line(lowering, nodes, count);
    break;
  default:
    break;
  }
}

// --- The whole chunk ---

static void begin_chunk(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count)
{
  lowering->text = text;
  lowering->starts = starts;
  lowering->line_count = line_count;
  lowering->line = 0;
  vec_clear(&lowering->items);
  vec_clear(&lowering->occurrences);
  vec_clear(&lowering->symbols);
  vec_clear(&lowering->is_visible);
  vec_clear(&lowering->segments);
  vec_clear(&lowering->open_indents);
  vec_clear(&lowering->ops);
  vec_clear(&lowering->problems);
  slot_table_clear(&lowering->op_table);
  begin_segment(lowering, 0);
}

/// Copies a table behind the header and returns where it stands.
static const void *pack(char **next, const void *items, size_t bytes)
{
  void *at = *next;
  if (bytes > 0)
    memcpy(at, items, bytes);
  *next += (bytes + 7) & ~(size_t)7;
  return at;
}

static DumpIndex *pack_index(Lowering *lowering)
{
  Item sentinel = { .first_occurrence = (uint32_t)lowering->occurrences.count };
  uint32_t item_count = (uint32_t)lowering->items.count;
  vec_push(&lowering->items, sentinel);

#define BYTES(v) (lowering->v.count * sizeof(*lowering->v.items))
  size_t size = sizeof(DumpIndex) + 8 * 8 + BYTES(items) + BYTES(occurrences) + BYTES(symbols) + BYTES(segments) +
                BYTES(open_indents) + BYTES(ops) + BYTES(problems);
  DumpIndex *index = xmalloc(size);
  char *next = (char *)(index + 1);
  *index = (DumpIndex){
    .references = 1,
    .item_count = item_count,
    .occurrence_count = (uint32_t)lowering->occurrences.count,
    .symbol_count = (uint32_t)lowering->symbols.count,
    .segment_count = (uint32_t)lowering->segments.count,
    .open_count = (uint32_t)lowering->open_indents.count,
    .op_count = (uint32_t)lowering->ops.count,
    .problem_count = (uint32_t)lowering->problems.count,
    .items = pack(&next, lowering->items.items, BYTES(items)),
    .occurrences = pack(&next, lowering->occurrences.items, BYTES(occurrences)),
    .symbols = pack(&next, lowering->symbols.items, BYTES(symbols)),
    .segments = pack(&next, lowering->segments.items, BYTES(segments)),
    .open_indents = pack(&next, lowering->open_indents.items, BYTES(open_indents)),
    .ops = pack(&next, lowering->ops.items, BYTES(ops)),
    .problems = pack(&next, lowering->problems.items, BYTES(problems)),
  };
#undef BYTES
  return index;
}

/// A damaged line may come in pieces, the first of which looks sound: `%4` of `%4 : int =`.
static bool is_damaged(const SyntaxNode *nodes, size_t count)
{
  if (nodes[0].kind != NODE_PARAMETER_LINE && nodes[0].kind != NODE_STATEMENT)
    return false;
  for (size_t i = 1; i < count; i++) {
    if (nodes[i].depth == 1 && (nodes[i].kind == NODE_ERROR || nodes[i].kind == NODE_MISSING))
      return true;
  }
  return false;
}

DumpIndex *dump_lower(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count)
{
  begin_chunk(lowering, text, starts, line_count);
  SyntaxList list = syntax_parse(lowering->parser, text);
  for (size_t i = 0; i < list.count;) {
    uint32_t line_end = line_end_of(lowering, line_of(lowering, list.nodes[i].start));
    size_t first_end = syntax_subtree_end(list, i);
    size_t end = first_end;
    while (end < list.count && list.nodes[end].start < line_end)
      end++;
    if (is_damaged(list.nodes + i, end - i)) {
      add_damaged_line(lowering, list.nodes + i, end - i);
      i = end;
    } else {
      lower_line(lowering, list.nodes + i, first_end - i);
      i = first_end;
    }
  }
  end_segment(lowering);
  return pack_index(lowering);
}
