#include "host/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/vec.h"
#include "host/folder.h"
#include "host/read_file.h"
#include "text/path.h"

enum {
  SHELVES = 256,  ///< Folders, by the first byte of the key.
  NAME_SIZE = 2 * SHA256_BYTES + 1,
  SECONDS_OF_DAY = 24 * 60 * 60,
};

/// The folders of lists.
static const char *const lists[] = { [CACHE_LIST] = "lists", [CACHE_SHORT] = "short" };

struct Cache {
  char *folder;
  atomic_bool has_shelf[SHELVES];          ///< There is a folder for such keys.
  atomic_bool is_new[SHELVES];             ///< Something was put there,
  atomic_bool has_new_list[COUNT(lists)];  ///< and among the lists.
  atomic_uint drafts;
};

// --- What a file holds: the key, the record, and a sum of both ---

static const Str magic = STR_INIT("onnxls record 2\n");

/// Tells what a failing disk, or a file under another name, would give: nobody else may write there.
static uint64_t sum_of(const CacheKey *key, Str record)
{
  return hash_add_str(hash_add_str(0, str_make((const char *)key->bytes, SHA256_BYTES)), record);
}

bool cache_unwrap(const CacheKey *key, Str bytes, Str *ret_record)
{
  uint64_t sum;
  if (bytes.len < CACHE_HEAD || !str_starts_with(bytes, magic))
    return false;
  memcpy(&sum, bytes.data + magic.len, sizeof(sum));
  Str record = str_slice(bytes, CACHE_HEAD, bytes.len);
  if (sum != sum_of(key, record))
    return false;
  *ret_record = record;
  return true;
}

void cache_head(const CacheKey *key, Str record, char ret_head[CACHE_HEAD])
{
  uint64_t sum = sum_of(key, record);
  memcpy(ret_head, magic.data, magic.len);
  memcpy(ret_head + magic.len, &sum, sizeof(sum));
}

// --- Folders ---

/// Only the user may have written what is believed here.
static bool is_own_folder(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

/// Where it is, or would be; empty if the system doesn't say.
static Str folder_path(Arena *arena)
{
  const char *base = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  if (base && base[0] == '/')
    return path_join(str_from(base), STR("onnxls"), arena);
  if (home && home[0] == '/')
    return path_join(str_from(home), STR(".cache/onnxls"), arena);
  return (Str){ 0 };
}

static bool make_folder(Str folder, Arena *arena)
{
  Str parent = str_slice(folder, 0, str_rfind_char(folder, '/'));
  mkdir(arena_copy(arena, parent).data, 0700);
  mkdir(folder.data, 0700);
  return is_own_folder(folder.data);
}

Str cache_make_folder(Arena *arena)
{
  Str folder = folder_path(arena);
  return folder.len > 0 && make_folder(folder, arena) ? folder : (Str){ 0 };
}

/// Most files of a first run are asked for in vain: a shelf that is not there holds none of them.
static void see_shelf(void *context, const FolderEntry *entry)
{
  Cache *cache = context;
  int high = entry->name.len == 2 ? ascii_hex_value(entry->name.data[0]) : -1;
  int low = entry->name.len == 2 ? ascii_hex_value(entry->name.data[1]) : -1;
  if (high >= 0 && low >= 0)
    atomic_store(&cache->has_shelf[16 * high + low], true);
}

Cache *cache_open(void)
{
  Arena arena = { 0 };
  Str folder = folder_path(&arena);
  Cache *cache = NULL;
  if (folder.len > 0 && (is_own_folder(folder.data) || access(folder.data, F_OK) != 0)) {
    cache = xcalloc(1, sizeof(*cache));
    cache->folder = xstrdup_str(folder);
    (void)folder_each(cache->folder, see_shelf, cache);  // One that can't be read has none.
  }
  arena_done(&arena);
  return cache;
}

static Str shelf_path(const Cache *cache, unsigned shelf, Arena *arena)
{
  return arena_printf(arena, "%s/%02x", cache->folder, shelf);
}

static Str lists_path(const Cache *cache, CacheKind kind, Arena *arena)
{
  return arena_printf(arena, "%s/%s", cache->folder, lists[kind]);
}

/// Where something of a kind is, and how large it may be.
typedef struct Place {
  Str folder;
  Str path;
  size_t limit;
} Place;

/// A record's shelf is the first byte of its key; the rest is its name.
static Place place_of(const Cache *cache, CacheKind kind, const CacheKey *key, Arena *arena)
{
  char name[NAME_SIZE];
  bool is_record = kind == CACHE_RECORD;
  size_t first = is_record ? 1 : 0;
  sha256_digits(key->bytes + first, SHA256_BYTES - first, name);
  Str folder = is_record ? shelf_path(cache, key->bytes[0], arena) : lists_path(cache, kind, arena);
  return (Place){ folder, path_join(folder, str_from(name), arena), is_record ? CACHE_RECORD_LIMIT : CACHE_LIST_BYTES };
}

/// The cache's own, and one in it.
static bool make_folders(const Cache *cache, Str inner, Arena *arena)
{
  return make_folder(str_from(cache->folder), arena) && (mkdir(inner.data, 0700) == 0 || errno == EEXIST);
}

// --- Records ---

/// A record that is used counts as new, by the day.
static void touch(const char *path)
{
  struct stat info;
  if (stat(path, &info) == 0 && time(NULL) - info.st_mtime > SECONDS_OF_DAY)
    utimensat(AT_FDCWD, path, NULL, 0);
}

bool cache_get(Cache *cache, CacheKind kind, const CacheKey *key, Buffer *ret_record)
{
  Arena arena = { 0 };
  Buffer bytes = { 0 };
  Str record;
  if (kind == CACHE_RECORD && !atomic_load(&cache->has_shelf[key->bytes[0]]))
    return false;
  Place place = place_of(cache, kind, key, &arena);
  bool is_there =
      read_whole_file(place.path.data, place.limit, &bytes) == OK && cache_unwrap(key, buffer_str(&bytes), &record);
  if (is_there) {
    buffer_append(ret_record, record);
    touch(place.path.data);
  }
  buffer_done(&bytes);
  arena_done(&arena);
  return is_there;
}

/// Takes its place in a folder that is there as a whole, or not at all.
static void put(Cache *cache, const CacheKey *key, Str record, const Place *place)
{
  Arena arena = { 0 };
  char head[CACHE_HEAD];
  cache_head(key, record, head);
  Str draft = arena_printf(&arena, "%.*s/draft-%ld-%u", STR_ARG(place->folder), (long)getpid(),
                           atomic_fetch_add(&cache->drafts, 1));
  int file = open(draft.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) {
    bool is_whole = write_whole_file(file, str_make(head, sizeof(head))) && write_whole_file(file, record);
    is_whole &= close(file) == 0;
    if (!is_whole || rename(draft.data, place->path.data) != 0)
      unlink(draft.data);
  }
  arena_done(&arena);
}

void cache_put(Cache *cache, CacheKind kind, const CacheKey *key, Str record)
{
  Arena arena = { 0 };
  Place place = place_of(cache, kind, key, &arena);
  if (record.len <= place.limit - CACHE_HEAD && make_folders(cache, place.folder, &arena)) {
    put(cache, key, record, &place);
    if (kind == CACHE_RECORD)
      atomic_store(&cache->has_shelf[key->bytes[0]], true);
    atomic_store(kind == CACHE_RECORD ? &cache->is_new[key->bytes[0]] : &cache->has_new_list[kind], true);
  }
  arena_done(&arena);
}

// --- Making room ---

typedef struct Entry {
  Str path;
  struct timespec used;
  size_t size;
} Entry;

typedef Vec(Entry) Entries;

static int compare_newest_first(const void *a, const void *b)
{
  const struct timespec *first = &((const Entry *)a)->used;
  const struct timespec *second = &((const Entry *)b)->used;
  if (first->tv_sec != second->tv_sec)
    return first->tv_sec > second->tv_sec ? -1 : 1;
  return first->tv_nsec == second->tv_nsec ? 0 : first->tv_nsec > second->tv_nsec ? -1 : 1;
}

static void list_shelf(const char *path, Entries *entries, Arena *arena)
{
  DIR *dir = opendir(path);
  struct dirent *name;
  while (dir && (name = readdir(dir))) {
    struct stat info;
    Entry entry = { .path = path_join(str_from(path), str_from(name->d_name), arena) };
    if (name->d_name[0] == '.' || lstat(entry.path.data, &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    entry.used = info.st_mtim;
    entry.size = (size_t)info.st_size;
    vec_push(entries, entry);
  }
  if (dir)
    closedir(dir);
}

/// At most so many in a folder, and so many bytes in all.
static void make_room(Str folder, size_t most, size_t most_bytes, Arena *arena)
{
  Entries entries = { 0 };
  list_shelf(folder.data, &entries, arena);
  vec_sort(&entries, compare_newest_first);
  size_t bytes = 0;
  for (size_t i = 0; i < entries.count; i++) {
    bytes += entries.items[i].size;
    if (i >= most || bytes > most_bytes)
      unlink(entries.items[i].path.data);
  }
  vec_free(&entries);
}

void cache_close(Cache *cache)
{
  if (!cache)
    return;
  Arena arena = { 0 };
  for (unsigned shelf = 0; shelf < SHELVES; shelf++) {
    if (atomic_load(&cache->is_new[shelf]))
      make_room(shelf_path(cache, shelf, &arena), CACHE_RECORDS / SHELVES, CACHE_BYTES / SHELVES, &arena);
  }
  for (CacheKind kind = CACHE_LIST; kind < COUNT(lists); kind++) {
    if (atomic_load(&cache->has_new_list[kind]))
      make_room(lists_path(cache, kind, &arena), CACHE_LISTS, CACHE_LIST_BYTES, &arena);
  }
  arena_done(&arena);
  free(cache->folder);
  free(cache);
}
