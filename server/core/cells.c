#include "core/cells.h"

#include <stdatomic.h>
#include <stdlib.h>

struct CellMap {
  atomic_uint references;
  Cell *cells;
  size_t count;
  Arena arena;
};

CellMap *cells_new(const Cell *cells, size_t count)
{
  CellMap *map = xcalloc(1, sizeof(*map));
  map->references = 1;
  map->count = count;
  map->cells = ARENA_ARRAY(&map->arena, Cell, count);
  for (size_t i = 0; i < count; i++) {
    map->cells[i] = cells[i];
    map->cells[i].uri = arena_copy(&map->arena, cells[i].uri);
  }
  return map;
}

CellMap *cells_retain(const CellMap *map)
{
  CellMap *counted = (CellMap *)map;
  if (counted)
    atomic_fetch_add(&counted->references, 1);
  return counted;
}

void cells_release(CellMap *map)
{
  if (!map || atomic_fetch_sub(&map->references, 1) != 1)
    return;
  arena_done(&map->arena);
  free(map);
}

size_t cells_count(const CellMap *map)
{
  return map ? map->count : 0;
}

const Cell *cells_item(const CellMap *map, size_t index)
{
  return &map->cells[index];
}

const Cell *cells_at_line(const CellMap *map, uint32_t line)
{
  size_t low = 0;
  size_t high = cells_count(map);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (map->cells[middle].first_line <= line)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &map->cells[low - 1] : NULL;
}

const Cell *cells_find(const CellMap *map, Str uri)
{
  for (size_t i = 0; i < cells_count(map); i++) {
    if (str_equal(map->cells[i].uri, uri))
      return &map->cells[i];
  }
  return NULL;
}

Str cells_line_words(const CellMap *map, uint32_t line, Arena *arena)
{
  const Cell *cell = cells_at_line(map, line);
  return cell ? arena_printf(arena, "line %u of cell %u", line - cell->first_line + 1, cell->number)
              : arena_printf(arena, "line %u", line + 1);
}
