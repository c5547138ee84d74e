// Comments of Python code and of dumps that switch rules off: what is a comment, and which lines it is about.

#include "feature_text.h"

#include "base/buffer.h"
#include "core/suppress.h"
#include "python/syntax/comment_scan.h"
#include "text/marker.h"

// --- The marker ---

static void test_marker_is_found_everywhere(void **state)
{
  (void)state;
  static const char letters[] = "onxls:# a";
  for (size_t rounds = random_share(20000); rounds > 0; rounds--) {
    char text[64];
    size_t len = 0;
    while (len < sizeof(text) - 8) {
      if (random_below(16) == 0) {
        memcpy(text + len, MARKER, sizeof(MARKER) - 1);
        len += sizeof(MARKER) - 1;
      } else {
        text[len++] = letters[random_below(sizeof(letters) - 1)];
      }
    }
    Str s = str_make(text, len);
    for (size_t from = 0; from <= len; from++)
      assert_int_equal(marker_find(s, from), str_find(s, STR(MARKER), from));
  }
}

// --- Comments of Python ---

/// What a scan finds in lines, given one after the other or all at once: "COLUMN+COLUMN|..." with `a` after one that
/// is alone and `c` after one that has code before it.
static Str scan_lines(Str text, bool by_line, Arena *arena)
{
  Buffer out = { 0 };
  CommentScan scan = { 0 };
  size_t base = 0;
  while (base < text.len) {
    size_t end = text.len;
    for (size_t i = base; by_line && i < end; i++) {
      bool is_pair = text.data[i] == '\r' && i + 1 < text.len && text.data[i + 1] == '\n';
      if (!is_pair && (text.data[i] == '\n' || text.data[i] == '\r'))
        end = i + 1;
    }
    FoundComment comment;
    for (size_t at = 0; comment_scan_next(&scan, str_slice(text, base, end), &at, &comment);)
      buffer_printf(&out, "%zu%s%s ", base + comment.hash, comment.is_alone ? "a" : "", comment.has_code ? "c" : "");
    base = end;
  }
  Str found = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return found;
}

static void assert_comments(const char *text, const char *expected)
{
  Arena arena = { 0 };
  assert_string_equal(scan_lines(str_from(text), false, &arena).data, expected);
  assert_string_equal(scan_lines(str_from(text), true, &arena).data, expected);
  arena_done(&arena);
}

#define IGNORE "# onnxls: ignore"

static void test_comments_of_python(void **state)
{
  (void)state;
  assert_comments(IGNORE, "0a ");
  assert_comments("  " IGNORE "\n", "2a ");
  assert_comments("x = 1 " IGNORE "\n", "6c ");
  assert_comments("x = 1" IGNORE "\n", "5c ");
  assert_comments("x = '" IGNORE "'\n", "");
  assert_comments("x = \"" IGNORE "\" " IGNORE "\n", "23c ");
  assert_comments("x = 'it\\'s " IGNORE "'\n", "");
  assert_comments("x = r'\\' " IGNORE "'\n", "");
  assert_comments("# noqa " IGNORE "\n", "0a ");
  assert_comments("# only words\n", "");
  assert_comments("", "");
}

static void test_strings_over_lines(void **state)
{
  (void)state;
  assert_comments("'''\n" IGNORE "\n'''\n" IGNORE "\n", "25a ");
  assert_comments("\"\"\"a\n\"quoted\" ''' \\\"\"\" " IGNORE "\n\"\"\" " IGNORE "\n", "44 ");
  assert_comments("x = 'a\\\n" IGNORE "'\n", "");
  assert_comments("x = 'a\\\r\n" IGNORE "'\r\n" IGNORE "\r\n", "28ac ");
  assert_comments("x = 'not closed\n" IGNORE "\n", "16ac ");
  assert_comments("'''never closed\n" IGNORE "\n", "");
  assert_comments("x = ''\n" IGNORE "\n", "7ac ");
}

static void test_code_before(void **state)
{
  (void)state;
  assert_comments("#!/usr/bin/env python3\n\"\"\"What it does.\"\"\"\n\n" IGNORE "\n", "44a ");
  assert_comments("r'''doc'''\n" IGNORE "\nimport torch\n" IGNORE "\n", "11a 41ac ");
  assert_comments("\xef\xbb\xbf" IGNORE "\n", "3a ");
  assert_comments("from x import y\n" IGNORE "\n", "16ac ");
}

// --- Which lines ---

/// A document with diagnostics as if rules had reported `rule` at every byte that `where` marks with `^`.
typedef struct Marked {
  FeatureText text;
  Suppressor suppressor;
} Marked;

static void open_marked(Marked *marked, const char *path, const char *language, const char *text, uint32_t chunk)
{
  Target target = { .torch = STR("2.6"), .opset = 13 };
  memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
  *marked = (Marked){ 0 };
  marked->text.target = target_new(&target);
  assert_int_equal(document_new_with_target(str_from(text), chunk, &marked->text.document), OK);
  SnapshotInput input = { .uri = str_from(path),
                          .version = 1,
                          .language_id = str_from(language),
                          .document = marked->text.document,
                          .target = marked->text.target };
  marked->text.snapshot = snapshot_new(&input, NULL);
  suppressor_init(&marked->suppressor, marked->text.snapshot);
}

static void close_marked(Marked *marked)
{
  suppressor_done(&marked->suppressor);
  snapshot_release(marked->text.snapshot);
  document_release(marked->text.document);
  target_release(marked->text.target);
}

/// Asks whether the rule is switched off at each line: one character a line, `x` if it is.
static void assert_off(const char *path, const char *text, RuleId rule, const char *expected)
{
  for (uint32_t chunk = 1; chunk < 2000; chunk = chunk * 5 + 3) {
    Marked marked;
    open_marked(&marked, path, "", text, chunk);
    char got[64] = { 0 };
    uint32_t count = document_line_count(marked.text.document);
    assert_true(count < sizeof(got));
    for (uint32_t line = 0; line < count; line++) {
      size_t start = document_line_start(marked.text.document, line);
      got[line] = suppressor_takes(&marked.suppressor, rule, (Range){ start, start }) ? 'x' : '.';
    }
    assert_string_equal(got, expected);
    close_marked(&marked);
  }
}

static void test_lines_of_python(void **state)
{
  (void)state;
  const char *text = "\"\"\"Words.\"\"\"\n"
                     "# onnxls: ignore-file[unknown-attribute]\n"
                     "import torch.onnx\n"
                     "# onnxls: ignore[attribute-type]\n"
                     "# why\n"
                     "def f(g): # onnxls: ignore[input-count, attribute-type] # noqa\n"
                     "    s = '''\n"
                     "# onnxls: ignore[attribute-type]\n"
                     "'''\n"
                     "    # onnxls: ignore\n"
                     "    return g.op('X')\n"
                     "    # onnxls: ignore\n"
                     "\n"
                     "x = 1\n"
                     "# onnxls: ignore-file[constant-value]\n";
  assert_off("file:///a.py", text, RULE_UNKNOWN_ATTRIBUTE, "xxxxxxxxxxxxxxxx");
  assert_off("file:///a.py", text, RULE_ATTRIBUTE_TYPE, ".....x....x.....");
  assert_off("file:///a.py", text, RULE_INPUT_COUNT, ".....x....x.....");
  assert_off("file:///a.py", text, RULE_CONSTANT_VALUE, "..........x.....");
}

static void test_lines_of_dumps(void **state)
{
  (void)state;
  const char *text = "Exporting.\n"
                     "# onnxls: ignore-file[unused-value]\n"
                     "graph(%x : Tensor):\n"
                     "  # onnxls: ignore[syntax]\n"
                     "# more words\n"
                     "  %y : Tensor = aten::relu(%x) # onnxls: ignore[undefined-value] # m.py:1:2\n"
                     "  %z : Tensor = aten::relu(%x) # m.py:1:2 # onnxls: ignore\n"
                     "  return (%y)\n";
  assert_off("file:///a.torchir", text, RULE_UNUSED_VALUE, "xxxxxxxxx");
  assert_off("file:///a.torchir", text, RULE_SYNTAX, ".....xx..");
  assert_off("file:///a.torchir", text, RULE_UNDEFINED_VALUE, ".....xx..");
}

static void test_ranges_of_several_lines(void **state)
{
  (void)state;
  Marked marked;
  open_marked(&marked, "file:///a.py", "", "onnx(a,\n  b, # onnxls: ignore[input-count]\n  c)\n", 1000);
  assert_true(suppressor_takes(&marked.suppressor, RULE_INPUT_COUNT, (Range){ 0, 15 }));
  assert_false(suppressor_takes(&marked.suppressor, RULE_INPUT_COUNT, (Range){ 0, 50 }));
  assert_false(suppressor_takes(&marked.suppressor, RULE_INPUT_COUNT, (Range){ 0, 4 }));
  close_marked(&marked);
}

/// Lists that nobody writes: what they cost must not grow with their square.
static void test_hostile_lists(void **state)
{
  (void)state;
  Buffer text = { 0 };
  buffer_append(&text, STR("graph(%x : Tensor):\n"));
  for (int line = 0; line < 20000; line++)
    buffer_append(&text, STR("# onnxls: ignore[syntax] # onnxls: ignore[x,,,, ]\n"));
  buffer_append(&text, STR("%y : Tensor = aten::relu(%x)"));
  for (int i = 0; i < 50000; i++)
    buffer_append(&text, STR(" # onnxls: ignore[a,b"));
  buffer_append(&text, STR("\n%s : str = prim::Constant[value=\""));
  for (int i = 0; i < 50000; i++)
    buffer_append(&text, STR(" # onnxls: ignore[a,b"));
  buffer_append(&text, STR("\"]()\n"));
  FeatureText feature;
  open_feature_text(&feature, buffer_str(&text), CHUNK_TARGET, NULL);
  DiagnosticList list = diagnostics_of(feature.snapshot, &feature.arena);
  assert_true(list.count + list.hidden > 0);
  DirectiveAt at;
  assert_true(suppressor_directive_at(feature.snapshot, 25, &at));
  assert_int_equal(at.target, 20001);
  close_feature_text(&feature);
  buffer_done(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_marker_is_found_everywhere),
    cmocka_unit_test(test_comments_of_python),
    cmocka_unit_test(test_strings_over_lines),
    cmocka_unit_test(test_code_before),
    cmocka_unit_test(test_lines_of_python),
    cmocka_unit_test(test_lines_of_dumps),
    cmocka_unit_test(test_ranges_of_several_lines),
    cmocka_unit_test(test_hostile_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
