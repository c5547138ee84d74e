/// What a fuzz target holds to be true of any input; where it isn't, the target says so and aborts.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUZZ_CHECK(condition)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      dprintf(STDERR_FILENO, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                           \
      abort();                                                                                                         \
    }                                                                                                                  \
  } while (0)
