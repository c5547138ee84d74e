// What limits of work leave out: the same whatever was read before, known by place and reason, and nothing else.
#include "core/unread.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "core/coverage.h"
#include "feature_text.h"
#include "graph/torchscript/torchscript_parser.h"
#include "python/syntax/python_tree.h"

static void repeat(Buffer *out, const char *text, size_t count)
{
  for (size_t i = 0; i < count; i++)
    buffer_append(out, str_from(text));
}

/// A loop in a loop in a loop, which recovery takes the square of its length for.
static size_t unread_of_loops(size_t count, const PySyntax *previous, PySyntax **ret_syntax)
{
  Buffer text = { 0 };
  repeat(&text, "for x in y: ", count);
  PySyntax *syntax = py_syntax_new(buffer_str(&text), previous);
  size_t unread;
  py_syntax_unread(syntax, &unread);
  buffer_done(&text);
  if (ret_syntax)
    *ret_syntax = syntax;
  else
    py_syntax_release(syntax);
  return unread;
}

/// How many loops are surely read, and how many are not: close together, and found in few tries, as each takes long.
static void find_border(size_t *ret_read, size_t *ret_unread)
{
  enum { CLOSE = 64 };
  *ret_read = 2800;
  *ret_unread = 3000;
  assert_int_equal(unread_of_loops(*ret_read, NULL, NULL), 0);
  assert_int_equal(unread_of_loops(*ret_unread, NULL, NULL), 1);
  while (*ret_unread - *ret_read > CLOSE) {
    size_t middle = (*ret_read + *ret_unread) / 2;
    *(unread_of_loops(middle, NULL, NULL) == 0 ? ret_read : ret_unread) = middle;
  }
}

static void test_same_whatever_was_before(void **state)
{
  (void)state;
  size_t most, more;
  find_border(&most, &more);
  Buffer other = { 0 };
  repeat(&other, "x = [1, (2, f(3)), }\n", 1000);
  PySyntax *before = py_syntax_new(buffer_str(&other), NULL);
  assert_int_equal(unread_of_loops(most, before, NULL), 0);
  assert_int_equal(unread_of_loops(more, before, NULL), 1);
  PySyntax *syntax;
  unread_of_loops(most, NULL, &syntax);
  assert_int_equal(unread_of_loops(more, syntax, NULL), 1);
  py_syntax_release(syntax);
  unread_of_loops(more, NULL, &syntax);
  assert_int_equal(unread_of_loops(most, syntax, NULL), 0);
  assert_int_equal(unread_of_loops(more, syntax, NULL), 1);
  py_syntax_release(syntax);
  py_syntax_release(before);
  buffer_done(&other);
}

static Buffer three_functions(const char *in_first, size_t count)
{
  Buffer text = { 0 };
  repeat(&text, in_first, 1);
  repeat(&text, "def g():\n    x = ", 1);
  repeat(&text, "1%,", count);
  repeat(&text, "1\ndef h():\n    pass\n", 1);
  return text;
}

static size_t count_kind(const PySyntax *syntax, PyNodeKind kind)
{
  PyTree tree = py_tree(syntax);
  size_t count = 0;
  for (PyRef node = 0; node < tree.count; node++)
    count += py_kind(&tree, node) == kind;
  return count;
}

static void test_python_part(void **state)
{
  (void)state;
  Buffer text = three_functions("def f():\n    pass\n", 20000);
  PySyntax *syntax = py_syntax_new(buffer_str(&text), NULL);
  size_t count;
  const Unread *unread = py_syntax_unread(syntax, &count);
  assert_int_equal(count, 1);
  assert_int_equal(unread[0].reason, UNREAD_TOO_MUCH_WORK);
  assert_int_equal(unread[0].start, strlen("def f():\n    pass\n"));
  assert_int_equal(unread[0].end, text.len - strlen("def h():\n    pass\n"));
  assert_int_equal(count_kind(syntax, PYK_FUNCTION_DEFINITION), 2);
  assert_int_equal(count_kind(syntax, PYK_ERROR), 1);

  // An edit of another part takes it over, moved; one that mends it makes it known again.
  Buffer moved_text = three_functions("def f():\n    return\n", 20000);
  PySyntax *moved = py_syntax_new(buffer_str(&moved_text), syntax);
  unread = py_syntax_unread(moved, &count);
  assert_int_equal(count, 1);
  assert_int_equal(unread[0].start, strlen("def f():\n    return\n"));
  Buffer mended_text = three_functions("def f():\n    return\n", 3);
  PySyntax *mended = py_syntax_new(buffer_str(&mended_text), moved);
  py_syntax_unread(mended, &count);
  assert_int_equal(count, 0);
  assert_int_equal(count_kind(mended, PYK_FUNCTION_DEFINITION), 3);
  py_syntax_release(mended);
  py_syntax_release(moved);
  py_syntax_release(syntax);
  buffer_done(&mended_text);
  buffer_done(&moved_text);
  buffer_done(&text);
}

static void check_size(size_t len, size_t expected)
{
  char *text = xmalloc(len);
  memset(text, '\n', len);
  PySyntax *syntax = py_syntax_new(str_make(text, len), NULL);
  size_t count;
  const Unread *unread = py_syntax_unread(syntax, &count);
  assert_int_equal(count, expected);
  if (count > 0) {
    assert_int_equal(unread[0].reason, UNREAD_TOO_LARGE);
    assert_int_equal(unread[0].start, 0);
    assert_int_equal(unread[0].end, len);
  }
  py_syntax_release(syntax);
  free(text);
}

static void test_python_size(void **state)
{
  (void)state;
  check_size(PY_TEXT_LIMIT, 0);
  check_size((size_t)PY_TEXT_LIMIT + 1, 1);
}

static void test_dump_line(void **state)
{
  (void)state;
  static const char before[] = "graph(%0 : Tensor):\n  %1 : Tensor = aten::relu(%0)\n";
  Buffer text = { 0 };
  repeat(&text, before, 1);
  repeat(&text, "  %2 : Tensor = aten::cat(", 1);
  repeat(&text, "(%0)", 8000);
  size_t end = text.len;
  repeat(&text, "\r\n  return (%0)\n", 1);
  SyntaxParser *parser = torchscript_parser_new();
  for (int i = 0; i < 2; i++) {
    SyntaxList list = torchscript_parse(parser, buffer_str(&text));
    assert_int_equal(list.unread_count, 1);
    assert_int_equal(list.unread[0].reason, UNREAD_TOO_MUCH_WORK);
    assert_int_equal(list.unread[0].start, strlen(before));
    assert_int_equal(list.unread[0].end, end);
    assert_int_equal(list.nodes[list.count - 1].kind, NODE_VALUE_REF);
  }
  assert_int_equal(torchscript_parse(parser, str_from(before)).unread_count, 0);
  torchscript_parser_free(parser);
  buffer_done(&text);
}

/// The parser asks again for a character that a piece of the text cuts in two, also where it may read no more.
static void test_characters_at_the_limit(void **state)
{
  (void)state;
  enum { SHIFTS = 12, TRIED = 3 };  // Each takes a second or more; other seeds try others.
  SyntaxParser *parser = torchscript_parser_new();
  for (int i = 0; i < TRIED; i++) {
    Buffer text = { 0 };
    repeat(&text, " ", random_below(SHIFTS));
    repeat(&text, "%2 : Tensor = aten::cat(", 1);
    repeat(&text, "(%\xE6\x9D\xB1\xE4\xBA\xAC)", 8000);
    repeat(&text, "(\xFF\xFF\xFF%", 8000);
    repeat(&text, "\n", 1);
    SyntaxList list = torchscript_parse(parser, buffer_str(&text));
    assert_int_equal(list.unread_count, 1);
    assert_int_equal(list.unread[0].reason, UNREAD_TOO_MUCH_WORK);
    buffer_done(&text);
  }
  torchscript_parser_free(parser);
}

/// Lines that are left out for one reason are told together if nothing is between them, and else apart.
static void test_lines_of_a_snapshot(void **state)
{
  (void)state;
  Buffer bytes = { 0 };
  repeat(&bytes, "graph(%0 : Tensor):\n", 1);
  for (int i = 0; i < 4; i++) {
    repeat(&bytes, i == 2 ? "  %9 : Tensor = aten::relu(%0)\n" : "", 1);
    repeat(&bytes, "  %2 : Tensor = aten::cat(", 1);
    repeat(&bytes, "(%0)", 8000);
    repeat(&bytes, "\n", 1);
  }
  repeat(&bytes, "  return (%0)\n", 1);
  FeatureText text;
  open_feature_text(&text, buffer_str(&bytes), 1 << 16, NULL);
  assert_true(snapshot_has_unread(text.snapshot));
  UnreadList list = snapshot_unread(text.snapshot, &text.arena);
  assert_int_equal(list.count, 2);
  assert_int_equal(list.items[0].reason, UNREAD_TOO_MUCH_WORK);
  assert_int_equal(list.items[0].first_line, 1);
  assert_int_equal(list.items[0].last_line, 2);
  assert_int_equal(list.items[1].first_line, 4);
  assert_int_equal(list.items[1].last_line, 5);
  assert_int_equal(coverage_of(text.snapshot, &text.arena).status, COVERAGE_PARTLY);
  close_feature_text(&text);
  buffer_done(&bytes);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_same_whatever_was_before),
    cmocka_unit_test(test_python_part),
    cmocka_unit_test(test_python_size),
    cmocka_unit_test(test_dump_line),
    cmocka_unit_test(test_characters_at_the_limit),
    cmocka_unit_test(test_lines_of_a_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
