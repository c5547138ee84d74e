/// Items put together by a number that each has.
///
/// Ownership: both arrays live in the arena.
/// Units:     items and groups are numbers from 0.
/// Threads:   immutable once made.
#pragma once

#include "base/memory.h"

/// The items of group i are items[starts[i]] up to items[starts[i + 1]].
typedef struct Groups {
  uint32_t *starts;
  uint32_t *items;
} Groups;

#define NO_GROUP UINT32_MAX

static inline uint32_t groups_size(const Groups *groups, uint32_t group)
{
  return groups->starts[group + 1] - groups->starts[group];
}

/// Groups that are filled by hand: begin, expect every item, say that all are expected, then ask for the place of each
/// in its group. `group_count` must be the same both times.
Groups groups_begin(uint32_t group_count, Arena *arena);
/// Returns how many are expected; `items` stay the caller's, who may have others than numbers.
uint32_t groups_expected(Groups *groups, uint32_t group_count);

static inline void groups_expect(Groups *groups, uint32_t group)
{
  groups->starts[group + 2]++;
}

/// The start of the next group is one too low until all are there, so that filling the groups moves it to where it
/// belongs.
static inline uint32_t groups_place(Groups *groups, uint32_t group)
{
  return groups->starts[group + 1]++;
}

/// `group_of` says the group of each item, NO_GROUP for none. Items of a group keep their order.
Groups groups_make(const uint32_t *group_of, uint32_t item_count, uint32_t group_count, Arena *arena);
