/// Positions as LSP counts them, and the three encodings of a column.
///
/// Ownership: plain values.
/// Units:     `line` is 0-based; `character` counts code units of the negotiated encoding.
/// Errors:    out-of-range positions are clamped the way LSP prescribes.
/// Threads:   plain values.
/// Sources:   LSP 3.17 "Position", "PositionEncodingKind".
#pragma once

#include <stdint.h>

#include "base/str.h"

typedef enum PosEncoding {
  POS_UTF8,
  POS_UTF16,
  POS_UTF32,
} PosEncoding;

typedef struct Position {
  uint32_t line;
  uint32_t character;
} Position;

/// Byte offsets [start, end) into a document.
typedef struct Range {
  size_t start;
  size_t end;
} Range;

static inline bool range_is_empty(Range range)
{
  return range.end <= range.start;
}

/// True also if one begins where the other ends.
static inline bool range_touches(Range a, Range b)
{
  return a.start <= b.end && b.start <= a.end;
}
