#include "host/facts_watch.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/vec.h"

enum { POLL_MS = 1000 };

/// One file; frees itself when its handle is closed.
typedef struct WatchedFile {
  uv_fs_poll_t poll;
  FactsWatch *watch;
  char *path;
  bool is_wanted;
  bool is_missing;
} WatchedFile;

struct FactsWatch {
  uv_loop_t *loop;
  void (*on_change)(void *context);
  void *context;
  Vec(WatchedFile *) files;
};

FactsWatch *facts_watch_new(uv_loop_t *loop, void (*on_change)(void *context), void *context)
{
  FactsWatch *watch = xcalloc(1, sizeof(*watch));
  watch->loop = loop;
  watch->on_change = on_change;
  watch->context = context;
  return watch;
}

static void on_closed(uv_handle_t *handle)
{
  WatchedFile *file = handle->data;
  free(file->path);
  free(file);
}

static void drop(WatchedFile *file)
{
  uv_close((uv_handle_t *)&file->poll, on_closed);
}

void facts_watch_free(FactsWatch *watch)
{
  if (!watch)
    return;
  for (size_t i = 0; i < watch->files.count; i++)
    drop(watch->files.items[i]);
  vec_free(&watch->files);
  free(watch);
}

// Called for a change, and with an error when the file can't be seen, also when it never could.
static void on_poll(uv_fs_poll_t *poll, int status, const uv_stat_t *before, const uv_stat_t *now)
{
  WatchedFile *file = poll->data;
  bool was_missing = file->is_missing;
  file->is_missing = status < 0;
  if (!was_missing || !file->is_missing)
    file->watch->on_change(file->watch->context);
}

static WatchedFile *find(const FactsWatch *watch, Str path)
{
  for (size_t i = 0; i < watch->files.count; i++) {
    if (str_equal(str_from(watch->files.items[i]->path), path))
      return watch->files.items[i];
  }
  return NULL;
}

bool facts_watch_has(const FactsWatch *watch, Str path)
{
  return find(watch, path) != NULL;
}

void facts_watch_begin(FactsWatch *watch)
{
  for (size_t i = 0; i < watch->files.count; i++)
    watch->files.items[i]->is_wanted = false;
}

void facts_watch_add(FactsWatch *watch, Str path)
{
  WatchedFile *file = find(watch, path);
  if (!file && watch->files.count < FACTS_WATCH_LIMIT) {
    file = xcalloc(1, sizeof(*file));
    file->watch = watch;
    file->path = xstrdup_str(path);
    file->is_missing = access(file->path, F_OK) != 0;
    file->poll.data = file;
    uv_fs_poll_init(watch->loop, &file->poll);
    uv_fs_poll_start(&file->poll, on_poll, file->path, POLL_MS);
    uv_unref((uv_handle_t *)&file->poll);  // Looking at files alone keeps no server alive.
    vec_push(&watch->files, file);
  }
  if (file)
    file->is_wanted = true;
}

void facts_watch_end(FactsWatch *watch)
{
  size_t kept = 0;
  for (size_t i = 0; i < watch->files.count; i++) {
    WatchedFile *file = watch->files.items[i];
    if (file->is_wanted)
      watch->files.items[kept++] = file;
    else
      drop(file);
  }
  watch->files.count = kept;
}
