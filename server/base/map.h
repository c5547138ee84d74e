/// A map from byte strings to pointers, for small tables (documents, requests, settings).
///
/// Ownership: the map copies keys and never touches what values point at.
/// Threads:   one thread at a time.
#pragma once

#include "base/str.h"

typedef struct Map Map;

Map *map_new(void);
void map_free(Map *map);
/// NULL if there is no such key.
void *map_get(const Map *map, Str key);
/// Returns the value that was there before, or NULL.
void *map_put(Map *map, Str key, void *value);
/// Removes and returns the value, or NULL.
void *map_remove(Map *map, Str key);
size_t map_count(const Map *map);
/// Calls `visit` for each entry in the order of insertion; `visit` may remove entries, but put none.
void map_each(Map *map, void (*visit)(Str key, void *value, void *context), void *context);
