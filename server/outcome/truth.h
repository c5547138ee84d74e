/// An answer that may not be known.
///
/// Threads:   plain values.
#pragma once

typedef enum Truth {
  TRUTH_NO,
  TRUTH_YES,
  TRUTH_UNKNOWN,
} Truth;
