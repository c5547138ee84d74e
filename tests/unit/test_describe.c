// How pages about operators are written: sets of types in words, and the layout for a terminal.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "describe/describe.h"

static void assert_words(const char *const *names, uint32_t count, const char *want)
{
  Arena arena = { 0 };
  Str *types = ARENA_ARRAY(&arena, Str, count);
  for (uint32_t i = 0; i < count; i++)
    types[i] = str_from(names[i]);
  Str words = describe_type_set(types, count, &arena);
  assert_string_equal(arena_copy(&arena, words).data, want);
  arena_done(&arena);
}

#define ASSERT_WORDS(want, ...)                                                                                        \
  do {                                                                                                                 \
    static const char *const names[] = { __VA_ARGS__ };                                                                \
    assert_words(names, (uint32_t)(COUNT(names)), (want));                                                             \
  } while (0)

static void test_types_in_words(void **state)
{
  assert_words(NULL, 0, "");
  ASSERT_WORDS("float16, float, double", "tensor(double)", "tensor(float)", "tensor(float16)");
  ASSERT_WORDS("int8 to int64, bool", "tensor(bool)", "tensor(int16)", "tensor(int32)", "tensor(int64)",
               "tensor(int8)");
  ASSERT_WORDS("int16, int32", "tensor(int16)", "tensor(int32)");
  ASSERT_WORDS("all float8", "tensor(float8e4m3fn)", "tensor(float8e4m3fnuz)", "tensor(float8e5m2)",
               "tensor(float8e5m2fnuz)");
  ASSERT_WORDS("float8e5m2, new_type", "tensor(float8e5m2)", "tensor(new_type)");
  ASSERT_WORDS("float; seq(tensor(float, int8))", "seq(tensor(float))", "tensor(float)", "seq(tensor(int8))");
  ASSERT_WORDS("optional(seq(tensor(bool)))", "optional(seq(tensor(bool)))");
  ASSERT_WORDS("map(int64, float), map(string, float)", "map(int64, float)", "map(string, float)");
  ASSERT_WORDS("what, (, )", "what", "(", ")");
}

static void assert_layout(const char *text, size_t width, const char *want)
{
  Arena arena = { 0 };
  assert_string_equal(markup_layout(str_from(text), width, &arena).data, want);
  arena_done(&arena);
}

static void test_columns(void **state)
{
  assert_layout("", 40, "");
  assert_layout("  a\tbb\tc\n  aaa\tb\tc", 40, "  a    bb  c\n  aaa  b   c\n");
  assert_layout("  a\tb\nx\n  aaaa\tb\n", 40, "  a  b\nx\n  aaaa  b\n");  // Two tables.
  assert_layout("  \xc3\xa4\tb\n  aa\tb", 40, "  \xc3\xa4   b\n  aa  b\n");
  assert_layout("  a\t\n", 40, "  a\n");
  assert_layout("\t\t\t\t\t\t\t\tx", 40, "            \t\tx\n");
}

static void test_breaking(void **state)
{
  assert_layout("one two three four five six seven eight nine", 20, "one two three four five six\nseven eight nine\n");
  assert_layout("  a\tone two three four five six seven eight nine ten eleven", 40,
                "  a  one two three four five six seven\n     eight nine ten eleven\n");
  // Code stays as it is.
  assert_layout("    one two three four five six seven eight nine ten", 20,
                "    one two three four five six seven eight nine ten\n");
  // A wide cell pushes only its own line.
  assert_layout("  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\tb\n  a\tb", 60,
                "  aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  b\n  a  b\n");
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_types_in_words),
    cmocka_unit_test(test_columns),
    cmocka_unit_test(test_breaking),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
