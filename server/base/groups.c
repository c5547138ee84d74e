#include "base/groups.h"

Groups groups_make(const uint32_t *group_of, uint32_t item_count, uint32_t group_count, Arena *arena)
{
  Groups groups = { ARENA_ARRAY(arena, uint32_t, (size_t)group_count + 2), ARENA_ARRAY(arena, uint32_t, item_count) };
  uint32_t *next = groups.starts + 1;  // One ahead, so that filling the groups moves it to where they begin.
  for (uint32_t i = 0; i < item_count; i++) {
    if (group_of[i] != NO_GROUP)
      next[group_of[i] + 1]++;
  }
  for (uint32_t i = 0; i < group_count; i++)
    next[i + 1] += next[i];
  for (uint32_t i = 0; i < item_count; i++) {
    if (group_of[i] != NO_GROUP)
      groups.items[next[group_of[i]]++] = i;
  }
  return groups;
}
