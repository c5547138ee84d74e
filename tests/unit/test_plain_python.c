// The short way for plain Python gives exactly the nodes of the grammar: on every Python file of the corpus, on
// snippets with edges, and on 30,000 random mutations of all of them (or a share: random_numbers.h).

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "corpus_files.h"
#include "python/syntax/python_parts.h"
#include "python/syntax/python_reader.h"
#include "random_numbers.h"

enum { PART_LIMIT = 3000, CHANGES = 3 };

static Buffer corpus;
static Vec(Str) parts;
static PlainPython room;

static int set_up(void **state)
{
  (void)state;
  corpus_read_folder("symbolics_good", STR(".py"), STR(""), &corpus);
  corpus_read_folder("symbolics", STR(".py"), STR(""), &corpus);
  Str text = buffer_str(&corpus);
  PyParts cuts = { 0 };
  py_parts_find(text, &cuts);
  for (size_t i = 0; i < cuts.count; i++)
    vec_push(&parts, str_slice(text, cuts.items[i].start, i + 1 < cuts.count ? cuts.items[i + 1].start : text.len));
  vec_free(&cuts);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  buffer_done(&corpus);
  vec_free(&parts);
  plain_python_done(&room);
  return 0;
}

static bool is_same(const PyNode *a, const PyNode *b)
{
  return a->kind == b->kind && a->field == b->field && a->has_error == b->has_error && a->parent == b->parent &&
         a->next == b->next && a->start == b->start && a->end == b->end;
}

/// Returns whether the text is plain.
static bool compare(Str text)
{
  PyNodes nodes = { 0 };
  vec_push(&nodes, (PyNode){ .kind = PYK_MODULE });
  bool is_plain = plain_python_read(&room, text, &nodes);
  if (is_plain) {
    PyReader reader;
    py_reader_begin(&reader);
    PyReading reading = py_reader_read_by_grammar(&reader, text);
    if (reading != PY_READ || reader.nodes.count != nodes.count)
      fail_msg("%zu nodes; the grammar has %zu (%d): %.*s", nodes.count, reader.nodes.count, reading, STR_ARG(text));
    for (size_t i = 1; i < nodes.count; i++) {
      const PyNode *node = &nodes.items[i];
      if (!is_same(node, &reader.nodes.items[i]))
        fail_msg("not as the grammar has it: %s '%.*s' of: %.*s", py_node_kind_name((PyNodeKind)node->kind),
                 STR_ARG(str_slice(text, node->start, node->end)), STR_ARG(text));
    }
    free(py_reader_end(&reader));
  } else {
    assert_int_equal(nodes.count, 1);
  }
  vec_free(&nodes);
  return is_plain;
}

static void test_every_part_of_the_corpus(void **state)
{
  (void)state;
  size_t plain = 0;
  for (size_t i = 0; i < parts.count; i++)
    plain += compare(parts.items[i]);
  // Nearly all Python is: otherwise this would be of no use.
  assert_true(plain * 20 > parts.count * 19);
}

static const char *const plain_texts[] = {
  "",
  "\n\n# nothing\n",
  "x = 1",
  "x = 1  # end",
  "@foo(1)  # why\n# and\n@bar\nclass A(B, c=D): pass  # end\n",
  "def f(a, /, b=1, *c: int, d: A[B, C.d[e]] = (), **e: 'F') -> A[b] | c[d] | None:\n    return\n",
  "def f(\n    a,\n    b,  # why\n):\n    # first\n    return a, \\\n        b\n    # last\n  # less\n# none\n",
  "if a:\n\tb\n\t# in\nelif c: d; e;\nelse:\n        f\n",
  "class A:\n    def f(self):\n        x\n        # of f\n      # of A\n    # of A\n    y = 1\n",
  "    def f(self):\n        return 1\n\n    def g(self): pass\n",
  "try:\n    a\nexcept A as e:\n    b\nexcept (B, C):\n    c\nelse:\n    d\nfinally:\n    e\n",
  "async def f():\n  async with a as (b, c), d: pass\n  async for e, *f in g: await h.i(j) ** k\n",
  "(q) = r\na, (b, *c), d[e].f = g = *h, i\nj: int = k\nl.m: A\nn += o, p\ns, = t\n",
  "x = [a for b, c in d if e or f for g in (h, *i)], {j: k for l in m}, {n, *o}, {**p, 'q': r}\n",
  "f(*a.b, *c or d, e=f, g := h, **i)(j for k in l)[m, n:o, ::p, :][...]\n",
  "x = not a < b <= c not in d is not e and -f ** -g @ h | i & j ^ k << l // m % n\n",
  "x = lambda a, *b, c=1, **d: e if f else lambda: g\nif (y := z) > 1: pass\n",
  "'a' \"b\" '''c\n'd' \\''''; rb'\\''; b'\\x00'; u'e'; f'{a!r:>{b}}{{}}{c[\"d\"]=:.2f}' f\"\"\"g\n{h, i}\n\"\"\"\n",
  "1, 1_0, 0xfF, 1.5e-3j, .5, 1., 2j, 1e5, 007\n",
  "from . import a\nfrom ..b.c import (d as e, f,)\nfrom ... import g\nfrom h import *\nimport i.j as k, l.m\n",
  "from __future__ import annotations\nfrom .match import match as print\n",
  "print(a, *b)\nprint = match = type = 1\nmatch.group(1)\nx.print.type.class_\nf(type=type, match=match)\n",
  "raise A(b) from c\nassert a, b\ndel a, b[c]\nglobal d, e\nraise\nx = yield\nyield from y\n(yield)\n",
  "while a: continue\nelse: break\nfor x in y, z:\n  pass\nelse:\n  pass\n",
  "x = 1\r\nif x:\r\n    y  # c\r\n    # d\r\nz\r\n",
  "s = \"\"\"\ndef f(:\n\"\"\"\n# \xc3\xa4\nt = '\xc3\xa4'\n",
  "with a() as b.c, d: pass\nwith e[f]:\n  pass\n",
};

static void test_plain_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(plain_texts); i++) {
    if (!compare(str_from(plain_texts[i])))
      fail_msg("not plain: %s", plain_texts[i]);
  }
}

static const char *const other_texts[] = {
  "x = (1",
  "x = )",
  "def f(:\n  pass\n",
  "if x:\npass\n",
  "print 'a'\n",
  "print >>f, a\n",
  "match x:\n  case 1: pass\n",
  "type A = B\n",
  "\xc3\xa4 = 1\n",
  "x = 'a\n'\n",
  "with (a, b): pass\n",
  "x = f'{a'\n",
  "x = f'}'\n",
  "x = 1 if y\n",
  "x = \\\n",
  "x = a b\n",
  "f(*a, b for b in c)\n",
  "x = a, b\n(c) = d\n",
  "x = a,\n",
  "def f() -> a: b[c], *d\n",
  "type(a).b = c\n",
  "[*a.b]\n",
  "x = 0o17\n",
  "x = a, (b, *c)\ny\n",
  "x += [a, (b, *c)], d\ny\n",
  "x = 1 <> 2\n",
  "x = `a`\n",
  "try:\n  a\nexcept* B:\n  c\n",
  "a\rb\n",
  "x = 1\f\n",
  "x = \"\"\"a\n",
  "\xef\xbb\xbfx\n",
  "def f():\n",
  "def f[T](): pass\n",
};

static void test_other_texts(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(other_texts); i++) {
    if (compare(str_from(other_texts[i])))
      fail_msg("plain: %s", other_texts[i]);
  }
}

static void test_depth(void **state)
{
  (void)state;
  Buffer text = { 0 };
  for (int i = 0; i < 10 * PY_PLAIN_DEPTH; i++)
    buffer_append_char(&text, i % 2 ? '(' : '-');
  assert_false(compare(buffer_str(&text)));
  buffer_done(&text);
}

static size_t mutate(char *text, size_t len)
{
  static const char characters[] = " \n\t:,=()[]{}<>\"'#/.-_aZ09*+\\@fif!|;\r";
  for (size_t changes = 1 + random_below(CHANGES); changes > 0 && len > 0; changes--) {
    char c = characters[random_below(sizeof(characters) - 1)];
    size_t at = random_below(len);
    if (random_below(3) == 0) {
      memmove(text + at, text + at + 1, len - at - 1);
      len--;
    } else if (random_below(2) == 0) {
      text[at] = c;
    } else {
      memmove(text + at + 1, text + at, len - at);
      text[at] = c;
      len++;
    }
  }
  return len;
}

static Str any_text(void)
{
  return random_below(2) == 0 ? parts.items[random_below(parts.count)]
                              : str_from(plain_texts[random_below(COUNT(plain_texts))]);
}

static void test_mutated_texts(void **state)
{
  (void)state;
  char text[PART_LIMIT + CHANGES];
  size_t mutation_count = random_share(30000);
  size_t plain = 0;
  for (size_t i = 0; i < mutation_count; i++) {
    Str from = any_text();
    if (from.len > PART_LIMIT)
      continue;
    memcpy(text, from.data, from.len);
    plain += compare(str_make(text, mutate(text, from.len)));
  }
  assert_true(plain > mutation_count / 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_part_of_the_corpus),
    cmocka_unit_test(test_plain_texts),
    cmocka_unit_test(test_other_texts),
    cmocka_unit_test(test_depth),
    cmocka_unit_test(test_mutated_texts),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
