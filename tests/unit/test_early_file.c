// A small file that is read while its folder is open: all of it, or none.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "host/early_file.h"

enum { LIMIT = SMALL_MODEL_LIMIT };

static char folder[64];
static int opened;

static int setup(void **state)
{
  strcpy(folder, P_tmpdir "/onnxls-early-XXXXXX");
  assert_non_null(mkdtemp(folder));
  opened = open(folder, O_RDONLY | O_DIRECTORY);
  return opened < 0;
}

static int teardown(void **state)
{
  char command[128];
  close(opened);
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  return system(command);
}

static void write_bytes(const char *name, size_t len)
{
  int file = openat(opened, name, O_WRONLY | O_CREAT, 0600);
  assert_true(file >= 0);
  for (size_t i = 0; i < len; i++)
    assert_int_equal(write(file, &(char){ (char)('a' + i % 26) }, 1), 1);
  close(file);
}

static void test_sizes(void **state)
{
  static const size_t lengths[] = { 0, 1, LIMIT - 1, LIMIT, LIMIT + 1 };
  for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
    char name[] = "0";
    name[0] = (char)('0' + i);
    write_bytes(name, lengths[i]);
    struct stat info;
    assert_int_equal(fstatat(opened, name, &info, 0), 0);
    FileStamp stamp = file_stamp_of(&info);
    for (int wants_stamp = 0; wants_stamp < 2; wants_stamp++) {
      EarlyFile *early = early_file_read(opened, name, wants_stamp);
      assert_non_null(early);
      assert_int_equal(early->stamp.size, lengths[i]);
      assert_true(!wants_stamp || file_stamp_equal(&early->stamp, &stamp));
      assert_int_equal(early->has_bytes, lengths[i] <= LIMIT);
      assert_int_equal(early->len, early->has_bytes ? lengths[i] : 0);
      for (size_t k = 0; k < early->len; k++)
        assert_int_equal(early->bytes[k], 'a' + k % 26);
      free(early);
    }
  }
}

static void test_what_is_no_file(void **state)
{
  write_bytes("file", 3);
  assert_int_equal(symlinkat("file", opened, "link"), 0);
  assert_int_equal(mkfifoat(opened, "pipe", 0600), 0);
  assert_int_equal(mkdirat(opened, "inner", 0700), 0);
  assert_null(early_file_read(opened, "gone", true));
  assert_null(early_file_read(opened, "link", true));
  assert_null(early_file_read(opened, "pipe", true));
  assert_null(early_file_read(opened, "inner", true));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sizes),
    cmocka_unit_test(test_what_is_no_file),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
