// Short records share a list: what a run has no use for goes when another one takes its place.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "host/short_records.h"

static char folder[64];
static const CacheKey list = { { 1 } };

static int setup(void **state)
{
  strcpy(folder, P_tmpdir "/onnxls-short-XXXXXX");
  assert_non_null(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  return 0;
}

static int teardown(void **state)
{
  char command[128];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  return system(command);
}

static CacheKey key_of(uint32_t number)
{
  CacheKey key = { { 7 } };
  memcpy(key.bytes + 4, &number, sizeof(number));
  return key;
}

/// A run over the list: looks for `wanted`, puts in `added`; 0 for none. True if the one that was looked for was there.
static bool run(uint32_t wanted, uint32_t added, bool is_shared)
{
  Cache *cache = cache_open();
  ShortRecords *records = short_records_open(cache, &list, is_shared);
  Buffer found = { 0 };
  char text[32];
  CacheKey key = key_of(wanted);
  bool is_there = wanted && short_records_get(records, &key, &found);
  snprintf(text, sizeof(text), "record %u", wanted);
  assert_true(!is_there || str_equal(buffer_str(&found), str_from(text)));
  key = key_of(added);
  snprintf(text, sizeof(text), "record %u", added);
  assert_true(!added || short_records_put(records, &key, str_from(text)));
  buffer_done(&found);
  short_records_close(records);
  cache_close(cache);
  return is_there;
}

static void what_was_put_is_there_in_the_next_run(void **state)
{
  assert_false(run(1, 1, false));
  assert_true(run(1, 0, false));
  assert_false(run(2, 0, false));
  assert_true(run(1, 2, false));
  assert_true(run(1, 0, false));
  assert_true(run(2, 0, false));
}

static void what_a_run_has_no_use_for_goes_when_it_adds_something(void **state)
{
  run(0, 1, false);
  run(0, 0, false);
  assert_true(run(1, 0, false));
  run(0, 2, false);
  assert_false(run(1, 0, false));
  assert_true(run(2, 0, false));
}

static void those_who_share_a_list_leave_each_other_theirs(void **state)
{
  run(0, 1, true);
  run(0, 2, true);
  assert_true(run(1, 0, false));
  assert_true(run(2, 0, false));
}

static void a_list_has_limits(void **state)
{
  char text[CACHE_SHORT_RECORD + 1];
  memset(text, 'x', sizeof(text));
  Cache *cache = cache_open();
  ShortRecords *records = short_records_open(cache, &list, false);
  CacheKey key = key_of(1);
  assert_false(short_records_put(records, &key, str_make(text, sizeof(text))));
  assert_true(short_records_put(records, &key, str_make(text, sizeof(text) - 1)));
  for (uint32_t i = 2; i <= CACHE_SHORT_RECORDS; i++) {
    key = key_of(i);
    assert_true(short_records_put(records, &key, STR("")));
  }
  key = key_of(CACHE_SHORT_RECORDS + 1);
  assert_false(short_records_put(records, &key, STR("")));
  short_records_close(records);
  cache_close(cache);
  run(0, 0, false);  // Reads all of it.
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(what_was_put_is_there_in_the_next_run, setup, teardown),
    cmocka_unit_test_setup_teardown(what_a_run_has_no_use_for_goes_when_it_adds_something, setup, teardown),
    cmocka_unit_test_setup_teardown(those_who_share_a_list_leave_each_other_theirs, setup, teardown),
    cmocka_unit_test_setup_teardown(a_list_has_limits, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
