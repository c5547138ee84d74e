// What becomes of a file whose text is replaced: its owner, mode, other names and attributes, and what somebody else
// wrote meanwhile.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "host/read_file.h"
#include "host/replace_file.h"

static char folder[64];
static char path[80];
static const Str before = STR_INIT("before\n");

static int setup(void **state)
{
  strcpy(folder, P_tmpdir "/onnxls-replace-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/a.py", folder);
  return 0;
}

/// How many names there are.
static int count_entries(void)
{
  DIR *dir = opendir(folder);
  int count = 0;
  for (struct dirent *entry; (entry = readdir(dir));)
    count += entry->d_name[0] != '.';
  closedir(dir);
  return count;
}

static int teardown(void **state)
{
  char command[96];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  return system(command);
}

static void put(const char *name, Str text)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text.data, 1, text.len, file), text.len);
  assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *name, Str text)
{
  Buffer found = { 0 };
  assert_int_equal(read_whole_file(name, 1 << 24, &found), OK);
  assert_true(str_equal(buffer_str(&found), text));
  buffer_done(&found);
}

static struct stat look(const char *name)
{
  struct stat info;
  assert_int_equal(lstat(name, &info), 0);
  return info;
}

static void assert_replaced(const char *name)
{
  Str after = STR("after, which is longer\n");
  assert_int_equal(replace_file(name, &before, after), OK);
  assert_holds(name, after);
}

static void test_new_file(void **state)
{
  umask(027);
  assert_int_equal(replace_file(path, NULL, before), OK);
  umask(022);
  assert_holds(path, before);
  assert_int_equal(look(path).st_mode & 07777, 0640);
  assert_int_equal(replace_file(path, NULL, STR("")), OK);
  assert_holds(path, STR(""));
  assert_int_equal(count_entries(), 1);
}

static void test_owner_and_mode(void **state)
{
  put(path, before);
  if (getuid() == 0)
    assert_int_equal(chown(path, 1234, 5678), 0);
  assert_int_equal(chmod(path, 06751), 0);
  struct stat old = look(path);
  assert_replaced(path);
  struct stat new = look(path);
  assert_int_equal(new.st_mode, old.st_mode);
  assert_int_equal(new.st_uid, old.st_uid);
  assert_int_equal(new.st_gid, old.st_gid);
  assert_int_not_equal(new.st_ino, old.st_ino);
  assert_int_equal(count_entries(), 1);
}

static void test_links(void **state)
{
  char other[96], link_path[96];
  snprintf(other, sizeof(other), "%s/other", folder);
  snprintf(link_path, sizeof(link_path), "%s/link", folder);
  put(path, before);
  assert_int_equal(symlink("a.py", link_path), 0);
  assert_replaced(link_path);
  assert_true(S_ISLNK(look(link_path).st_mode));
  assert_true(S_ISREG(look(path).st_mode));

  put(path, before);
  assert_int_equal(link(path, other), 0);
  assert_replaced(path);
  assert_int_equal(look(path).st_ino, look(other).st_ino);
  assert_int_equal(count_entries(), 3);
  // Shorter than what was there.
  assert_int_equal(replace_file(path, NULL, STR("x")), OK);
  assert_holds(other, STR("x"));
}

static void test_attributes(void **state)
{
  put(path, before);
  if (setxattr(path, "user.onnxls", "1", 1, 0) != 0)
    skip();  // The file system has none.
  assert_replaced(path);
  char value;
  assert_int_equal(getxattr(path, "user.onnxls", &value, 1), 1);
}

static void test_changed_meanwhile(void **state)
{
  static const Str others[] = { STR_INIT(""), STR_INIT("before"), STR_INIT("Before\n"), STR_INIT("before\n\n") };
  for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
    put(path, others[i]);
    assert_int_equal(replace_file(path, &before, STR("after\n")), ERR_CHANGED);
    assert_holds(path, others[i]);
  }
  char other[96];
  snprintf(other, sizeof(other), "%s/other", folder);
  assert_int_equal(link(path, other), 0);
  assert_int_equal(replace_file(path, &before, STR("after\n")), ERR_CHANGED);
  assert_holds(path, STR("before\n\n"));
  assert_int_equal(count_entries(), 2);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(replace_file(path, &before, STR("after\n")), ERR_CHANGED);
  assert_int_equal(count_entries(), 1);
}

static void test_no_regular_file(void **state)
{
  assert_int_equal(replace_file("/dev/null", NULL, before), OK);
  assert_true(S_ISCHR(look("/dev/null").st_mode));
  assert_int_equal(replace_file("/dev/full", NULL, before), ERR_IO);
  assert_int_equal(errno, ENOSPC);
  assert_int_equal(replace_file(folder, NULL, before), ERR_IO);
  assert_int_equal(replace_file("/nowhere/a", NULL, before), ERR_IO);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_new_file, setup, teardown),
    cmocka_unit_test_setup_teardown(test_owner_and_mode, setup, teardown),
    cmocka_unit_test_setup_teardown(test_links, setup, teardown),
    cmocka_unit_test_setup_teardown(test_attributes, setup, teardown),
    cmocka_unit_test_setup_teardown(test_changed_meanwhile, setup, teardown),
    cmocka_unit_test_setup_teardown(test_no_regular_file, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
