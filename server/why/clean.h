/// A pasted text without what terminals, logs and mail put around it: colours, line ends, prefixes of every line.
///
/// Ownership: the clean text and all arrays live in the arena given; offsets of the original outlive nothing.
/// Units:     byte offsets; `clean` ones into `text`, others into the original.
/// Threads:   plain values.
/// Sources:   ECMA-48 5.4 (control sequences); glog, GitHub Actions, docker compose, pytest and rich for prefixes.
#pragma once

#include "base/memory.h"

typedef enum CleanLineFlags {
  CLEAN_HEADING = 1,  ///< `#` to `####` and a blank were taken off.
  CLEAN_WARNING = 2,  ///< A log prefix said that this is a warning.
} CleanLineFlags;

typedef struct CleanLine {
  uint32_t start, end;  ///< Clean offsets, without the line end.
  uint32_t flags;
} CleanLine;

/// From `clean` on the original runs along, from `original` on.
typedef struct CleanPiece {
  uint32_t clean, original;
} CleanPiece;

typedef struct CleanText {
  Str text;  ///< Lines end with "\n" only, and no byte is NUL.
  const CleanLine *lines;
  size_t line_count;
  const CleanPiece *pieces;  ///< Sorted; the first begins at 0.
  size_t piece_count;
  size_t original_len;
} CleanText;

/// `text` has fewer than UINT32_MAX bytes.
void clean_text(Str text, Arena *arena, CleanText *ret_clean);
/// The original offset of a clean one; within the original, also for the line end that a last line lacks.
size_t clean_origin(const CleanText *clean, size_t offset);
Str clean_line(const CleanText *clean, size_t i);
