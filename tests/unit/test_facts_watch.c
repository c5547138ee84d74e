// What happens to a file is noticed, whenever the disk is first looked at.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/facts_watch.h"

enum { POOL = 4, PATIENCE_MS = 600000 };  // libuv's pool has four threads.

static char folder[64];
static char path[80];

static int setup(void **state)
{
  (void)state;
  setenv("UV_THREADPOOL_SIZE", "4", 1);
  strcpy(folder, P_tmpdir "/onnxls-watch-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/facts.json", folder);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void write_file(const char *text)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void on_change(void *context)
{
  ++*(int *)context;
}

static void hold_thread(uv_work_t *work)
{
  uv_sem_wait(work->data);
}

static void after_hold(uv_work_t *work, int status)
{
  (void)work;
  assert_int_equal(status, 0);
}

static void on_patience(uv_timer_t *timer)
{
  (void)timer;
  fail_msg("no change was noticed");
}

static void wait_for(uv_loop_t *loop, const int *changes, int count)
{
  uv_timer_t patience;
  uv_timer_init(loop, &patience);
  uv_timer_start(&patience, on_patience, PATIENCE_MS, 0);
  while (*changes < count)
    uv_run(loop, UV_RUN_ONCE);
  uv_close((uv_handle_t *)&patience, NULL);
  uv_run(loop, UV_RUN_NOWAIT);
  assert_int_equal(*changes, count);
}

/// The pool is busy until the file has changed, so what it sees first is the new one.
static void add_and_change(uv_loop_t *loop, FactsWatch *watch, const char *text)
{
  uv_work_t works[POOL];
  uv_sem_t hold;
  assert_int_equal(uv_sem_init(&hold, 0), 0);
  for (int i = 0; i < POOL; i++) {
    works[i].data = &hold;
    assert_int_equal(uv_queue_work(loop, &works[i], hold_thread, after_hold), 0);
  }
  facts_watch_begin(watch);
  facts_watch_add(watch, str_from(path));
  facts_watch_end(watch);
  write_file(text);
  for (int i = 0; i < POOL; i++)
    uv_sem_post(&hold);
  uv_run(loop, UV_RUN_DEFAULT);
  uv_sem_destroy(&hold);
}

static void watch_changes(const char *before)
{
  uv_loop_t loop;
  assert_int_equal(uv_loop_init(&loop), 0);
  if (before)
    write_file(before);
  int changes = 0;
  FactsWatch *watch = facts_watch_new(&loop, on_change, &changes);
  add_and_change(&loop, watch, "{\"version\": 1}");
  wait_for(&loop, &changes, 1);
  unlink(path);
  wait_for(&loop, &changes, 2);
  write_file("{}");
  wait_for(&loop, &changes, 3);
  facts_watch_free(watch);
  uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
  unlink(path);
}

static void test_comes_before_the_first_look(void **state)
{
  (void)state;
  watch_changes(NULL);
}

static void test_changes_before_the_first_look(void **state)
{
  (void)state;
  watch_changes("{}");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_comes_before_the_first_look),
    cmocka_unit_test(test_changes_before_the_first_look),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
