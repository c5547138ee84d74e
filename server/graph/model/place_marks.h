/// What was found out about places of a dump: values by their definitions, lines by their numbers.
///
/// Ownership: marks own their table; zeroed memory is an empty one.
/// Units:     a place is a chunk and a number in it: an occurrence, or an item.
/// Threads:   one thread at a time.
#pragma once

#include <stdint.h>

typedef struct MarkSlot {
  uint32_t chunk;
  uint32_t number;
  uint32_t round;  ///< Free if it is another one than that of the marks.
  uint32_t mark;   ///< 0 is none.
} MarkSlot;

typedef struct PlaceMarks {
  MarkSlot *slots;
  uint32_t slot_count;  ///< A power of two, or 0.
  uint32_t used_count;
  uint32_t round;  ///< Counts marks_clear(), which so need not touch the table.
} PlaceMarks;

/// 0 for a place without a mark.
uint32_t marks_get(const PlaceMarks *marks, uint32_t chunk, uint32_t number);
void marks_set(PlaceMarks *marks, uint32_t chunk, uint32_t number, uint32_t mark);
void marks_clear(PlaceMarks *marks);
void marks_done(PlaceMarks *marks);
