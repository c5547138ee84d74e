#include "graph/model/glance_names.h"

#include "base/ascii.h"
#include "base/search.h"
#include "graph/model/part_writes.h"

// --- Types ---

/// The text after the name that the chunk has at `start`.
static Str text_after(const ChunkState *state, uint32_t symbol, uint32_t start)
{
  return str_slice(chunk_text(state), start + state->index->symbols[symbol].len, state->text->len);
}

/// How many sizes are in the brackets of a type: digits, `*`, and strides after a colon.
static int8_t read_rank(Str after)
{
  if (shown_type_after(after) < SHOWN_FIRST)
    return RANK_UNKNOWN;
  Str text = shown_type_text(after);
  size_t i = 0;
  while (i < text.len && ascii_is_word(text.data[i]))
    i++;
  if (i == text.len || text.data[i++] != '(')
    return RANK_UNKNOWN;
  int8_t rank = 0;
  while (i < text.len && rank < INT8_MAX && (text.data[i] == '*' || ascii_is_digit(text.data[i]))) {
    rank++;
    while (i + 1 < text.len && text.data[i] != ',' && text.data[i] != ')' && text.data[i] != '\n')
      i++;
    if (!str_starts_with(str_slice(text, i, text.len), STR(", ")))
      break;
    i += 2;
  }
  return rank;
}

// --- Makers ---

static Maker maker_of_op(Str op)
{
  if (part_writes_op_shares(op))
    return MAKER_VIEW;
  if (!str_starts_with(op, STR("prim::")))
    return MAKER_OTHER;
  if (str_equal(op, STR("prim::Constant")))
    return MAKER_CONSTANT;
  if (str_equal(op, STR("prim::ListConstruct")))
    return MAKER_LIST;
  return str_equal(op, STR("prim::NumToTensor")) ? MAKER_NUMBER : MAKER_OTHER;
}

static Maker maker_of_item(const Item *item, Maker by_op)
{
  if (item->kind != ITEM_STATEMENT || (item->def_count != 1 && by_op != MAKER_VIEW))
    return MAKER_OTHER;
  return by_op == MAKER_CONSTANT && !item->has_attributes ? MAKER_NONE : by_op;
}

/// Which definition a name means that has several depends on where it is used.
static void add_glance(Glance *glances, uint32_t symbol, Glance glance)
{
  if (glances[symbol].maker == MAKER_UNASKED)
    glances[symbol] = glance;
  else
    glances[symbol].maker = MAKER_UNSURE;
}

static void read_makers(const ChunkState *state, Glance *glances, Arena *arena)
{
  const DumpIndex *index = state->index;
  uint8_t *by_op = ARENA_ARRAY(arena, uint8_t, index->op_count + 1);
  by_op[index->op_count] = MAKER_OTHER;
  for (uint32_t i = 0; i < index->op_count; i++)
    by_op[i] = (uint8_t)maker_of_op(dump_op_name(index, chunk_text(state), i));
  Glance glance = { .rank = RANK_UNASKED };
  for (const Item *item = index->items; glance.item < index->item_count; glance.item++, item++) {
    if (item->def_count == 0)
      continue;
    const Occurrence *definition = &index->occurrences[item->first_occurrence];
    uint8_t by_name = by_op[item->op == NO_OP ? index->op_count : item->op];
    glance.maker = by_name == MAKER_OTHER ? MAKER_OTHER : (uint8_t)maker_of_item(item, (Maker)by_name);
    glance.type = item->shown_type;
    add_glance(glances, definition->symbol, glance);
    glance.type = SHOWN_UNASKED;
    for (uint32_t k = 1; k < item->def_count; k++)
      add_glance(glances, definition[k].symbol, glance);
  }
}

// --- Tables ---

/// New memory is empty as tables are that were ended.
static void make_room(NameTables *names, uint32_t count)
{
  if (count <= names->room)
    return;
  free(names->glances);
  free(names->facts);
  names->room = count;
  names->glances = xcalloc(count, sizeof(*names->glances));
  names->facts = xcalloc(count, sizeof(*names->facts));
}

const NameTables *glance_names_tables(DumpView *view)
{
  NameTables *names = &view->names;
  if (names->count > 0)
    return names;
  const ChunkState *state = view->walk.dump->chunks[view->node.chunk];
  names->count = state->index->symbol_count + 1;
  make_room(names, names->count);
  if (!view->is_sparse)
    read_makers(state, names->glances, view->arena);
  return names;
}

void glance_names_note(DumpView *view, uint32_t symbol)
{
  if (view->is_sparse)
    vec_push(&view->names.asked, symbol);
}

void glance_names_end(DumpView *view)
{
  NameTables *names = &view->names;
  if (!view->is_sparse && names->count > 0) {
    memset(names->glances, 0, names->count * sizeof(*names->glances));
    memset(names->facts, 0, names->count * sizeof(*names->facts));
  }
  for (size_t i = 0; i < names->asked.count; i++) {
    names->glances[names->asked.items[i]] = (Glance){ 0 };
    names->facts[names->asked.items[i]] = NULL;
  }
  vec_clear(&names->asked);
  names->count = 0;
}

// --- Names of other lines ---

/// Of a name that another chunk defines.
static Glance read_elsewhere(const DumpView *view, Place use)
{
  Glance glance = { .item = NO_ITEM, .maker = MAKER_OTHER, .type = SHOWN_OPEN, .rank = RANK_UNKNOWN };
  Place definition;
  if (!walk_find_definition(&view->walk, use, &definition))
    return glance;
  const ChunkState *state = view->walk.dump->chunks[definition.chunk];
  const Occurrence *occurrence = &state->index->occurrences[definition.occurrence];
  Str after = text_after(state, occurrence->symbol, occurrence->start);
  Maker by_op = maker_of_op(walk_op(&view->walk, definition));
  glance.maker = (uint8_t)maker_of_item(walk_item(&view->walk, definition), by_op);
  glance.type = shown_type_after(after);
  glance.rank = read_rank(after);
  return glance;
}

/// Whether the names of a line begin after an offset of the text. Of a line that has none, those of the next one count.
static bool begins_after(const DumpIndex *index, uint32_t item, uint32_t offset)
{
  uint32_t first = index->items[item].first_occurrence;
  return first == index->occurrence_count || index->occurrences[first].start > offset;
}

/// The last line whose names begin at or before an offset, which mostly is a few lines before `from`.
static uint32_t find_back(const DumpIndex *index, uint32_t from, uint32_t offset)
{
  uint32_t low = from, high = from + 1, after;
  for (uint32_t step = 1; low > 0 && begins_after(index, low, offset); step *= 2) {
    high = low;
    low -= step < low ? step : low;
  }
  if (high == from + 1)
    high = index->item_count;  // A line below.
  SEARCH_FIRST(after, low, high, !begins_after(index, after, offset));
  return after > 0 ? after - 1 : 0;
}

/// Of a name that the chunk defines once; `from` is a line that uses it.
static Glance read_here(const ChunkState *state, uint32_t symbol, uint32_t from)
{
  const DumpIndex *index = state->index;
  uint32_t i = find_back(index, from, index->symbols[symbol].start);
  const Item *item = &index->items[i];
  bool is_first = item->def_count > 0 && index->occurrences[item->first_occurrence].symbol == symbol;
  if (!is_first)
    return (Glance){ .maker = MAKER_UNSURE };
  Maker by_op = item->op == NO_OP ? MAKER_OTHER : maker_of_op(dump_op_name(index, chunk_text(state), item->op));
  return (Glance){
    .item = i, .maker = (uint8_t)maker_of_item(item, by_op), .type = item->shown_type, .rank = RANK_UNASKED
  };
}

Glance glance_names_ask(const DumpView *view, Place use)
{
  const ChunkState *here = view->walk.dump->chunks[use.chunk];
  uint32_t symbol = here->index->occurrences[use.occurrence].symbol;
  if (here->index->symbols[symbol].flags & SYMBOL_DEFINED_TWICE)
    return (Glance){ .maker = MAKER_UNSURE };
  return here->index->symbols[symbol].flags & SYMBOL_DEFINED ? read_here(here, symbol, use.item)
                                                             : read_elsewhere(view, use);
}

void glance_names_read_type(const ChunkState *state, uint32_t symbol, Glance *glance)
{
  glance->type = shown_type_after(text_after(state, symbol, state->index->symbols[symbol].start));
}

void glance_names_read_rank(const ChunkState *state, uint32_t symbol, Glance *glance)
{
  glance->rank = read_rank(text_after(state, symbol, state->index->symbols[symbol].start));
}
