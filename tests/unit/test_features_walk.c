// Every feature at 1,000 random positions of every dump of the corpus (or of a share of them: random_numbers.h): the
// answers have to be well-formed, agree with each other, and be the same whether the dump is one chunk or many.

#include "feature_text.h"

enum { POSITIONS = 1000, TINY_CHUNK = 700 };

static const char *current_path;

#define check(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      print_error("%s: not so: %s\n", current_path, #condition);                                                       \
      fail();                                                                                                          \
    }                                                                                                                  \
  } while (0)

// --- Whole-document answers ---

static void check_symbols(FeatureText *text)
{
  SymbolList list = feature_symbols(&text->context);
  Vec(const Symbol *) open = { 0 };
  check(list.count <= 10000);
  for (size_t i = 0; i < list.count; i++) {
    const Symbol *symbol = &list.items[i];
    check(symbol->depth <= open.count);
    open.count = symbol->depth;
    check(symbol->name.len > 0);
    check(symbol->range.start <= symbol->selection.start && symbol->selection.end <= symbol->range.end);
    check(symbol->range.end <= document_length(text->document));
    if (open.count > 0) {
      const Symbol *parent = *vec_last(&open);
      check(parent->range.start <= symbol->range.start && symbol->range.end <= parent->range.end);
    }
    if (i > 0 && list.items[i - 1].depth >= symbol->depth)
      check(list.items[i - 1].range.start <= symbol->range.start);
    vec_push(&open, symbol);
  }
  vec_free(&open);
}

static void check_folding(FeatureText *text)
{
  FoldList list = feature_folding(&text->context);
  for (size_t i = 0; i < list.count; i++) {
    check(list.items[i].start_line < list.items[i].end_line);
    check(list.items[i].end_line < document_line_count(text->document));
    check(i == 0 || list.items[i - 1].start_line < list.items[i].start_line);
  }
}

static void check_token(FeatureText *text, const SemanticToken *before, const SemanticToken *token)
{
  check(token->len > 0 && token->type < semantic_token_type_count);
  check(token->modifiers >> semantic_token_modifier_count == 0);
  check(!before || before->start + before->len <= token->start);
  Str words = range_text(text, (Range){ token->start, token->start + token->len });
  check(str_find_char(words, '\n', 0) == STR_NOT_FOUND && str_find_char(words, '\r', 0) == STR_NOT_FOUND);
}

static bool same_token(const SemanticToken *a, const SemanticToken *b)
{
  return a->start == b->start && a->len == b->len && a->type == b->type && a->modifiers == b->modifiers;
}

/// The tokens of a range are those of the document that are on its lines.
static void check_tokens(FeatureText *text)
{
  size_t length = document_length(text->document);
  SemanticTokenList all = feature_tokens(&text->context, (Range){ 0, length });
  for (size_t i = 0; i < all.count; i++)
    check_token(text, i > 0 ? &all.items[i - 1] : NULL, &all.items[i]);
  size_t start = random_below(length + 1);
  size_t end = start + random_below(length + 1 - start);
  SemanticTokenList some = feature_tokens(&text->context, (Range){ start, end });
  size_t first = 0;
  size_t line_start = document_line_start(text->document, document_line_of(text->document, start));
  while (first < all.count && all.items[first].start < line_start)
    first++;
  check(first + some.count <= all.count);
  for (size_t i = 0; i < some.count; i++)
    check(same_token(&some.items[i], &all.items[first + i]));
}

// --- Answers at a position ---

static void check_hover(FeatureText *text, size_t offset)
{
  Hover hover;
  if (!feature_hover(&text->context, offset, &hover))
    return;
  check(hover.range.start <= offset && offset <= hover.range.end);
  check(hover.markdown.len > 0 && hover.plain.len > 0 && hover.markdown.len < 20000);
  check(range_text(text, hover.range).len > 0);
}

static bool has_range(LocationList list, Range range)
{
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].selection.start == range.start && list.items[i].selection.end == range.end)
      return true;
  }
  return false;
}

/// The definition by the plain rule: that on the last line before the use, else the first one of all.
static Range plain_definition(FeatureText *text, HighlightList marks, Range origin)
{
  Range found = { 0, 0 };
  uint32_t line = document_line_of(text->document, origin.start);
  bool has_found = false;
  for (size_t i = 0; i < marks.count; i++) {
    Range range = marks.items[i].range;
    if (!marks.items[i].is_write)
      continue;
    if (range.start == origin.start)
      return range;
    if (!has_found || document_line_of(text->document, range.start) < line)
      found = range;
    has_found = true;
  }
  return found;
}

/// The uses of an operator, in order; without a workspace there is nothing else.
static void check_op(FeatureText *text, size_t offset, LocationList uses, LocationList all)
{
  Range origin = all.items[0].origin;
  check(uses.count == all.count && has_range(all, origin));
  for (size_t i = 1; i < all.count; i++)
    check(all.items[i - 1].selection.start < all.items[i].selection.start);
  check(feature_implementation(&text->context, offset).count == 0);
}

/// Places of one scope all read the same; what has neither uses nor a scope has no marks.
static void check_scope(FeatureText *text, HighlightList marks)
{
  for (size_t i = 1; i < marks.count; i++)
    check(str_equal(range_text(text, marks.items[i].range), range_text(text, marks.items[0].range)));
}

/// Definition, references and highlights of a value agree with each other.
static void check_name(FeatureText *text, size_t offset)
{
  LocationList uses = feature_references(&text->context, offset, false);
  LocationList all = feature_references(&text->context, offset, true);
  HighlightList marks = feature_highlight(&text->context, offset);
  if (all.count == 0) {
    check_scope(text, marks);
    return;
  }
  check(marks.count == all.count);
  if (uses.count == all.count && range_text(text, all.items[0].origin).data[0] != '%') {
    check_op(text, offset, uses, all);
    return;
  }
  LocationList definition = feature_definition(&text->context, offset);
  check(uses.count <= all.count);
  Range origin = all.items[0].origin;
  check(origin.start <= offset && offset <= origin.end);
  check(has_range(all, origin));
  for (size_t i = 0; i < all.count; i++) {
    check(str_equal(range_text(text, all.items[i].selection), range_text(text, origin)));
    check(i == 0 || all.items[i - 1].selection.start < all.items[i].selection.start);
    check(has_range(all, marks.items[i].range));
    check(marks.items[i].is_write == !has_range(uses, marks.items[i].range));
  }
  check(definition.count == (all.count > uses.count));
  if (definition.count > 0) {
    const Location *target = &definition.items[0];
    check(!target->is_file && target->selection.start == plain_definition(text, marks, origin).start);
    check(target->target.start <= target->selection.start && target->selection.end <= target->target.end);
  }
}

static void check_selection(FeatureText *text, size_t offset)
{
  SelectionList list = feature_selection(&text->context, offset);
  check(list.count > 0 && list.count < 100);
  check(list.items[0].start <= offset && offset <= list.items[0].end);
  for (size_t i = 1; i < list.count; i++) {
    Range inner = list.items[i - 1];
    Range outer = list.items[i];
    check(outer.start <= inner.start && inner.end <= outer.end);
    check(outer.start < inner.start || inner.end < outer.end);
  }
  check(list.items[list.count - 1].start == 0 && list.items[list.count - 1].end == document_length(text->document));
}

static void walk_dump(const char *path, Str bytes)
{
  current_path = path;
  FeatureText text;
  open_feature_text(&text, bytes, CHUNK_TARGET, NULL);
  check_symbols(&text);
  check_folding(&text);
  check_tokens(&text);
  for (int i = 0; i < POSITIONS; i++) {
    size_t offset = random_below(bytes.len + 1);
    check_hover(&text, offset);
    check_name(&text, offset);
    check_selection(&text, offset);
    arena_done(&text.arena);
  }
  close_feature_text(&text);
}

static void test_every_feature_answers(void **state)
{
  (void)state;
  each_corpus_dump(walk_dump);
}

// --- One chunk or many ---

static void compare_hover(FeatureText *whole, FeatureText *cut, size_t offset)
{
  Hover a = { 0 };
  Hover b = { 0 };
  bool has_hover = feature_hover(&whole->context, offset, &a);
  check(has_hover == feature_hover(&cut->context, offset, &b));
  if (has_hover && !str_equal(a.markdown, b.markdown))
    print_error("offset %zu:\n%.*s\n--- in chunks:\n%.*s\n", offset, STR_ARG(a.markdown), STR_ARG(b.markdown));
  check(str_equal(a.markdown, b.markdown) && str_equal(a.plain, b.plain));
  check(a.range.start == b.range.start && a.range.end == b.range.end);
}

static void compare_locations(LocationList a, LocationList b)
{
  check(a.count == b.count);
  for (size_t i = 0; i < a.count && i < b.count; i++)
    check(a.items[i].selection.start == b.items[i].selection.start && a.items[i].target.end == b.items[i].target.end);
}

static void compare_documents(FeatureText *whole, FeatureText *cut)
{
  SymbolList a = feature_symbols(&whole->context);
  SymbolList b = feature_symbols(&cut->context);
  check(a.count == b.count);
  for (size_t i = 0; i < a.count; i++) {
    check(str_equal(a.items[i].name, b.items[i].name) && str_equal(a.items[i].detail, b.items[i].detail));
    check(a.items[i].range.start == b.items[i].range.start && a.items[i].range.end == b.items[i].range.end);
    check(a.items[i].depth == b.items[i].depth);
  }
  FoldList x = feature_folding(&whole->context);
  FoldList y = feature_folding(&cut->context);
  check(x.count == y.count);
  for (size_t i = 0; i < x.count; i++)
    check(x.items[i].start_line == y.items[i].start_line && x.items[i].end_line == y.items[i].end_line);
  Range all = { 0, document_length(whole->document) };
  SemanticTokenList s = feature_tokens(&whole->context, all);
  SemanticTokenList t = feature_tokens(&cut->context, all);
  check(s.count == t.count);
  for (size_t i = 0; i < s.count; i++)
    check(same_token(&s.items[i], &t.items[i]));
}

static void walk_in_chunks(const char *path, Str bytes)
{
  current_path = path;
  FeatureText whole;
  FeatureText cut;
  open_feature_text(&whole, bytes, UINT32_MAX, NULL);
  open_feature_text(&cut, bytes, TINY_CHUNK, NULL);
  compare_documents(&whole, &cut);
  for (int i = 0; i < POSITIONS / 5; i++) {
    size_t offset = random_below(bytes.len + 1);
    compare_hover(&whole, &cut, offset);
    compare_locations(feature_definition(&whole.context, offset), feature_definition(&cut.context, offset));
    compare_locations(feature_references(&whole.context, offset, true), feature_references(&cut.context, offset, true));
    arena_done(&whole.arena);
    arena_done(&cut.arena);
  }
  close_feature_text(&whole);
  close_feature_text(&cut);
}

static void test_chunks_do_not_matter(void **state)
{
  (void)state;
  each_corpus_dump(walk_in_chunks);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_feature_answers),
    cmocka_unit_test(test_chunks_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
