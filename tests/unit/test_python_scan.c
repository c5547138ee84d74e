// The scan of unfinished Python: which call the cursor is in, and at which argument. In the texts `|` is the cursor.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "python/features/python_scan.h"

typedef struct Expected {
  const char *text;
  const char *callee;  ///< NULL: in no call.
  size_t position;
  const char *keyword;  ///< Of the argument at the cursor.
  size_t argument_count;
  bool in_string;
} Expected;

static const Expected table[] = {
  // Unfinished.
  { "g.op(|", "g.op", 0, "", 1, false },
  { "g.op(\"Elu\", self, |", "g.op", 2, "", 3, false },
  { "g.op(\"El|", "g.op", 0, "", 1, true },
  { "g.op('Elu', alpha_f=|", "g.op", 1, "alpha_f", 2, false },
  { "g.op('Elu', x, al|pha_f=1, beta_f=2)", "g.op", 2, "alpha_f", 4, false },
  { "f(x, |\nreturn y", "f", 1, "", 2, false },
  { "def f(g):\n    y = g.op(\"Elu\", |\n\n\nz = 1", "g.op", 1, "", 2, false },
  // Whole.
  { "f(a, b|)", "f", 1, "", 2, false },
  { "f(a, b)|", NULL, 0, NULL, 0, false },
  { "f(a|, b) + g(c)", "f", 0, "", 2, false },
  { "f(\n    a,\n    b=|1,\n)", "f", 1, "b", 3, false },
  { "f(a)(b, |)", "", 1, "", 2, false },
  { "f (a, |)", "f", 1, "", 2, false },
  // Around the cursor: lists and groups are looked through, other calls are not.
  { "f(a, [b, |])", "f", 1, "", 2, false },
  { "f(a, g(b), (c, |))", "f", 2, "", 3, false },
  { "f(a, g(|), c)", "g", 0, "", 1, false },
  { "f(x, not (|))", "f", 1, "", 2, false },
  { "f(a, *b, c=1, |)", "f", 1, "", 4, false },
  { "f(a == b, |)", "f", 1, "", 2, false },
  { "f(lambda x: x, |)", "f", 1, "", 2, false },
  // Strings and comments hold no brackets.
  { "f(\")\", '(', \"\\\"(\", |)", "f", 3, "", 4, false },
  { "f(\"\"\"\n)(\n\"\"\", |)", "f", 1, "", 2, false },
  { "f(a,  # ) (\n  |)", "f", 1, "", 2, false },
  { "f(a)  # g(|", NULL, 0, NULL, 0, false },
  { "x = \"f(|\"", NULL, 0, NULL, 0, true },
  { "f(r'\\', |')", "f", 0, "", 1, true },
  { "f(b\"x|\")", "f", 0, "", 1, true },
  // No calls.
  { "def f(a, |): pass", NULL, 0, NULL, 0, false },
  { "class C(|): pass", NULL, 0, NULL, 0, false },
  { "x = (a, |)", NULL, 0, NULL, 0, false },
  { "return (a, |)", NULL, 0, NULL, 0, false },
  { "|", NULL, 0, NULL, 0, false },
  { "))]}|", NULL, 0, NULL, 0, false },
  // What was left open above ends where the next statement begins.
  { "x = f(a,\ny = g(b, |", "g", 1, "", 2, false },
  { "def f():\n    x = [g(1,\n    return h(|", "h", 0, "", 1, false },
  { "x = f(a,\n    y, |", "f", 2, "", 3, false },
};

static void check(const Expected *expected)
{
  Arena arena = { 0 };
  Str text = arena_copy(&arena, str_from(expected->text));
  size_t cursor = str_find_char(text, '|', 0);
  memmove((char *)text.data + cursor, text.data + cursor + 1, text.len - cursor);
  text.len--;
  PyScan scan;
  PyScannedCall call = { 0 };
  py_scan_init(&scan, text, cursor, false);
  bool found = py_scan_call(&scan, &call);
  bool right = found == (expected->callee != NULL) && scan.in_string == expected->in_string;
  if (found && right) {
    right = str_equal(call.callee, str_from(expected->callee)) && call.position == expected->position &&
            call.arguments.count == expected->argument_count &&
            str_equal(call.arguments.items[call.active].keyword, str_from(expected->keyword));
  }
  if (!right)
    print_error("%s: call %d '%.*s', position %zu, %zu arguments, string %d\n", expected->text, found,
                STR_ARG(call.callee), call.position, call.arguments.count, scan.in_string);
  assert_true(right);
  py_scan_call_done(&call);
  py_scan_done(&scan);
  arena_done(&arena);
}

static void test_calls(void **state)
{
  for (size_t i = 0; i < COUNT(table); i++)
    check(&table[i]);
}

// The pieces are the text: each begins where the one before ends, but for what is between cursor and `resume`.
static void check_pieces(const PyScan *scan)
{
  assert_true(scan->pieces.count > 0 && scan->piece < scan->pieces.count);
  assert_int_equal(scan->pieces.items[0].start, 0);
  for (size_t i = 0; i < scan->pieces.count; i++) {
    const PyPiece *piece = &scan->pieces.items[i];
    size_t next = i + 1 < scan->pieces.count ? scan->pieces.items[i + 1].start : scan->text.len;
    assert_true(piece->start <= piece->end && piece->end <= scan->text.len);
    assert_int_equal(piece->end, next);
  }
  const PyPiece *at = &scan->pieces.items[scan->piece];
  assert_true(at->start <= scan->offset && scan->resume >= scan->offset && scan->resume <= scan->text.len);
  for (size_t i = 1; i < scan->insertions.count; i++)
    assert_true(scan->insertions.items[i - 1].at <= scan->insertions.items[i].at);
}

static void check_call(const PyScan *scan, const PyScannedCall *call)
{
  assert_true(call->open < scan->offset && call->active < call->arguments.count);
  for (size_t i = 0; i < call->arguments.count; i++) {
    const PyScannedArgument *argument = &call->arguments.items[i];
    assert_true(argument->start <= argument->end && argument->end <= scan->text.len);
    assert_true(argument->value >= argument->start && argument->value <= argument->end);
    assert_true(i == 0 || call->arguments.items[i - 1].end <= argument->start);
  }
}

static void test_random(void **state)
{
  static const char *const bits[] = { "f(", ")",      "[", "]",       "{",    "}",  "\"",   "'",       "\"\"\"",
                                      "\n", "\n    ", "#", "\\",      "def ", "@",  "g.",   ",",       "=",
                                      " ",  "x",      "*", "return ", "::",   "\t", "\r\n", "\xf0\x9f" };
  uint32_t seed = 1;
  for (int round = 0; round < 20000; round++) {
    char text[256];
    size_t len = 0;
    for (int i = 0; i < 24; i++) {
      seed = seed * 1664525 + 1013904223;
      const char *bit = bits[(seed >> 8) % COUNT(bits)];
      memcpy(text + len, bit, strlen(bit));
      len += strlen(bit);
    }
    seed = seed * 1664525 + 1013904223;
    PyScan scan;
    PyScannedCall call;
    py_scan_init(&scan, str_make(text, len), (seed >> 8) % (len + 1), true);
    check_pieces(&scan);
    if (py_scan_call(&scan, &call)) {
      check_call(&scan, &call);
      py_scan_call_done(&call);
    }
    py_scan_done(&scan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_calls),
    cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
