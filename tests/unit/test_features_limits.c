// Answers stay small and come soon, however large or deep the dump is.

#include <time.h>

#include "base/buffer.h"
#include "feature_text.h"

/// Computed so far: others on the machine do not change it.
static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/// Far above what any of these takes, sanitizers included.
enum { SOON = 20 };

static void expect_nested(const SymbolList *list)
{
  for (size_t i = 1; i < list->count; i++)
    assert_true(list->items[i].depth <= list->items[i - 1].depth + 1);
}

/// `count` statements; every `run` of them are of one module if `run` is not 0.
static void write_graph(Buffer *out, int count, int run)
{
  buffer_append(out, STR("graph(%x : Tensor):\n"));
  for (int i = 0; i < count; i++) {
    buffer_printf(out, "  %%v%d : Tensor = aten::neg(%%x)", i);
    if (run > 0)
      buffer_printf(out, ", scope: __module.layer/__module.layer.%d", i / run);
    buffer_append(out, STR(" # /src/net.py:7:0\n"));
  }
  buffer_append(out, STR("  return (%v0)\n"));
}

static void test_symbols_of_large_graphs(void **state)
{
  (void)state;
  static const struct {
    int count;
    int run;
    size_t least;  ///< How many symbols there are to be.
    const char *detail;
  } cases[] = {
    { 4000, 10, 4401, "1 input, 4,000 nodes" },
    { 7000, 0, 7001, "1 input, 7,000 nodes; constants and lists are left out" },
    { 50000, 10, 5002, "1 input, 50,000 nodes; only modules and blocks are listed" },
    { 50000, 1, 2, "1 input, 50,000 nodes; only modules and blocks are listed, and not the deepest" },
    { 50000, 0, 1, "1 input, 50,000 nodes; only modules and blocks are listed" },
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    Buffer out = { 0 };
    FeatureText text;
    write_graph(&out, cases[i].count, cases[i].run);
    open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
    SymbolList list = feature_symbols(&text.context);
    assert_true(list.count >= cases[i].least && list.count <= 10000);
    assert_true(str_equal(list.items[0].detail, str_from(cases[i].detail)));
    expect_nested(&list);
    assert_true(feature_folding(&text.context).count <= 10000);
    close_feature_text(&text);
    buffer_done(&out);
  }
}

static void test_links_are_limited(void **state)
{
  (void)state;
  Buffer out = { 0 };
  FeatureText text;
  write_graph(&out, 6000, 0);
  open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
  pretended_files = "\n/src/net.py\n";
  LinkList list = feature_links(&text.context);
  assert_int_equal(list.count, 5000);
  assert_int_equal(list.items[4999].line, 6);
  assert_true(str_equal(range_text(&text, list.items[4999].range), STR("/src/net.py:7:0")));
  pretended_files = "\n";
  assert_int_equal(feature_links(&text.context).count, 0);
  close_feature_text(&text);
  buffer_done(&out);
}

static void test_deep_nesting(void **state)
{
  (void)state;
  enum { DEPTH = 3000 };
  Buffer out = { 0 };
  FeatureText text;
  buffer_append(&out, STR("graph(%c : bool):\n"));
  for (int i = 0; i < DEPTH; i++)
    buffer_printf(&out, "%*s%%v%d : Tensor = prim::If(%%c)\n%*sblock0():\n", 2 + 2 * i, "", i, 3 + 2 * i, "");
  for (int i = DEPTH; i-- > 0;)
    buffer_printf(&out, "%*s-> (%%c)\n", 4 + 2 * i, "");
  double start = seconds();
  open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
  SymbolList list = feature_symbols(&text.context);
  expect_nested(&list);
  for (size_t i = 0; i < list.count; i++)
    assert_true(list.items[i].depth <= 60);
  assert_true(feature_folding(&text.context).count > 0);
  SelectionList ranges = feature_selection(&text.context, find_nth(buffer_str(&out), "-> (%c)", 0));
  assert_true(ranges.count > 10 && ranges.count < 100);
  Hover hover;
  assert_true(feature_hover(&text.context, find_nth(buffer_str(&out), "block0", DEPTH - 1), &hover));
  assert_true(seconds() - start < SOON);
  close_feature_text(&text);
  buffer_done(&out);
}

static void test_many_inputs_and_graphs(void **state)
{
  (void)state;
  Buffer out = { 0 };
  FeatureText text;
  buffer_append(&out, STR("graph(%x : Tensor"));
  for (int i = 0; i < 30000; i++)
    buffer_printf(&out, ", %%p%d : int", i);
  buffer_append(&out, STR("):\n  return (%x)\n"));
  for (int i = 0; i < 30000; i++)
    buffer_append(&out, STR("graph():\n"));
  double start = seconds();
  open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
  assert_true(feature_symbols(&text.context).count <= 10000);
  assert_true(feature_folding(&text.context).count <= 10000);
  assert_true(feature_selection(&text.context, buffer_str(&out).len - 4).count >= 2);
  assert_true(seconds() - start < SOON);
  close_feature_text(&text);
  buffer_done(&out);
}

static void test_long_lines(void **state)
{
  (void)state;
  Buffer out = { 0 };
  FeatureText text;
  Hover hover;
  buffer_append(&out, STR("graph(%x : Tensor):\n  %a : int[] = prim::Constant[value=["));
  for (int i = 0; i < 300000; i++)
    buffer_append(&out, STR("12345, "));
  buffer_append(&out, STR("0]]()\n  %b : Tensor = aten::neg(%a)\n  return (%b)\n"));
  double start = seconds();
  open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
  size_t use = find_nth(buffer_str(&out), "neg(%a", 0) + 4;
  assert_true(feature_hover(&text.context, use, &hover));
  assert_true(hover.plain.len < 1000);
  assert_int_equal(feature_definition(&text.context, use).count, 1);
  assert_int_equal(feature_references(&text.context, use, true).count, 2);
  assert_true(feature_symbols(&text.context).count == 4);
  assert_true(feature_tokens(&text.context, (Range){ 0, document_length(text.document) }).count > 300000);
  assert_true(seconds() - start < SOON);
  close_feature_text(&text);
  buffer_done(&out);
}

static void test_long_values_are_shortened(void **state)
{
  (void)state;
  Buffer out = { 0 };
  FeatureText text;
  Hover hover;
  buffer_append(&out, STR("graph(%x : Tensor):\n  %s : str = prim::Constant[value=\""));
  for (int i = 0; i < 5000; i++)
    buffer_append(&out, STR("\xC3\xA9"));
  buffer_append(&out, STR("\"]()\n  %i : int = prim::Constant[value=7]()\n  %l : int[] = prim::ListConstruct(%x"));
  for (int i = 0; i < 500; i++)
    buffer_append(&out, STR(", %i"));
  buffer_append(&out, STR(")\n  return (%l, %s)\n"));
  open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
  assert_true(feature_hover(&text.context, find_nth(buffer_str(&out), "(%l, %s", 0) + 5, &hover));
  assert_true(hover.markdown.len < 2000);
  assert_true(str_find(hover.plain, STR("\xC3\xA9\xE2\x80\xA6"), 0) != STR_NOT_FOUND);
  assert_true(feature_hover(&text.context, find_nth(buffer_str(&out), "(%l", 0) + 1, &hover));
  assert_true(str_find(hover.plain, STR(", \xE2\x80\xA6]"), 0) != STR_NOT_FOUND);
  assert_true(hover.markdown.len < 2000);
  close_feature_text(&text);
  buffer_done(&out);
}

static void test_cancelled(void **state)
{
  (void)state;
  Buffer out = { 0 };
  FeatureText text;
  atomic_bool cancelled = true;
  write_graph(&out, 5000, 10);
  open_feature_text(&text, buffer_str(&out), CHUNK_TARGET, NULL);
  text.context.cancelled = &cancelled;
  pretended_files = "\n/src/net.py\n";
  assert_int_equal(feature_symbols(&text.context).count, 0);
  assert_int_equal(feature_folding(&text.context).count, 0);
  assert_int_equal(feature_links(&text.context).count, 0);
  assert_int_equal(feature_tokens(&text.context, (Range){ 0, document_length(text.document) }).count, 0);
  assert_true(feature_references(&text.context, 6, true).count <= 1);
  pretended_files = "\n";
  close_feature_text(&text);
  buffer_done(&out);
}

/// Documents of other kinds, and places outside of a document, get empty answers.
static void test_nothing_there(void **state)
{
  (void)state;
  static const Str texts[] = { STR_INIT(""), STR_INIT("\n\n"), STR_INIT("just words"), STR_INIT("graph(%x") };
  for (size_t i = 0; i < COUNT(texts); i++) {
    FeatureText text;
    Hover hover;
    open_feature_text(&text, texts[i], CHUNK_TARGET, NULL);
    feature_hover(&text.context, 1000, &hover);
    feature_definition(&text.context, 1000);
    feature_symbols(&text.context);
    feature_folding(&text.context);
    assert_int_equal(feature_links(&text.context).count, 0);
    assert_true(feature_selection(&text.context, 1000).count > 0);
    feature_tokens(&text.context, (Range){ 0, 1000 });
    assert_int_equal(feature_tokens(&text.context, (Range){ 5, 2 }).count, 0);
    close_feature_text(&text);
  }
  FeatureText python;
  Target target = { .torch = STR("2.14"), .opset = 17 };
  python = (FeatureText){ .target = target_new(&target) };
  assert_int_equal(document_new(STR("def f(g):\n  return g\n"), &python.document), OK);
  SnapshotInput input = { .uri = STR("file:///f.py"),
                          .version = 1,
                          .language_id = STR("python"),
                          .document = python.document,
                          .target = python.target };
  python.snapshot = snapshot_new(&input, NULL);
  python.context = (FeatureContext){ .snapshot = python.snapshot, .arena = &python.arena };
  Hover hover;
  assert_false(feature_hover(&python.context, 3, &hover));
  assert_int_equal(feature_definition(&python.context, 3).count, 0);
  assert_int_equal(feature_references(&python.context, 3, true).count, 0);
  assert_int_equal(feature_highlight(&python.context, 3).count, 0);
  assert_int_equal(feature_symbols(&python.context).count, 0);
  assert_int_equal(feature_folding(&python.context).count, 0);
  assert_int_equal(feature_links(&python.context).count, 0);
  assert_int_equal(feature_tokens(&python.context, (Range){ 0, 5 }).count, 0);
  assert_true(feature_selection(&python.context, 3).count > 0);
  close_feature_text(&python);
}

/// Text of a log before, in and after graphs, with and without headers.
static const char *const logs[] = {
  "words\n  %y : Tensor = aten::relu(%x)\n  %z : Tensor = aten::relu(%y)\nmore words\n",
  "words\n\nwords\ngraph(%x : Tensor):\nwords\n  %y : Tensor = aten::relu(%x)\n  return (%y)\nwords\n",
  "  %y : Tensor = aten::relu(%x)\nwords\n",
  "words\n",
};

/// Where the text is cut into chunks decides nothing.
static void test_selection_in_chunks(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(logs); i++) {
    Str bytes = str_from(logs[i]);
    FeatureText whole, cut;
    open_feature_text(&whole, bytes, CHUNK_TARGET, NULL);
    open_feature_text(&cut, bytes, 1, NULL);
    for (size_t offset = 0; offset <= bytes.len; offset++) {
      SelectionList a = feature_selection(&whole.context, offset);
      SelectionList b = feature_selection(&cut.context, offset);
      assert_int_equal(a.count, b.count);
      assert_memory_equal(a.items, b.items, a.count * sizeof(*a.items));
    }
    close_feature_text(&whole);
    close_feature_text(&cut);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_symbols_of_large_graphs),
    cmocka_unit_test(test_links_are_limited),
    cmocka_unit_test(test_deep_nesting),
    cmocka_unit_test(test_many_inputs_and_graphs),
    cmocka_unit_test(test_long_lines),
    cmocka_unit_test(test_long_values_are_shortened),
    cmocka_unit_test(test_cancelled),
    cmocka_unit_test(test_nothing_there),
    cmocka_unit_test(test_selection_in_chunks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
