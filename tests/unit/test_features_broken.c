// One damaged line changes what is said of that line and of the values on it, and nothing else. For each dump of the
// corpus the end of one statement's operator is overwritten, and the answers everywhere else are compared.

#include "feature_text.h"
#include "graph/model/snapshot_dump.h"

enum { POSITIONS = 300 };

static const char *current_path;
static size_t damaged_count;
static size_t compared_hovers;

#define check(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      print_error("%s:%u: not so: %s\n", current_path, damage.line + 1, #condition);                                   \
      fail();                                                                                                          \
    }                                                                                                                  \
  } while (0)

typedef Vec(Str) NameList;

typedef struct Damage {
  uint32_t line;
  Range range;       ///< Of the line, without its ending.
  Str bytes;         ///< The document with the damage.
  NameList touched;  ///< Names on the line.
  NameList tainted;  ///< Those, and everything that is computed from them.
} Damage;

static Damage damage;

static bool has_name(const NameList *names, Str name)
{
  for (size_t i = 0; i < names->count; i++) {
    if (str_equal(names->items[i], name))
      return true;
  }
  return false;
}

static Str occurrence_name(const ChunkState *chunk, uint32_t occurrence)
{
  return dump_symbol_name(chunk->index, chunk_text(chunk), chunk->index->occurrences[occurrence].symbol);
}

// --- Making the damage ---

/// A statement with results, an operator with a namespace, and no blocks. After the prefix of a log nothing tells
/// that a line was meant as a statement once its operator is gone.
static bool can_damage(const ChunkState *chunk, uint32_t i)
{
  const DumpIndex *index = chunk->index;
  const Item *item = &index->items[i];
  if (!str_starts_with(str_trim(text_chunk_line(chunk->text, item->line)), STR("%")))
    return false;
  bool is_plain = item->kind == ITEM_STATEMENT && item->def_count > 0 && item->op != NO_OP && !item->is_python_op;
  if (!is_plain || (i + 1 < index->item_count && index->items[i + 1].kind == ITEM_BLOCK_HEADER))
    return false;
  return str_find(dump_op_name(index, chunk_text(chunk), item->op), STR("::"), 0) != STR_NOT_FOUND;
}

static bool choose_line(const FeatureText *text, Place *ret_place)
{
  const Dump *dump = snapshot_dump(text->snapshot);
  for (int tries = 0; dump && tries < 50; tries++) {
    uint32_t chunk = (uint32_t)random_below(dump->chunk_count);
    const DumpIndex *index = dump->chunks[chunk]->index;
    if (index->item_count == 0)
      continue;
    uint32_t item = (uint32_t)random_below(index->item_count);
    if (!can_damage(dump->chunks[chunk], item))
      continue;
    *ret_place = (Place){ .chunk = chunk, .item = item };
    return true;
  }
  return false;
}

/// Whatever is defined on a line with a tainted name is tainted; names of different graphs are not told apart.
static void spread_taint(const Dump *dump)
{
  for (bool grows = true; grows;) {
    grows = false;
    for (uint32_t c = 0; c < dump->chunk_count; c++) {
      const DumpIndex *index = dump->chunks[c]->index;
      for (uint32_t i = 0; i < index->item_count; i++) {
        bool is_hit = false;
        for (uint32_t o = index->items[i].first_occurrence; o < index->items[i + 1].first_occurrence; o++)
          is_hit |= has_name(&damage.tainted, occurrence_name(dump->chunks[c], o));
        for (uint32_t o = 0; is_hit && o < index->items[i].def_count; o++) {
          Str name = occurrence_name(dump->chunks[c], index->items[i].first_occurrence + o);
          if (has_name(&damage.tainted, name))
            continue;
          vec_push(&damage.tainted, name);
          grows = true;
        }
      }
    }
  }
}

static void damage_line(const FeatureText *text, Str bytes, Place place, Arena *arena)
{
  const Dump *dump = snapshot_dump(text->snapshot);
  const ChunkState *chunk = dump->chunks[place.chunk];
  const DumpIndex *index = chunk->index;
  damage = (Damage){ .line = text->document->chunk_lines[place.chunk] + index->items[place.item].line };
  damage.range.start = document_line_start(text->document, damage.line);
  damage.range.end = damage.range.start + document_line(text->document, damage.line).len;
  damage.bytes = arena_copy(arena, bytes);
  Str op = dump_op_name(index, chunk_text(chunk), index->items[place.item].op);
  Str line = str_slice(damage.bytes, damage.range.start, damage.range.end);
  size_t at = str_find(line, op, 0);
  assert_true(at != STR_NOT_FOUND);
  // `aten::add(%x, %y)` becomes `aten::ad ))x, %y)`.
  assert_true(at + op.len + 2 <= line.len);
  memcpy((char *)line.data + at + op.len - 1, " ))", 3);
  for (uint32_t o = index->items[place.item].first_occurrence; o < index->items[place.item + 1].first_occurrence; o++) {
    vec_push(&damage.touched, occurrence_name(chunk, o));
    vec_push(&damage.tainted, occurrence_name(chunk, o));
  }
  spread_taint(dump);
}

// --- Comparing ---

static bool same_range(Range a, Range b)
{
  return a.start == b.start && a.end == b.end;
}

static bool is_on_line(Range range)
{
  return range.start <= damage.range.end && range.end >= damage.range.start;
}

static void compare_documents(FeatureText *sound, FeatureText *broken)
{
  SymbolList a = feature_symbols(&sound->context);
  SymbolList b = feature_symbols(&broken->context);
  check(a.count == b.count);
  for (size_t i = 0; i < a.count; i++) {
    check(same_range(a.items[i].range, b.items[i].range) && a.items[i].depth == b.items[i].depth);
    check(is_on_line(a.items[i].range) || str_equal(a.items[i].name, b.items[i].name));
    check(is_on_line(a.items[i].range) || str_equal(a.items[i].detail, b.items[i].detail));
  }
  FoldList x = feature_folding(&sound->context);
  FoldList y = feature_folding(&broken->context);
  check(x.count == y.count);
  for (size_t i = 0; i < x.count; i++)
    check(x.items[i].start_line == y.items[i].start_line && x.items[i].end_line == y.items[i].end_line);
}

/// The tokens that are not on the damaged line.
static size_t next_token(SemanticTokenList list, size_t i)
{
  while (i < list.count && is_on_line((Range){ list.items[i].start, list.items[i].start + list.items[i].len }))
    i++;
  return i;
}

static void compare_tokens(FeatureText *sound, FeatureText *broken)
{
  Range all = { 0, document_length(sound->document) };
  SemanticTokenList a = feature_tokens(&sound->context, all);
  SemanticTokenList b = feature_tokens(&broken->context, all);
  size_t i = next_token(a, 0);
  size_t k = next_token(b, 0);
  for (; i < a.count && k < b.count; i = next_token(a, i + 1), k = next_token(b, k + 1)) {
    check(a.items[i].start == b.items[k].start && a.items[i].len == b.items[k].len);
    check(a.items[i].type == b.items[k].type && a.items[i].modifiers == b.items[k].modifiers);
  }
  check(i >= a.count && k >= b.count);
}

static void compare_places(LocationList a, LocationList b)
{
  check(a.count == b.count);
  for (size_t i = 0; i < a.count; i++)
    check(same_range(a.items[i].selection, b.items[i].selection));
}

/// The uses of an operator but for that on the damaged line, which has another one now.
static void compare_uses(LocationList a, LocationList b)
{
  size_t k = 0;
  for (size_t i = 0; i < a.count; i++) {
    if (is_on_line(a.items[i].selection))
      continue;
    while (k < b.count && is_on_line(b.items[k].selection))
      k++;
    check(k < b.count && same_range(a.items[i].selection, b.items[k].selection));
    k++;
  }
}

static void compare_names(FeatureText *sound, FeatureText *broken, size_t offset)
{
  LocationList all = feature_references(&sound->context, offset, true);
  if (all.count == 0 || has_name(&damage.touched, range_text(sound, all.items[0].origin)))
    return;
  if (!str_starts_with(range_text(sound, all.items[0].origin), STR("%"))) {
    compare_uses(all, feature_references(&broken->context, offset, true));
    return;
  }
  compare_places(all, feature_references(&broken->context, offset, true));
  compare_places(feature_definition(&sound->context, offset), feature_definition(&broken->context, offset));
  HighlightList a = feature_highlight(&sound->context, offset);
  HighlightList b = feature_highlight(&broken->context, offset);
  check(a.count == b.count);
  for (size_t i = 0; i < a.count; i++)
    check(same_range(a.items[i].range, b.items[i].range) && a.items[i].is_write == b.items[i].is_write);
}

/// Does what is said here depend on the damaged line?
static bool may_differ(const FeatureText *text, size_t offset)
{
  const Dump *dump = snapshot_dump(text->snapshot);
  ChunkPoint point = document_locate(text->document, offset);
  const ChunkState *chunk = dump->chunks[point.chunk];
  uint32_t item = dump_index_item_at(chunk->index, text_chunk_line_of(chunk->text, point.offset));
  if (item == NO_ITEM)
    return false;
  for (uint32_t o = chunk->index->items[item].first_occurrence; o < chunk->index->items[item + 1].first_occurrence;
       o++) {
    if (has_name(&damage.tainted, occurrence_name(chunk, o)))
      return true;
  }
  return false;
}

/// What passes remove depends on everything that leads to an output.
static bool speaks_of_passes(Str hover)
{
  return str_find(hover, STR(" there: "), 0) != STR_NOT_FOUND;
}

static void compare_hovers(FeatureText *sound, FeatureText *broken, size_t offset)
{
  Hover a = { 0 };
  Hover b = { 0 };
  if (may_differ(sound, offset))
    return;
  bool has_hover = feature_hover(&sound->context, offset, &a);
  check(has_hover == feature_hover(&broken->context, offset, &b));
  check(same_range(a.range, b.range));
  if (speaks_of_passes(a.plain) || speaks_of_passes(b.plain))
    return;
  if (!str_equal(a.markdown, b.markdown))
    print_error("before:\n%.*s\nafter:\n%.*s\n", STR_ARG(a.markdown), STR_ARG(b.markdown));
  check(str_equal(a.markdown, b.markdown));
  compared_hovers += has_hover;
}

static void compare_selection(FeatureText *sound, FeatureText *broken, size_t offset)
{
  SelectionList a = feature_selection(&sound->context, offset);
  SelectionList b = feature_selection(&broken->context, offset);
  check(a.count == b.count);
  for (size_t i = 0; i < a.count; i++)
    check(same_range(a.items[i], b.items[i]));
}

static void break_dump(const char *path, Str bytes)
{
  current_path = path;
  FeatureText sound;
  FeatureText broken;
  Arena arena = { 0 };
  Place place;
  open_feature_text(&sound, bytes, CHUNK_TARGET, NULL);
  if (choose_line(&sound, &place)) {
    damaged_count++;
    damage_line(&sound, bytes, place, &arena);
    open_feature_text(&broken, damage.bytes, CHUNK_TARGET, NULL);
    compare_documents(&sound, &broken);
    compare_tokens(&sound, &broken);
    for (int i = 0; i < POSITIONS; i++) {
      size_t offset = random_below(bytes.len + 1);
      if (offset >= damage.range.start && offset <= damage.range.end)
        continue;
      compare_names(&sound, &broken, offset);
      compare_hovers(&sound, &broken, offset);
      compare_selection(&sound, &broken, offset);
    }
    close_feature_text(&broken);
    vec_free(&damage.touched);
    vec_free(&damage.tainted);
  }
  close_feature_text(&sound);
  arena_done(&arena);
}

static void test_damage_stays_on_its_line(void **state)
{
  (void)state;
  each_corpus_dump(break_dump);
  size_t percent = random_share(100);
  if (percent < 20)
    return;  // Chance may take none that can be damaged.
  assert_true(damaged_count > (percent == 100 ? 75 : 5));
  assert_true(compared_hovers > (percent == 100 ? 2500 : 500));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_damage_stays_on_its_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
