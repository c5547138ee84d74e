#include "graph/model/place_marks.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_SIZE = 1024 };

/// The place's slot, or the free one where it belongs. The table has free slots.
static MarkSlot *find_slot(const PlaceMarks *marks, uint32_t chunk, uint32_t number)
{
  uint64_t key = (uint64_t)chunk << 32 | number;
  uint32_t mask = marks->slot_count - 1;
  uint32_t at = (uint32_t)((key + 1) * UINT64_C(0x9E3779B97F4A7C15) >> 32) & mask;
  for (;; at = (at + 1) & mask) {
    MarkSlot *slot = &marks->slots[at];
    if (slot->round != marks->round || (slot->chunk == chunk && slot->number == number))
      return slot;
  }
}

static void grow(PlaceMarks *marks)
{
  PlaceMarks larger = { .slot_count = marks->slot_count ? 2 * marks->slot_count : FIRST_SIZE, .round = 1 };
  larger.slots = xcalloc(larger.slot_count, sizeof(*larger.slots));
  larger.used_count = marks->used_count;
  for (uint32_t i = 0; i < marks->slot_count; i++) {
    MarkSlot *slot = &marks->slots[i];
    if (slot->round == marks->round)
      *find_slot(&larger, slot->chunk, slot->number) = (MarkSlot){ slot->chunk, slot->number, 1, slot->mark };
  }
  free(marks->slots);
  *marks = larger;
}

uint32_t marks_get(const PlaceMarks *marks, uint32_t chunk, uint32_t number)
{
  if (marks->slot_count == 0)
    return 0;
  const MarkSlot *slot = find_slot(marks, chunk, number);
  return slot->round == marks->round ? slot->mark : 0;
}

void marks_set(PlaceMarks *marks, uint32_t chunk, uint32_t number, uint32_t mark)
{
  if (marks->used_count >= marks->slot_count / 2)
    grow(marks);
  MarkSlot *slot = find_slot(marks, chunk, number);
  marks->used_count += slot->round != marks->round;
  *slot = (MarkSlot){ chunk, number, marks->round, mark };
}

void marks_clear(PlaceMarks *marks)
{
  marks->used_count = 0;
  if (++marks->round == 0)  // The numbers are used up, and old slots would look new.
    marks_done(marks);
}

void marks_done(PlaceMarks *marks)
{
  free(marks->slots);
  *marks = (PlaceMarks){ 0 };
}
