/// Numbers for random tests, and how much a test that could go on for long does.
///
/// Ownership: the state belongs to the test program.
/// Units:     ONNXLS_SEED is the seed, ONNXLS_SAMPLE how many percent of the work are done: 1 and 100 if not set.
/// Threads:   one.
/// Sources:   xorshift64*; tests/run.mjs sets both and prints the seed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t random_state;

static inline uint64_t random_setting(const char *name, uint64_t otherwise)
{
  const char *text = getenv(name);
  return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/// Begins again with another seed.
static inline void random_begin(uint64_t seed)
{
  random_state = (seed + 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
}

/// One below `limit`: the same numbers for a seed on every machine.
static inline size_t random_below(size_t limit)
{
  if (random_state == 0)
    random_begin(random_setting("ONNXLS_SEED", 1));
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return (size_t)((random_state * UINT64_C(0x2545F4914F6CDD1D)) >> 20) % limit;
}

/// Is one piece of the work among those that are done?
static inline bool random_is_sampled(void)
{
  return random_below(100) < random_setting("ONNXLS_SAMPLE", 100);
}

/// How many of `count` repetitions are done: at least one.
static inline size_t random_share(size_t count)
{
  size_t share = count * (size_t)random_setting("ONNXLS_SAMPLE", 100) / 100;
  return share > 0 ? share : 1;
}
