// Where Python files are cut. In the texts `|` is a place where they should be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "python/syntax/python_depth.h"
#include "python/syntax/python_parts.h"
#include "python/syntax/python_tree.h"
#include "random_numbers.h"

static const char *const table[] = {
  "",
  "x = 1\n",
  "import a\n\n|def f():\n    pass\n\n|class C:\n    def g(self):\n        pass\n\n|async def h(): pass\n",
  "|def f(): pass\nx = 1\ny = 2\n|def g(): pass\n",
  "defer = 1\nclassy(2)\nasync_ = 3\n|async  def f(): pass\n",
  "async = 1\n",
  // Decorators belong to what is after them.
  "x = 1\n|@a\n@b(\n    1,\n)\n# why\n\ndef f(): pass\n|@c\nclass D: pass\n",
  "|@a(\n1,\nb\n)\ndef f(): pass\n",
  "|@a\nx = 1\n|def f(): pass\n",
  // Nothing in strings and comments counts.
  "x = '''\ndef f():\n'''\n|def g(): pass\n",
  "x = \"\"\"\\\"\"\"\ndef f():\n\"\"\"\n|def g(): pass\n",
  "x = r'\\'\n|def g(): pass\n",
  "x = 'a\\\ndef f():'\n|def g(): pass\n",
  "x = 'a\\\r\ndef f():'\n|def g(): pass\n",
  "# '''\n|def g(): pass\n",
  "x = ''\n|def g(): pass\n",
  "x = \"'''\"\n|def g(): pass\n",
  // A string that was not ended ends with its line.
  "x = 'a\n|def g(): pass\n",
  "x = '''\ndef g(): pass\n",
  // A bracket that was not closed ends with the next definition, and so does one too many.
  "|def f(a, (b[:\n    x = {\n|def g(): pass\n",
  "|def f():\n    return g.op('Elu',\n|@a('b')\n@c\ndef g(): pass\n",
  "x = )]}\n|def g(): pass\n",
  // A product of matrices is not a decorator.
  "x = (a\n@b)\n|def f(): pass\n",
  "x = a \\\n@b\n|def f(): pass\n",
  "x = \\\r\n@b\n|def f(): pass\n",
  "|def f(): pass\r\n\r\n|def g(): pass\r\n",
  "x = [\nasync for x in y]\n",
  "|def f(): pass\n|def",
  "x\\",
  "'",
  "'\\",
  "'''\\",
};

static void test_cuts(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    Buffer text = { 0 };
    PyParts expected = { 0 };
    vec_push(&expected, (PyPart){ 0 });
    for (const char *c = table[i]; *c; c++) {
      if (*c != '|')
        buffer_append_char(&text, *c);
      else if (text.len > 0)
        vec_push(&expected, (PyPart){ .start = (uint32_t)text.len });
    }
    PyParts got = { 0 };
    py_parts_find(buffer_str(&text), &got);
    bool is_equal = got.count == expected.count;
    for (size_t p = 0; is_equal && p < got.count; p++)
      is_equal = got.items[p].start == expected.items[p].start && !got.items[p].is_inner;
    if (!is_equal)
      fail_msg("%s: %zu parts, the last one at %u", table[i], got.count, vec_last(&got)->start);
    vec_free(&got);
    vec_free(&expected);
    buffer_done(&text);
  }
}

/// Statements without definitions are cut, too, but not from their own `else`.
static void test_large_parts(void **state)
{
  (void)state;
  Buffer text = { 0 };
  buffer_append(&text, STR("if x:\n"));
  while (text.len < 9000)
    buffer_append(&text, STR("    y = 1\n"));
  buffer_append(&text, STR("else:\n    z = 1\n"));
  size_t cut = text.len;
  buffer_append(&text, STR("w = 1\nv = 1\n"));
  PyParts got = { 0 };
  py_parts_find(buffer_str(&text), &got);
  assert_int_equal(got.count, 2);
  assert_int_equal(got.items[1].start, cut);
  vec_free(&got);
  buffer_done(&text);
}

/// A large class is cut before methods with their decorators, at its own indentation, and ends with the next statement.
static void test_large_class(void **state)
{
  (void)state;
  Buffer text = { 0 };
  buffer_append(&text, STR("@a\nclass C(B,\n    D):\n\n  # why\n    x = 1\n"));
  size_t expected[3];
  for (int i = 0; i < 2; i++) {
    size_t start = text.len;
    while (text.len < start + 9000)
      buffer_append(&text, STR("    y = 1\n    if y:\n        def g(): pass\n"));
    expected[i] = text.len;
    buffer_append(&text, STR("    @b\n    @c(\n    1)\n    # why\n\n    def f(self): pass\n"));
  }
  expected[2] = text.len;
  buffer_append(&text, STR("z = 1\n    def f(self): pass\n"));
  PyParts got = { 0 };
  py_parts_find(buffer_str(&text), &got);
  assert_int_equal(got.count, 4);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(got.items[i + 1].start, expected[i]);
    assert_int_equal(got.items[i + 1].is_inner, i < 2);
  }
  vec_free(&got);
  buffer_done(&text);
}

/// Brackets beyond the limit become blanks, or a value where one is missing; so do signs.
static void test_depth(void **state)
{
  (void)state;
  static const struct {
    const char *deep;
    const char *shallow;
  } texts[] = {
    { "[]", "0 " },         { "[[], 1]", "0      " }, { "f(x, ')', [\n])", "f          \n  " },
    { "[a][b]", "0     " }, { "a#]\n", "a#]\n" },     { "[#]\n]", "0  \n " },
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    Buffer text = { 0 };
    for (int level = 0; level < PY_DEPTH_LIMIT; level++)
      buffer_append_char(&text, '(');
    buffer_append(&text, str_from(texts[i].deep));
    Unread left_out = { 0 };
    char *copy = py_without_depth(buffer_str(&text), &left_out);
    const char *got = copy ? copy : text.data;
    assert_int_equal(copy != NULL, strcmp(texts[i].deep, texts[i].shallow) != 0);
    assert_memory_equal(got + PY_DEPTH_LIMIT, texts[i].shallow, strlen(texts[i].shallow));
    assert_int_equal(copy != NULL, left_out.end > 0);
    free(copy);
    buffer_done(&text);
  }
}

static bool is_same_node(const PyNode *a, const PyNode *b)
{
  return a->kind == b->kind && a->field == b->field && a->has_error == b->has_error && a->parent == b->parent &&
         a->next == b->next && a->start == b->start && a->end == b->end;
}

static void assert_same_nodes(const PySyntax *a, const PySyntax *b)
{
  uint32_t count;
  uint32_t expected_count;
  const PyNode *nodes = py_syntax_nodes(a, &count);
  const PyNode *expected = py_syntax_nodes(b, &expected_count);
  assert_int_equal(count, expected_count);
  uint32_t same = 0;
  while (same < count && is_same_node(&nodes[same], &expected[same]))
    same++;
  assert_int_equal(same, count);
}

/// A row of edits: what was reused is what is read afresh.
static void edit_randomly(Buffer text)
{
  static const char *const pieces[] = {
    "x", "", "\n", "(", ")", "\"\"\"", "def f(g):\n", "class C", "    @a\n", "@a\n", "    return 1\n", "\""
  };
  PySyntax *syntax = py_syntax_new(buffer_str(&text), NULL);
  for (size_t i = random_share(400); i > 0; i--) {
    size_t at = random_below(text.len + 1);
    Str piece = str_from(pieces[random_below(COUNT(pieces))]);
    size_t deleted = random_below(4);
    size_t tail = at + deleted < text.len ? at + deleted : text.len;
    Buffer edited = { 0 };
    buffer_append(&edited, str_make(text.data, at));
    buffer_append(&edited, piece);
    buffer_append(&edited, str_make(text.data + tail, text.len - tail));
    PySyntax *next = py_syntax_new(buffer_str(&edited), syntax);
    PySyntax *fresh = py_syntax_new(buffer_str(&edited), NULL);
    assert_same_nodes(next, fresh);
    py_syntax_release(fresh);
    py_syntax_release(syntax);
    syntax = next;
    if (i % 2 == 0) {
      buffer_done(&text);
      text = edited;
    } else {
      // Every other mistake is taken back.
      next = py_syntax_new(buffer_str(&text), syntax);
      py_syntax_release(syntax);
      syntax = next;
      buffer_done(&edited);
    }
  }
  py_syntax_release(syntax);
  buffer_done(&text);
}

static void test_reuse(void **state)
{
  (void)state;
  Buffer text = { 0 };
  for (int i = 0; i < 40; i++)
    buffer_printf(&text, "@a(\"%d\")\ndef f%d(g, x):\n    y = g.op(\"Elu\", x)\n    return y\n\n\n", i, i);
  edit_randomly(text);
}

static void append_class(Buffer *text, const char *head, size_t size)
{
  buffer_append(text, str_from(head));
  for (size_t start = text->len; text->len < start + size;)
    buffer_append(text, STR("    @staticmethod\n    def f(g, x):\n        return g.op(\"Elu\", x)\n\n"));
}

static void test_reuse_in_classes(void **state)
{
  (void)state;
  Buffer text = { 0 };
  append_class(&text, "class C:\n", 20000);
  buffer_append(&text, STR("x = 1\n"));
  append_class(&text, "@a\n@b\nclass D(C):\n    'doc'\n", 30000);
  edit_randomly(text);
}

/// However a class is cut, it is one class with all its methods.
static void test_whole_class(void **state)
{
  (void)state;
  Buffer text = { 0 };
  append_class(&text, "@a\nclass C:\n", 40000);
  buffer_append(&text, STR("    y = 1  # why\n\n  # the end"));
  size_t end = text.len;
  buffer_append(&text, STR("\n\n# no more\nx = 1\n"));
  PySyntax *syntax = py_syntax_new(buffer_str(&text), NULL);
  PyTree tree = py_tree(syntax);
  PyRef class = py_child(&tree, 1, PY_F_DEFINITION);
  PyRef body = py_child(&tree, class, PY_F_BODY);
  assert_int_equal(py_kind(&tree, class), PYK_CLASS_DEFINITION);
  uint32_t methods = 0;
  for (PY_EACH_CHILD(&tree, child, body))
    methods += py_kind(&tree, child) == PYK_DECORATED_DEFINITION;
  assert_true(methods > 400);
  assert_int_equal(tree.nodes[1].end, end);
  assert_int_equal(tree.nodes[body].end, end);
  assert_int_equal(tree.nodes[py_next_sibling(&tree, 1)].start, text.len - 6);
  assert_false(tree.nodes[0].has_error);
  py_syntax_release(syntax);
  buffer_done(&text);
}

/// A letter typed into one of many functions costs that function, and the same text nothing.
static void test_reading(void **state)
{
  (void)state;
  Buffer text = { 0 };
  for (int i = 0; i < 100; i++)
    buffer_printf(&text, "def f%02d(g, x):\n    return g.op(\"Elu\", x)\n\n\n", i);
  PySyntax *syntax = py_syntax_new(buffer_str(&text), NULL);
  PySyntaxPlan *same = py_syntax_plan(buffer_str(&text), syntax);
  assert_int_equal(py_syntax_plan_bytes(same), 0);
  assert_int_equal(py_syntax_plan_count(same), 0);
  py_syntax_plan_free(same);
  text.data[text.len / 2 + 4] = 'y';
  PySyntaxPlan *edited = py_syntax_plan(buffer_str(&text), syntax);
  assert_int_equal(py_syntax_plan_bytes(edited), text.len / 100);
  assert_int_equal(py_syntax_plan_count(edited), 1);
  py_syntax_plan_free(edited);
  py_syntax_release(syntax);
  buffer_done(&text);
}

/// What is broken is known to be, whatever tree-sitter makes of it, and also where it was taken over.
static void test_errors(void **state)
{
  (void)state;
  static const char *const texts[] = {
    "f(\n",
    "f(g(h(\nx = 1\n",
    "import a\nf(\"x\", lambda g, x: g.op(\"Clip\", x, g.op(\"Constant\", \nx = 1\n",
    "def f(:\n    pass\n\ndef g(): pass\n",
    "class C:\n    def f(self, (\n\ndef g(): pass\n",
    "x = )\n",
    "'",
  };
  for (size_t i = 0; i < COUNT(texts); i++) {
    PySyntax *first = py_syntax_new(str_from(texts[i]), NULL);
    PySyntax *second = py_syntax_new(str_from(texts[i]), first);
    const PySyntax *both[] = { first, second };
    for (size_t b = 0; b < 2; b++) {
      uint32_t count;
      if (!py_syntax_nodes(both[b], &count)[0].has_error)
        fail_msg("no error in %s", texts[i]);
    }
    py_syntax_release(first);
    py_syntax_release(second);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_cuts),        cmocka_unit_test(test_large_parts), cmocka_unit_test(test_large_class),
    cmocka_unit_test(test_depth),       cmocka_unit_test(test_reuse),       cmocka_unit_test(test_reuse_in_classes),
    cmocka_unit_test(test_whole_class), cmocka_unit_test(test_reading),     cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
