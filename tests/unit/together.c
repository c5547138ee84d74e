// All unit tests but those that need a program of their own; it runs the one by whose name it is called.

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define TEST(name) int main_of_##name(void);
#include "tests.def"
#undef TEST

#define TEST(name) { #name, main_of_##name },

static const struct {
  const char *name;
  int (*run)(void);
} tests[] = {
#include "tests.def"
};

int main(int argc, char **argv)
{
  const char *slash = strrchr(argv[0], '/');
  const char *name = slash ? slash + 1 : argv[0];
  for (size_t i = 0; i < COUNT(tests); i++) {
    if (strcmp(name, tests[i].name) == 0)
      return tests[i].run();
  }
  fprintf(stderr, "there is no unit test '%s'\n", name);
  return 2;
}
