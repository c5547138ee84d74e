#include "base/groups.h"

Groups groups_begin(uint32_t group_count, Arena *arena)
{
  return (Groups){ .starts = ARENA_ARRAY(arena, uint32_t, (size_t)group_count + 2) };
}

uint32_t groups_expected(Groups *groups, uint32_t group_count)
{
  for (uint32_t i = 1; i <= group_count; i++)
    groups->starts[i + 1] += groups->starts[i];
  return groups->starts[group_count + 1];
}

Groups groups_make(const uint32_t *group_of, uint32_t item_count, uint32_t group_count, Arena *arena)
{
  Groups groups = groups_begin(group_count, arena);
  for (uint32_t i = 0; i < item_count; i++) {
    if (group_of[i] != NO_GROUP)
      groups_expect(&groups, group_of[i]);
  }
  groups.items = ARENA_ARRAY(arena, uint32_t, groups_expected(&groups, group_count));
  for (uint32_t i = 0; i < item_count; i++) {
    if (group_of[i] != NO_GROUP)
      groups.items[groups_place(&groups, group_of[i])] = i;
  }
  return groups;
}
