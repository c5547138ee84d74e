// The names in a folder, each once, also when the system gives them in several answers.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/folder.h"

enum { MOST = 3000 };

typedef struct Seen {
  unsigned times[MOST];
  unsigned others;
} Seen;

static void see(void *context, const FolderEntry *entry)
{
  Seen *seen = context;
  char *end;
  unsigned long number = strtoul(entry->name.data, &end, 10);
  assert_int_equal(entry->name.data[entry->name.len], '\0');
  if (*end == '\0' && number < MOST)
    seen->times[number]++;
  else
    seen->others++;
  struct stat info;
  if (entry->folder >= 0)
    assert_int_equal(fstatat(entry->folder, entry->name.data, &info, 0), 0);
}

/// Visits the folder after each count of files.
static void check_folder(const char *pattern)
{
  static const unsigned counts[] = { 0, 1, 2, 700, MOST };
  char folder[64];
  strcpy(folder, pattern);
  if (!mkdtemp(folder))
    skip();
  int opened = open(folder, O_RDONLY | O_DIRECTORY);
  unsigned made = 0;
  for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
    for (; made < counts[i]; made++) {
      char name[16];
      snprintf(name, sizeof(name), "%u", made);
      close(openat(opened, name, O_WRONLY | O_CREAT, 0600));
    }
    Seen *seen = calloc(1, sizeof(*seen));
    assert_true(folder_each(folder, see, seen));
    int outer = folder_open(folder);
    assert_true(folder_each_below(outer, outer < 0 ? folder : ".", see, seen));
    for (unsigned k = 0; k < MOST; k++)
      assert_int_equal(seen->times[k], 2 * (k < made));
    if (outer >= 0)
      close(outer);
    assert_int_equal(seen->others, 0);
    free(seen);
  }
  close(opened);
  char command[128];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void test_temporary(void **state)
{
  check_folder(P_tmpdir "/onnxls-folder-XXXXXX");
}

/// Another file system, where there is one.
static void test_memory(void **state)
{
  check_folder("/dev/shm/onnxls-folder-XXXXXX");
}

static void test_none(void **state)
{
  Seen *seen = calloc(1, sizeof(*seen));
  errno = 0;
  assert_false(folder_each(P_tmpdir "/onnxls-no-such-folder", see, seen));
  assert_int_equal(errno, ENOENT);
  free(seen);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_temporary),
    cmocka_unit_test(test_memory),
    cmocka_unit_test(test_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
