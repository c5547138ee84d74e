// The nearest words: what counts as one mistake, how many are allowed, and the longest word that is compared.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"

static bool is_near(const char *word, const char *candidate)
{
  return nearest_word(word, &candidate, 1) != NULL;
}

static void test_mistakes(void **state)
{
  (void)state;
  assert_true(is_near("check", "check"));
  assert_true(is_near("chck", "check"));    // Left out,
  assert_true(is_near("cheeck", "check"));  // added,
  assert_true(is_near("chack", "check"));   // changed,
  assert_true(is_near("chekc", "check"));   // swapped.
  assert_true(is_near("CHECK", "check"));
  assert_false(is_near("chakc", "check"));   // Two in a short word;
  assert_true(is_near("chakcs", "checks"));  // a third of the letters may be wrong.
  assert_false(is_near("abc", "xyz"));
}

static void test_order(void **state)
{
  (void)state;
  static const char *const candidates[] = { "abcdxx", "abcdef", "abcdex", "abcdey", "zzzzzz" };
  const char *got[3];
  assert_int_equal(nearest_words("abcdef", candidates, 5, got, 3), 3);
  assert_string_equal(got[0], "abcdef");
  assert_string_equal(got[1], "abcdex");
  assert_string_equal(got[2], "abcdey");
  assert_int_equal(nearest_words("abcdef", candidates, 5, got, 1), 1);
  assert_string_equal(got[0], "abcdef");
}

static void test_longest_word(void **state)
{
  (void)state;
  enum { LONGEST = 63 };
  char word[LONGEST + 2];
  memset(word, 'a', sizeof(word));
  word[LONGEST] = '\0';
  assert_true(is_near(word, word));
  word[LONGEST] = 'a';
  word[LONGEST + 1] = '\0';
  assert_false(is_near(word, word));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_mistakes),
    cmocka_unit_test(test_order),
    cmocka_unit_test(test_longest_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
