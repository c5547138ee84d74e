#include "host/short_records.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"

/// Before the bytes of a record.
typedef struct Head {
  CacheKey key;
  uint32_t len;
} Head;

typedef struct Entry {
  Str bytes;  ///< Head and record.
  bool is_used;
} Entry;

struct ShortRecords {
  Cache *cache;
  CacheKey list;
  bool is_shared;
  pthread_mutex_t lock;  ///< Of all below.
  Buffer read;           ///< The list of the run before: its entries lie there.
  Arena arena;
  Map *by_key;
  Vec(Entry *) entries;
  size_t bytes;  ///< Of all of them.
  bool is_new;
};

static Str text_of(const CacheKey *key)
{
  return str_make((const char *)key->bytes, sizeof(key->bytes));
}

static Entry *add_entry(ShortRecords *records, const CacheKey *key, Str bytes, bool is_used)
{
  Entry *entry = ARENA_NEW(&records->arena, Entry);
  *entry = (Entry){ bytes, is_used };
  map_put(records->by_key, text_of(key), entry);
  vec_push(&records->entries, entry);
  records->bytes += bytes.len;
  return entry;
}

static void read_list(ShortRecords *records)
{
  Head head;
  if (!cache_get(records->cache, CACHE_SHORT, &records->list, &records->read))
    return;
  for (Str rest = buffer_str(&records->read); rest.len >= sizeof(head);) {
    memcpy(&head, rest.data, sizeof(head));
    size_t len = sizeof(head) + head.len;
    if (len > rest.len)
      return;
    add_entry(records, &head.key, str_slice(rest, 0, len), false);
    rest = str_slice(rest, len, rest.len);
  }
}

ShortRecords *short_records_open(Cache *cache, const CacheKey *list, bool is_shared)
{
  ShortRecords *records = xcalloc(1, sizeof(*records));
  records->cache = cache;
  records->list = *list;
  records->is_shared = is_shared;
  records->by_key = map_new();
  pthread_mutex_init(&records->lock, NULL);
  read_list(records);
  return records;
}

static void write_list(const ShortRecords *records)
{
  Buffer list = { 0 };
  buffer_grow(&list, records->bytes);
  for (size_t i = 0; i < records->entries.count; i++) {
    const Entry *entry = records->entries.items[i];
    if (entry->is_used || records->is_shared)
      buffer_append(&list, entry->bytes);
  }
  cache_put(records->cache, CACHE_SHORT, &records->list, buffer_str(&list));
  buffer_done(&list);
}

void short_records_close(ShortRecords *records)
{
  if (!records)
    return;
  if (records->is_new)
    write_list(records);
  map_free(records->by_key);
  vec_free(&records->entries);
  buffer_done(&records->read);
  arena_done(&records->arena);
  pthread_mutex_destroy(&records->lock);
  free(records);
}

bool short_records_get(ShortRecords *records, const CacheKey *key, Buffer *ret_record)
{
  pthread_mutex_lock(&records->lock);
  Entry *entry = map_get(records->by_key, text_of(key));
  if (entry) {
    entry->is_used = true;
    buffer_append(ret_record, str_slice(entry->bytes, sizeof(Head), entry->bytes.len));
  }
  pthread_mutex_unlock(&records->lock);
  return entry != NULL;
}

bool short_records_put(ShortRecords *records, const CacheKey *key, Str record)
{
  Head head = { .key = *key, .len = (uint32_t)record.len };
  const Str parts[] = { str_make((const char *)&head, sizeof(head)), record };
  if (record.len > CACHE_SHORT_RECORD)
    return false;
  pthread_mutex_lock(&records->lock);
  bool has_room = records->entries.count < CACHE_SHORT_RECORDS;
  if (has_room) {
    add_entry(records, key, arena_join(&records->arena, parts, COUNT(parts)), true);
    records->is_new = true;
  }
  pthread_mutex_unlock(&records->lock);
  return has_room;
}
