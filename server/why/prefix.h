/// What logs put before every line: forms that are known, and what a text shows to be one by its tracebacks.
///
/// Ownership: prefixes borrow the text.
/// Units:     bytes of a line.
/// Threads:   plain values.
#pragma once

#include "base/limits.h"
#include "base/str.h"

typedef struct Prefixes {
  Str items[WHY_LEARNED_LIMIT];
  size_t count;
} Prefixes;

/// What stands before "Traceback (most recent call last)" and its like, and is no known prefix.
void prefixes_learn(Str text, Prefixes *ret_prefixes);
/// Adds to `*flags` (CleanLineFlags) what the prefix says of the line.
size_t prefix_length(const Prefixes *prefixes, Str line, uint32_t *flags);
