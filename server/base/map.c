#include "base/map.h"

#include "base/vec.h"

typedef struct Entry {
  char *key;  ///< Owned; NULL once the entry is removed.
  size_t key_len;
  uint32_t hash;
  void *value;
} Entry;

struct Map {
  /// In the order of insertion, among those that were removed since the table was made.
  Vec(Entry) entries;
  /// Open addressing: the index of an entry plus one, or 0. A removed entry keeps its slot, so that searches go on past
  /// it. At least a third is 0, so that they end.
  uint32_t *slots;
  size_t slot_count;  ///< A power of two, or 0 before the first entry.
  size_t count;       ///< Of the entries that are there.
};

enum { LEAST_SLOTS = 8 };

Map *map_new(void)
{
  return xcalloc(1, sizeof(Map));
}

void map_free(Map *map)
{
  if (!map)
    return;
  for (size_t i = 0; i < map->entries.count; i++)
    free(map->entries.items[i].key);
  vec_free(&map->entries);
  free(map->slots);
  free(map);
}

static Entry *find(const Map *map, Str key, uint32_t hash)
{
  if (!map || map->slot_count == 0)
    return NULL;
  size_t mask = map->slot_count - 1;
  for (size_t slot = hash & mask; map->slots[slot] != 0; slot = (slot + 1) & mask) {
    Entry *entry = &map->entries.items[map->slots[slot] - 1];
    if (entry->key && entry->hash == hash && str_equal(str_make(entry->key, entry->key_len), key))
      return entry;
  }
  return NULL;
}

void *map_get(const Map *map, Str key)
{
  const Entry *entry = find(map, key, str_hash(key));
  return entry ? entry->value : NULL;
}

/// Gives the entry at `index` the first free slot of its search.
static void take_slot(Map *map, size_t index)
{
  size_t mask = map->slot_count - 1;
  size_t slot = map->entries.items[index].hash & mask;
  while (map->slots[slot] != 0)
    slot = (slot + 1) & mask;
  map->slots[slot] = (uint32_t)index + 1;
}

/// Drops what was removed, and makes a table that is at most a third full with one entry more.
static void rebuild(Map *map)
{
  size_t kept = 0;
  for (size_t i = 0; i < map->entries.count; i++) {
    if (map->entries.items[i].key)
      map->entries.items[kept++] = map->entries.items[i];
  }
  map->entries.count = kept;
  map->slot_count = LEAST_SLOTS;
  while ((kept + 1) * 3 > map->slot_count)
    map->slot_count *= 2;
  free(map->slots);
  map->slots = xcalloc(map->slot_count, sizeof(*map->slots));
  for (size_t i = 0; i < kept; i++)
    take_slot(map, i);
}

void *map_put(Map *map, Str key, void *value)
{
  uint32_t hash = str_hash(key);
  Entry *entry = find(map, key, hash);
  if (entry) {
    void *before = entry->value;
    entry->value = value;
    return before;
  }
  if ((map->entries.count + 1) * 3 > map->slot_count * 2)
    rebuild(map);
  vec_push(&map->entries, (Entry){ .key = xstrdup_str(key), .key_len = key.len, .hash = hash, .value = value });
  take_slot(map, map->entries.count - 1);
  map->count++;
  return NULL;
}

void *map_remove(Map *map, Str key)
{
  Entry *entry = find(map, key, str_hash(key));
  if (!entry)
    return NULL;
  free(entry->key);
  entry->key = NULL;
  map->count--;
  return entry->value;
}

size_t map_count(const Map *map)
{
  return map ? map->count : 0;
}

void map_each(Map *map, void (*visit)(Str key, void *value, void *context), void *context)
{
  for (size_t i = 0; map && i < map->entries.count; i++) {
    const Entry *entry = &map->entries.items[i];
    if (entry->key)
      visit(str_make(entry->key, entry->key_len), entry->value, context);
  }
}
