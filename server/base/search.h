/// Binary search in whatever is sorted.
///
/// Units:     indexes.
/// Threads:   pure.
#pragma once

/// Sets `at` to the first index in [start, end) for which `is_before`, an expression of `at`, is false; to `end` if
/// there is none. `is_before` is true for some first elements and false for all others:
///
///     uint32_t i;
///     SEARCH_FIRST(i, 0, count, symbols[i].hash < hash);
#define SEARCH_FIRST(at, start, end, is_before)                                                                        \
  do {                                                                                                                 \
    __typeof__(at) search_low_ = (start);                                                                              \
    __typeof__(at) search_high_ = (end);                                                                               \
    while (search_low_ < search_high_) {                                                                               \
      (at) = search_low_ + (search_high_ - search_low_) / 2;                                                           \
      if (is_before)                                                                                                   \
        search_low_ = (at) + 1;                                                                                        \
      else                                                                                                             \
        search_high_ = (at);                                                                                           \
    }                                                                                                                  \
    (at) = search_low_;                                                                                                \
  } while (0)
