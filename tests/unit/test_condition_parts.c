// A condition taken apart: which parts a glance can answer, and that nothing of it is lost.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "outcome/condition_parts.h"

static const ConditionPart *parts_of(const char *text, Arena *arena, uint32_t *ret_count)
{
  Condition condition;
  Str message;
  assert_true(condition_parse(str_from(text), arena, &condition, &message));
  const ConditionPart *parts = condition_parts(&condition, arena, ret_count);
  uint32_t tokens = 0;
  for (uint32_t i = 0; i < *ret_count; i++)
    tokens += parts[i].condition.count;
  assert_int_equal(tokens + *ret_count - 1, condition.count);  // All but the `and`s.
  return parts;
}

static void simple_parts_come_first(void **state)
{
  Arena arena = { 0 };
  uint32_t count;
  const ConditionPart *parts =
      parts_of("$3 < 2 and (not is_none($2) and count == 4) and not is_const($1)", &arena, &count);
  assert_int_equal(count, 4);
  assert_int_equal(parts[0].kind, PART_COUNT);
  assert_int_equal(parts[0].count, 4);
  assert_int_equal(parts[1].kind, PART_VARIABLE);
  assert_int_equal(parts[1].argument, 1);
  assert_int_equal(parts[2].kind, PART_NOT_NONE);
  assert_int_equal(parts[2].argument, 2);
  assert_int_equal(parts[3].kind, PART_OTHER);
  arena_done(&arena);
}

static void alternatives_are_one_part(void **state)
{
  Arena arena = { 0 };
  uint32_t count;
  const ConditionPart *parts = parts_of("not is_const($1) or count == 3 and is_none($2)", &arena, &count);
  assert_int_equal(count, 1);
  assert_int_equal(parts[0].kind, PART_OTHER);
  parts = parts_of("not (count == 3 and is_none($2))", &arena, &count);
  assert_int_equal(parts[0].kind, PART_OTHER);
  parts = parts_of("rank($2) == 3", &arena, &count);
  assert_int_equal(parts[0].kind, PART_RANK);
  assert_int_equal(parts[0].argument, 2);
  assert_int_equal(parts[0].count, 3);
  parts = parts_of("rank($2) > 3", &arena, &count);
  assert_int_equal(parts[0].kind, PART_OTHER);
  parts = parts_of("ndim($1) == 1", &arena, &count);
  assert_int_equal(parts[0].kind, PART_OTHER);
  parts = parts_of("ndim($1) == 0", &arena, &count);
  assert_int_equal(parts[0].kind, PART_NO_LIST);
  arena_done(&arena);
}

static void assert_dtypes(const char *text, uint32_t dtypes)
{
  Arena arena = { 0 };
  uint32_t count;
  const ConditionPart *parts = parts_of(text, &arena, &count);
  assert_int_equal(count, 1);
  assert_int_equal(parts[0].kind, PART_DTYPE);
  assert_int_equal(parts[0].dtypes, dtypes);
  arena_done(&arena);
}

static void element_types_are_sets(void **state)
{
  uint32_t all = (1u << SCALAR_TYPE_COUNT) - 1, is_int = 1u << 3, is_bool = 1u << 11;
  assert_dtypes("dtype($0) == \"Bool\"", is_bool);
  assert_dtypes("dtype($0) != \"Bool\"", all & ~is_bool);
  assert_dtypes("not dtype($0) == \"Bool\"", all & ~is_bool);
  assert_dtypes("not dtype($0) != \"Bool\"", is_bool);
  assert_dtypes("dtype($0) in [\"Int\", \"Bool\"]", is_int | is_bool);
  assert_dtypes("not (dtype($0) in [\"Int\", \"Bool\"])", all & ~(is_int | is_bool));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(simple_parts_come_first),
    cmocka_unit_test(alternatives_are_one_part),
    cmocka_unit_test(element_types_are_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
