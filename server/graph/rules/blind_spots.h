/// What of a graph can't be judged from its text: calls of methods whose bodies are elsewhere, and exporters that start
/// from another text.
///
/// Ownership: texts live in the arena given.
/// Errors:    false where there is nothing to say.
/// Threads:   pure.
#pragma once

#include "graph/model/snapshot_dump.h"

typedef struct BlindSpot {
  Place place;  ///< The line that is meant.
  Str why;      ///< A sentence, without a full stop at its end.
} BlindSpot;

/// The first one of a chunk.
bool blind_spots_in_chunk(const Snapshot *snapshot, uint32_t chunk, Arena *arena, BlindSpot *ret_spot);
