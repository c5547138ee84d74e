// One spelling of texts that two graphs are compared by.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/structure.h"

static const struct {
  const char *text;
  const char *spelling;
  bool are_floats;
} spellings[] = {
  { "", "", false },
  { "  \n", "", false },
  { "a b", "a b", false },
  { "a  ( b , c )\t d", "a(b,c)d", false },
  { ") b", ")b", false },
  { "ab )", "ab)", false },
  { "a # comment\n b", "a b", false },
  { "a # comment", "a", false },
  { "\"a  # b\" c", "\"a  # b\"c", false },
  { "'a \\' b' ,", "'a \\' b',", false },
  { "\"open \\", "\"open \\", false },
  { "1 -2", "1-2", false },
  { "2-1", "2-1", false },
  { "1e-5", "1e-05", false },
  { "1E-5", "1e-05", false },
  { "1e+5", "100000.0", false },
  { "0.1000000014901161", "0.100000001", false },
  { "1.50", "1.5", false },
  { "3", "3", false },
  { "3", "3.0", true },
  { "3.", "3.0", false },
  { "1.2.3", "1.2.3", false },
  { "e-5", "e-5", false },
  { "layer1 -x", "layer1-x", false },
};

static void test_spelling(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(spellings); i++) {
    GraphStructure structure = { .digits = 9 };
    Str have = structure_spelling(&structure, str_from(spellings[i].text), spellings[i].are_floats);
    if (!str_equal(have, str_from(spellings[i].spelling)))
      fail_msg("'%s' became '%.*s', not '%s'", spellings[i].text, STR_ARG(have), spellings[i].spelling);
    structure_done(&structure);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_spelling) };
  return cmocka_run_group_tests_name("spelling of structures", tests, NULL, NULL);
}
