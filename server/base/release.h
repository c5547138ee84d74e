/// Releases of packages as numbers: "0.5.7" of "0.5.7.dev1+cpu".
///
/// Units:     up to four numbers; those that are not written are 0.
/// Errors:    a text that does not begin with a number is no release.
/// Threads:   pure.
/// Sources:   PEP 440, as far as finished releases go.
#pragma once

#include "base/str.h"

enum { RELEASE_NUMBERS = 4 };

typedef struct Release {
  uint16_t numbers[RELEASE_NUMBERS];
  uint8_t count;  ///< How many are written; 0: none.
} Release;

/// `ret_end` is where the text goes on.
Release release_read(Str text, size_t *ret_end);
/// Below, at or above 0 as `a` is older, the same or newer.
int release_compare(Release a, Release b);
/// The first one that begins with other numbers than the first `count` of `release`: 0.6 after 0.5.7 with 2.
Release release_after(Release release, unsigned count);
