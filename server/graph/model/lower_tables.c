// The tables of a chunk being lowered: names and operators, hashed while a segment is read, sorted when it ends, and
// packed into one allocation at the end.

#include "base/limits.h"
#include "base/sort.h"
#include "graph/model/lowering.h"
#include "text/traceback.h"

Lowering *lowering_new(const GraphDialect *dialect)
{
  Lowering *lowering = xcalloc(1, sizeof(*lowering));
  lowering->dialect = dialect;
  lowering->parser = dialect->parser_new();
  return lowering;
}

void lowering_free(Lowering *lowering)
{
  if (!lowering)
    return;
  lowering->dialect->parser_free(lowering->parser);
  vec_free(&lowering->items);
  vec_free(&lowering->occurrences);
  vec_free(&lowering->line_defs);
  vec_free(&lowering->line_uses);
  vec_free(&lowering->symbols);
  vec_free(&lowering->is_visible);
  vec_free(&lowering->segments);
  vec_free(&lowering->open_headers);
  vec_free(&lowering->ops);
  vec_free(&lowering->problems);
  vec_free(&lowering->comments);
  vec_free(&lowering->unread);
  vec_free(&lowering->blocks);
  vec_free(&lowering->visible_defs);
  vec_free(&lowering->sort_keys);
  vec_free(&lowering->sorted);
  vec_free(&lowering->renumbered);
  free(lowering->symbol_table.slots);
  free(lowering->op_table.slots);
  free(lowering);
}

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

uint32_t lowering_add_symbol(Lowering *lowering, uint32_t start, uint32_t len)
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
  vec_push(&lowering->symbols,
           (DumpSymbol){ .hash = hash, .start = start, .len = len, .open = INDENT_GRAPH, .outer = INDENT_GRAPH });
  vec_push(&lowering->is_visible, false);
  return (uint32_t)lowering->symbols.count - 1;
}

uint32_t lowering_add_op(Lowering *lowering, uint32_t start, uint32_t len)
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

void lowering_settle_text(Lowering *lowering)
{
  Segment *s = lowering_segment(lowering);
  uint32_t *place = s->first_item < lowering->items.count ? &s->text_inside : &s->text_before;
  if (*place == NO_TEXT)
    *place = lowering->text_line;
  lowering->text_line = NO_TEXT;
}

static void end_segment(Lowering *lowering)
{
  Segment *s = lowering_segment(lowering);
  s->item_count = (uint32_t)lowering->items.count - s->first_item;
  if (s->item_count == 0)
    lowering_settle_text(lowering);
  else if (!lowering->is_closed)
    s->text_after = lowering->text_line;
  s->first_open = (uint32_t)lowering->open_headers.count;
  s->open_count = (uint32_t)lowering->blocks.count;
  if (lowering->blocks.count > 0 && vec_last(&lowering->blocks)->is_empty)
    s->flags |= SEGMENT_OPEN_EMPTY;
  for (size_t i = 0; i < lowering->blocks.count; i++)
    vec_push(&lowering->open_headers, lowering->blocks.items[i].header);
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
                                    .text_before = NO_TEXT,
                                    .text_inside = NO_TEXT,
                                    .text_after = NO_TEXT,
                                });
  lowering->text_line = NO_TEXT;
  vec_clear(&lowering->blocks);
  vec_clear(&lowering->visible_defs);
  slot_table_clear(&lowering->symbol_table);
  lowering->is_closed = false;
  lowering->is_body = false;
}

void lowering_next_segment(Lowering *lowering, uint16_t flags)
{
  end_segment(lowering);
  begin_segment(lowering, flags);
}

void lowering_begin(Lowering *lowering, Str text, const uint32_t *starts, uint32_t line_count)
{
  lowering->text = text;
  lowering->starts = starts;
  lowering->line_count = line_count;
  lowering->line = 0;
  lowering->is_complex = false;
  vec_clear(&lowering->items);
  vec_clear(&lowering->occurrences);
  vec_clear(&lowering->symbols);
  vec_clear(&lowering->is_visible);
  vec_clear(&lowering->segments);
  vec_clear(&lowering->open_headers);
  vec_clear(&lowering->ops);
  vec_clear(&lowering->problems);
  vec_clear(&lowering->comments);
  vec_clear(&lowering->unread);
  slot_table_clear(&lowering->op_table);
  begin_segment(lowering, 0);
}

/// Copies a table after the header and returns where it is.
static const void *pack(char **next, const void *items, size_t bytes)
{
  void *at = *next;
  if (bytes > 0)
    memcpy(at, items, bytes);
  *next += (bytes + 7) & ~(size_t)7;
  return at;
}

static TypesShown types_shown(const Lowering *lowering)
{
  if (lowering->dialect->types_shown)
    return lowering->dialect->types_shown(lowering->text);
  return lowering->is_complex ? TYPES_SHOWN | TYPES_COMPLEX : TYPES_SHOWN;
}

DumpIndex *lowering_finish(Lowering *lowering)
{
  end_segment(lowering);
  Item sentinel = { .first_occurrence = (uint32_t)lowering->occurrences.count };
  uint32_t item_count = (uint32_t)lowering->items.count;
  vec_push(&lowering->items, sentinel);

#define BYTES(v) (lowering->v.count * sizeof(*lowering->v.items))
  size_t size = sizeof(DumpIndex) + 10 * 8 + BYTES(items) + BYTES(occurrences) + BYTES(symbols) + BYTES(segments) +
                BYTES(open_headers) + BYTES(ops) + BYTES(problems) + BYTES(comments) + BYTES(unread);
  DumpIndex *index = xmalloc(size);
  char *next = (char *)(index + 1);
  *index = (DumpIndex){
    .references = 1,
    .item_count = item_count,
    .occurrence_count = (uint32_t)lowering->occurrences.count,
    .symbol_count = (uint32_t)lowering->symbols.count,
    .segment_count = (uint32_t)lowering->segments.count,
    .open_count = (uint32_t)lowering->open_headers.count,
    .op_count = (uint32_t)lowering->ops.count,
    .problem_count = (uint32_t)lowering->problems.count,
    .comment_count = (uint32_t)lowering->comments.count,
    .unread_count = (uint32_t)lowering->unread.count,
    .types = types_shown(lowering),
    .has_traceback = str_contains(lowering->text, TRACEBACK_HEAD),
    .items = pack(&next, lowering->items.items, BYTES(items)),
    .occurrences = pack(&next, lowering->occurrences.items, BYTES(occurrences)),
    .symbols = pack(&next, lowering->symbols.items, BYTES(symbols)),
    .segments = pack(&next, lowering->segments.items, BYTES(segments)),
    .open_headers = pack(&next, lowering->open_headers.items, BYTES(open_headers)),
    .ops = pack(&next, lowering->ops.items, BYTES(ops)),
    .problems = pack(&next, lowering->problems.items, BYTES(problems)),
    .comments = pack(&next, lowering->comments.items, BYTES(comments)),
    .unread = pack(&next, lowering->unread.items, BYTES(unread)),
  };
#undef BYTES
  return index;
}
