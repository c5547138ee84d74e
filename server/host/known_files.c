#include "host/known_files.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"

typedef struct Entry {
  KnownFile file;  ///< First, so that it stands for the entry.
  Str path;
  bool is_used;
} Entry;

struct KnownFiles {
  Cache *cache;
  CacheKey key;
  int64_t now;
  atomic_bool is_new;
  Map *by_path;
  Vec(Entry *) entries;  ///< In the order of the run before, then as they came.
  Arena arena;
};

/// Before what a list has of a file. A path is what it shares with the one before it, and its rest.
typedef struct Head {
  FileStamp stamp;
  uint32_t asked[2];
  uint32_t shared_len, rest_len, imports_len;
  uint8_t is_wanted[2];
  uint8_t has_sum, is_scanned, is_silent, is_passive, has_imports;
} Head;

static Entry *add_entry(KnownFiles *files, Str path)
{
  Entry *entry = ARENA_NEW(&files->arena, Entry);
  *entry = (Entry){ .path = path };
  vec_push(&files->entries, entry);
  map_put(files->by_path, path, entry);
  return entry;
}

/// Takes so many bytes from the beginning of `rest`; false if there are fewer.
static bool take(Str *rest, size_t len, Str *ret_taken)
{
  if (rest->len < len)
    return false;
  *ret_taken = str_slice(*rest, 0, len);
  *rest = str_slice(*rest, len, rest->len);
  return true;
}

static bool read_entry(KnownFiles *files, Str *rest, Str before)
{
  Str bytes, path, sum, imports;
  Head head;
  if (!take(rest, sizeof(head), &bytes))
    return false;
  memcpy(&head, bytes.data, sizeof(head));
  if (head.shared_len > before.len || !take(rest, head.rest_len, &path) ||
      !take(rest, head.has_sum ? SHA256_BYTES : 0, &sum) || !take(rest, head.imports_len, &imports))
    return false;
  const Str parts[] = { str_slice(before, 0, head.shared_len), path };
  Entry *entry = add_entry(files, arena_join(&files->arena, parts, COUNT(parts)));
  entry->file = (KnownFile){ .stamp = head.stamp,
                             .asked = { head.asked[0], head.asked[1] },
                             .is_wanted = { head.is_wanted[0] != 0, head.is_wanted[1] != 0 },
                             .is_scanned = head.is_scanned != 0,
                             .is_silent = head.is_silent != 0,
                             .is_passive = head.is_passive != 0,
                             .has_imports = head.has_imports != 0,
                             .has_sum = head.has_sum != 0,
                             .imports = arena_copy(&files->arena, imports) };
  if (head.has_sum)
    memcpy(entry->file.sum, sum.data, sum.len);
  return true;
}

static void write_entry(Buffer *list, const Entry *entry, Str before)
{
  const KnownFile *file = &entry->file;
  Head head;
  memset(&head, 0, sizeof(head));  // Its padding is written, too.
  size_t shared = 0;
  while (shared < before.len && shared < entry->path.len && before.data[shared] == entry->path.data[shared])
    shared++;
  head.stamp = file->stamp;
  for (int i = 0; i < 2; i++) {
    head.asked[i] = file->asked[i];
    head.is_wanted[i] = file->is_wanted[i];
  }
  head.shared_len = (uint32_t)shared;
  head.rest_len = (uint32_t)(entry->path.len - shared);
  head.imports_len = (uint32_t)file->imports.len;
  head.is_scanned = file->is_scanned;
  head.is_silent = file->is_silent;
  head.is_passive = file->is_passive;
  head.has_imports = file->has_imports;
  head.has_sum = file->has_sum;
  buffer_append(list, str_make((const char *)&head, sizeof(head)));
  buffer_append(list, str_slice(entry->path, shared, entry->path.len));
  if (file->has_sum)
    buffer_append(list, str_make((const char *)file->sum, SHA256_BYTES));
  buffer_append(list, file->imports);
}

static void read_list(KnownFiles *files)
{
  Buffer list = { 0 };
  if (cache_get(files->cache, CACHE_LIST, &files->key, &list)) {
    Str rest = buffer_str(&list);
    Str before = { 0 };
    while (rest.len > 0 && read_entry(files, &rest, before))
      before = (*vec_last(&files->entries))->path;
  }
  buffer_done(&list);
}

KnownFiles *known_files_open(const CacheKey *key)
{
  Cache *cache = cache_open();
  if (!cache)
    return NULL;
  KnownFiles *files = xcalloc(1, sizeof(*files));
  *files = (KnownFiles){ .cache = cache, .key = *key, .now = time(NULL), .by_path = map_new() };
  read_list(files);
  return files;
}

bool known_files_is_empty(const KnownFiles *files)
{
  return !files || files->entries.count == 0;
}

static void write_list(KnownFiles *files)
{
  Buffer list = { 0 };
  Str before = { 0 };
  for (size_t i = 0; i < files->entries.count; i++) {
    const Entry *entry = files->entries.items[i];
    if (!entry->is_used)
      continue;
    write_entry(&list, entry, before);
    before = entry->path;
  }
  cache_put(files->cache, CACHE_LIST, &files->key, buffer_str(&list));
  buffer_done(&list);
}

void known_files_close(KnownFiles *files)
{
  if (!files)
    return;
  if (atomic_load(&files->is_new))
    write_list(files);
  cache_close(files->cache);
  map_free(files->by_path);
  vec_free(&files->entries);
  arena_done(&files->arena);
  free(files);
}

KnownFile *known_files_at(KnownFiles *files, const char *path, const FileStamp *stamp)
{
  // Those that have changed come now, and `now` is when the run began: what is younger is not settled.
  if (!files || !file_stamp_is_settled(stamp, files->now))
    return NULL;
  Entry *entry = map_get(files->by_path, str_from(path));
  if (!entry)
    entry = add_entry(files, arena_copy(&files->arena, str_from(path)));
  if (!file_stamp_equal(&entry->file.stamp, stamp))
    entry->file = (KnownFile){ .stamp = *stamp };
  entry->is_used = true;
  return &entry->file;
}

void known_files_add_imports(KnownFiles *files, KnownFile *file, Str imports)
{
  file->imports = arena_copy(&files->arena, imports);
  file->has_imports = true;
}

void known_files_note(KnownFiles *files)
{
  if (files)
    atomic_store(&files->is_new, true);
}
