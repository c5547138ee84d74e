/// What of a document was not read, in words, because a limit was reached or it is of another language: whatever is not
/// said there was looked at.
///
/// Ownership: everything lives in the arena given.
/// Units:     lines are 0-based.
/// Threads:   pure.
/// Sources:   base/limits.h.
#pragma once

#include "core/snapshot.h"
#include "syntax/unread.h"

typedef struct UnreadLines {
  uint32_t first_line;
  uint32_t last_line;
  UnreadReason reason;
} UnreadLines;

typedef struct UnreadList {
  const UnreadLines *items;  ///< In order; lines next to each other are one, if the reason is the same.
  size_t count;
} UnreadList;

/// Whether anything was left out.
bool snapshot_has_unread(const Snapshot *snapshot);
UnreadList snapshot_unread(const Snapshot *snapshot, Arena *arena);
/// "lines 3 to 5 nest so much that ...": which lines, why, and what to do.
Str unread_say(const Snapshot *snapshot, const UnreadLines *lines, Arena *arena);
