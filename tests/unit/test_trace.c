// What an answer about a dump was read from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "graph/model/trace.h"

static void test_names(void **state)
{
  (void)state;
  static const uint32_t names[] = { 7, 7, 3, 7, 9, 9, 3 };
  Trace trace = { 0 }, taken;
  for (size_t i = 0; i < COUNT(names); i++)
    trace_add_name(&trace, names[i]);
  assert_int_equal(trace.names.count, 5);  // Of those in a row one is kept at once.
  trace_take(&trace, &taken);
  assert_int_equal(trace.names.count, 0);
  assert_int_equal(taken.names.count, 3);
  for (uint32_t name = 0; name < 12; name++)
    assert_int_equal(trace_has_name(&taken, name), name == 3 || name == 7 || name == 9);
  trace_add_name(&trace, 1);
  trace_add_all(&trace, &taken);
  assert_int_equal(trace.names.count, 4);
  trace_done(&taken);
  trace_done(&trace);
}

static void test_items(void **state)
{
  (void)state;
  Trace trace = { 0 };
  trace_add_items(&trace, 2, 10, 12);
  trace_add_items(&trace, 5, 1, 1);
  trace_add_items(&trace, 2, 8, 9);
  assert_int_equal(trace.spans.count, 2);
  static const struct {
    ChunkChange change;
    bool holds;
  } changes[] = {
    { { 2, 8, 9 }, false },  { { 2, 12, 13 }, false }, { { 2, 13, 14 }, false }, { { 2, 14, 15 }, true },
    { { 2, 0, 8 }, true },   { { 2, 0, 9 }, false },   { { 3, 8, 12 }, true },   { { 5, 1, UINT32_MAX }, false },
    { { 5, 3, 100 }, true }, { { 2, 9, 9 }, true },
  };
  for (size_t i = 0; i < COUNT(changes); i++)
    assert_int_equal(trace_holds(&trace, changes[i].change), changes[i].holds);
  trace_done(&trace);
}

/// A trace that grows too long holds everything.
static void test_limits(void **state)
{
  (void)state;
  Trace trace = { 0 };
  for (uint32_t i = 0; i < TRACE_NAME_LIMIT; i++)
    trace_add_name(&trace, i);
  assert_false(trace.is_everything);
  trace_add_name(&trace, TRACE_NAME_LIMIT);
  assert_true(trace.is_everything);
  assert_true(trace_has_name(&trace, UINT32_MAX));
  assert_false(trace_holds(&trace, (ChunkChange){ 0, 1, 1 }));
  trace_clear(&trace);
  for (uint32_t i = 0; i < TRACE_SPAN_LIMIT; i++)
    trace_add_items(&trace, i, 0, 0);
  assert_false(trace.is_everything);
  trace_add_items(&trace, TRACE_SPAN_LIMIT, 0, 0);
  assert_true(trace.is_everything);
  trace_done(&trace);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_items),
    cmocka_unit_test(test_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
