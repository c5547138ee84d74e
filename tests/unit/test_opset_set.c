// Sets of opsets: which registered function an export takes, and what sets are called.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "facts/opset_set.h"

static void assert_words(OpsetSet set, const char *text, const char *words)
{
  Arena arena = { 0 };
  Str is_text = opset_set_text(set, &arena);
  Str is_words = opset_set_words(set, &arena);
  assert_true(str_equal(is_text, str_from(text)));
  assert_true(str_equal(is_words, str_from(words)));
  arena_done(&arena);
}

static void sets_have_words(void **state)
{
  assert_words(0, "", "");
  assert_words(opset_set_of(13), "13", "13");
  assert_words(opset_set_of(0), "0", "0");
  assert_words(opset_set_range(9, 20), "9-20", "9 to 20");
  assert_words(opset_set_range(9, 10) | opset_set_of(13), "9-10, 13", "9 to 10 and 13");
  assert_words(opset_set_of(7) | opset_set_of(9) | opset_set_range(62, 63), "7, 9, 62-63", "7, 9 and 62 to 63");
  assert_words(OPSET_SET_ALL, "0-63", "0 to 63");
}

static void a_phrase_counts(void **state)
{
  Arena arena = { 0 };
  assert_true(str_equal(opset_set_phrase(opset_set_of(13), &arena), STR("opset 13")));
  assert_true(str_equal(opset_set_phrase(opset_set_range(13, 14), &arena), STR("opsets 13 to 14")));
  arena_done(&arena);
}

static void what_is_out_of_range_is_in_no_set(void **state)
{
  assert_int_equal(opset_set_of(-1), 0);
  assert_int_equal(opset_set_of(OPSET_LIMIT + 1), 0);
  assert_false(opset_set_has(OPSET_SET_ALL, OPSET_LIMIT + 1));
  assert_false(opset_set_has(OPSET_SET_ALL, -1));
  assert_true(opset_set_has(OPSET_SET_ALL, OPSET_LIMIT));
  assert_int_equal(opset_set_range(5, 4), 0);
  assert_int_equal(opset_set_range(64, 70), 0);
  assert_true(opset_set_range(-3, 70) == OPSET_SET_ALL);
  assert_false(opset_set_has_many(0));
  assert_false(opset_set_has_many(opset_set_of(63)));
  assert_true(opset_set_has_many(opset_set_of(63) | opset_set_of(0)));
}

// From 9 on the nearest function at or below the opset; below 9 the nearest up to 9.
static void the_nearest_function_is_taken(void **state)
{
  OpsetSet set = opset_set_of(8) | opset_set_of(9) | opset_set_of(13);
  assert_int_equal(opset_set_dispatch(set, 7), 8);
  assert_int_equal(opset_set_dispatch(set, 9), 9);
  assert_int_equal(opset_set_dispatch(set, 12), 9);
  assert_int_equal(opset_set_dispatch(set, 20), 13);
  assert_int_equal(opset_set_dispatch(opset_set_of(13), 12), 0);
  assert_int_equal(opset_set_dispatch(opset_set_of(10), 8), 0);
  assert_int_equal(opset_set_dispatch(opset_set_of(7), 20), 7);
}

static void what_serves_is_what_is_nearest(void **state)
{
  OpsetSet torch = opset_set_of(9) | opset_set_of(13);
  assert_true(opset_set_served(opset_set_of(10), torch, 7, 20) == opset_set_range(10, 12));
  assert_true(opset_set_served(opset_set_of(13), torch, 7, 20) == opset_set_range(13, 20));
  assert_true(opset_set_served(opset_set_of(20), torch, 7, 19) == 0);
  assert_true(opset_set_served(0, torch, 7, 20) == 0);
  // At opset 0 nothing is ever found.
  assert_true(opset_set_served(opset_set_of(0), 0, 7, 20) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sets_have_words),
    cmocka_unit_test(a_phrase_counts),
    cmocka_unit_test(what_is_out_of_range_is_in_no_set),
    cmocka_unit_test(the_nearest_function_is_taken),
    cmocka_unit_test(what_serves_is_what_is_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
