#include "base/map.h"

#include <uthash.h>

#include "base/memory.h"

typedef struct Entry {
  UT_hash_handle hh;
  void *value;
  size_t key_len;
  char key[];
} Entry;

struct Map {
  Entry *entries;
};

Map *map_new(void)
{
  return xcalloc(1, sizeof(Map));
}

void map_free(Map *map)
{
  if (!map)
    return;
  Entry *entry;
  Entry *next;
  HASH_ITER(hh, map->entries, entry, next)
  {
    HASH_DEL(map->entries, entry);
    free(entry);
  }
  free(map);
}

static Entry *find(const Map *map, Str key)
{
  Entry *entry = NULL;
  if (map)
    HASH_FIND(hh, map->entries, key.data, key.len, entry);
  return entry;
}

void *map_get(const Map *map, Str key)
{
  const Entry *entry = find(map, key);
  return entry ? entry->value : NULL;
}

void *map_put(Map *map, Str key, void *value)
{
  Entry *entry = find(map, key);
  if (entry) {
    void *before = entry->value;
    entry->value = value;
    return before;
  }
  entry = xcalloc(1, sizeof(*entry) + key.len + 1);
  if (key.len > 0)
    memcpy(entry->key, key.data, key.len);
  entry->key_len = key.len;
  entry->value = value;
  HASH_ADD_KEYPTR(hh, map->entries, entry->key, key.len, entry);
  return NULL;
}

void *map_remove(Map *map, Str key)
{
  Entry *entry = find(map, key);
  if (!entry)
    return NULL;
  void *value = entry->value;
  HASH_DEL(map->entries, entry);
  free(entry);
  return value;
}

size_t map_count(const Map *map)
{
  return map ? HASH_COUNT(map->entries) : 0;
}

void map_each(Map *map, void (*visit)(Str key, void *value, void *context), void *context)
{
  Entry *entry;
  Entry *next;
  HASH_ITER(hh, map->entries, entry, next)
  visit(str_make(entry->key, entry->key_len), entry->value, context);
}
