// What is known of files from one run to the next: for as long as they have the stamp that they had, and no longer.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "host/known_files.h"

static char folder[64];
static const CacheKey key = { { 1 } };
static const Str imports = STR_INIT("pkg\0pkg.config\0");
static FileStamp old;  ///< Of a file that was written long ago.

static int setup(void **state)
{
  strcpy(folder, P_tmpdir "/onnxls-known-XXXXXX");
  assert_non_null(mkdtemp(folder));
  setenv("XDG_CACHE_HOME", folder, 1);
  old = (FileStamp){ .size = 3, .seconds = 5, .nanoseconds = 6, .changed_seconds = 7, .inode = 8, .device = 9 };
  return 0;
}

static int teardown(void **state)
{
  char command[128];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  return system(command);
}

static void keep(const char *path)
{
  KnownFiles *files = known_files_open(&key);
  KnownFile *file = known_files_at(files, path, &old);
  assert_non_null(file);
  assert_false(file->has_sum);
  file->has_sum = file->is_scanned = file->is_passive = true;
  memset(file->sum, 7, sizeof(file->sum));
  file->asked[0] = 3;
  file->is_wanted[0] = true;
  known_files_add_imports(files, file, imports);
  known_files_note(files);
  known_files_close(files);
}

static bool is_known(const char *path, const FileStamp *stamp, const CacheKey *list)
{
  KnownFiles *files = known_files_open(list);
  const KnownFile *file = known_files_at(files, path, stamp);
  bool is = file && file->has_sum;
  if (is) {
    assert_true(file->is_scanned && file->is_passive && !file->is_silent && file->has_imports);
    assert_true(file->asked[0] == 3 && file->is_wanted[0] && file->asked[1] == 0);
    assert_int_equal(file->sum[SHA256_BYTES - 1], 7);
    assert_true(str_equal(file->imports, imports));
  }
  known_files_close(files);
  return is;
}

static void a_file_is_known_by_its_stamp(void **state)
{
  keep("./a/b.py");
  assert_true(is_known("./a/b.py", &old, &key));
  assert_false(is_known("./a/c.py", &old, &key));
  const CacheKey other = { { 2 } };
  assert_false(is_known("./a/b.py", &old, &other));
  int64_t *numbers = (int64_t *)&old;
  for (size_t i = 0; i < sizeof(old) / sizeof(*numbers); i++) {
    numbers[i]++;
    assert_false(is_known("./a/b.py", &old, &key));
    numbers[i]--;
  }
  assert_true(is_known("./a/b.py", &old, &key));
}

/// Paths are written as what they do not share with the one before them.
static void many_files_are_known(void **state)
{
  char path[32];
  KnownFiles *files = known_files_open(&key);
  for (int i = 0; i < 1000; i++) {
    snprintf(path, sizeof(path), "./%d/%d", i % 10, i);
    known_files_at(files, path, &old)->asked[1] = (unsigned)i + 1;
  }
  known_files_note(files);
  known_files_close(files);
  files = known_files_open(&key);
  for (int i = 0; i < 1000; i++) {
    snprintf(path, sizeof(path), "./%d/%d", i % 10, i);
    assert_int_equal(known_files_at(files, path, &old)->asked[1], i + 1);
  }
  known_files_close(files);
}

static void what_changed_a_moment_ago_is_not_known(void **state)
{
  int64_t now = time(NULL);
  FileStamp stamp = { .seconds = 5, .changed_seconds = now };
  assert_false(file_stamp_is_settled(&stamp, now));
  assert_false(file_stamp_is_settled(&stamp, now + 2));
  assert_true(file_stamp_is_settled(&stamp, now + 3));
  KnownFiles *files = known_files_open(&key);
  stamp.changed_seconds = now + 1000;  // By the clock of another machine.
  assert_null(known_files_at(files, "a.py", &stamp));
  stamp = (FileStamp){ .seconds = now + 1000 };
  assert_null(known_files_at(files, "a.py", &stamp));
  assert_null(known_files_at(NULL, "a.py", &old));
  known_files_close(files);
}

static void damage(off_t len, off_t changed)
{
  char command[256], path[256];
  snprintf(command, sizeof(command), "ls -d '%s'/onnxls/lists/*", folder);
  FILE *list = popen(command, "r");
  assert_non_null(fgets(path, sizeof(path), list));
  pclose(list);
  path[strcspn(path, "\n")] = '\0';
  int file = open(path, O_RDWR);
  assert_true(len < 0 || ftruncate(file, len) == 0);
  assert_true(changed < 0 || pwrite(file, "!", 1, changed) == 1);
  close(file);
}

static void a_damaged_list_is_none(void **state)
{
  keep("a.py");
  damage(-1, 100);
  assert_false(is_known("a.py", &old, &key));
  keep("a.py");
  assert_true(is_known("a.py", &old, &key));
  damage(60, -1);
  assert_false(is_known("a.py", &old, &key));
  damage(0, -1);
  assert_false(is_known("a.py", &old, &key));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_file_is_known_by_its_stamp, setup, teardown),
    cmocka_unit_test_setup_teardown(many_files_are_known, setup, teardown),
    cmocka_unit_test_setup_teardown(what_changed_a_moment_ago_is_not_known, setup, teardown),
    cmocka_unit_test_setup_teardown(a_damaged_list_is_none, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
