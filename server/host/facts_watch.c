#include "host/facts_watch.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/memory.h"
#include "base/vec.h"
#include "host/file_stamp.h"

enum { POLL_MS = 1000 };

typedef struct WatchedFile {
  char *path;
  FileStamp stamp;  ///< When it was added, or looked at last.
  bool is_wanted;
} WatchedFile;

/// One look at all files, on the pool: a file system may be slow.
typedef struct Look {
  uv_work_t work;
  FactsWatch *watch;  ///< NULL when nobody asks any more.
  Vec(WatchedFile) files;
} Look;

struct FactsWatch {
  uv_timer_t timer;
  void (*on_change)(void *context);
  void *context;
  Look *look;  ///< The one under way.
  Vec(WatchedFile) files;
};

// --- Looking ---

static void free_look(Look *look)
{
  for (size_t i = 0; i < look->files.count; i++)
    free(look->files.items[i].path);
  vec_free(&look->files);
  free(look);
}

static void run_look(uv_work_t *work)
{
  Look *look = work->data;
  for (size_t i = 0; i < look->files.count; i++)
    look->files.items[i].stamp = file_stamp(look->files.items[i].path);
}

static WatchedFile *find(const FactsWatch *watch, Str path)
{
  for (size_t i = 0; i < watch->files.count; i++) {
    if (str_equal(str_from(watch->files.items[i].path), path))
      return &watch->files.items[i];
  }
  return NULL;
}

static bool take_stamps(FactsWatch *watch, const Look *look)
{
  bool has_changed = false;
  for (size_t i = 0; i < look->files.count; i++) {
    const WatchedFile *seen = &look->files.items[i];
    WatchedFile *file = find(watch, str_from(seen->path));
    if (!file || file_stamp_equal(&file->stamp, &seen->stamp))
      continue;
    file->stamp = seen->stamp;
    has_changed = true;
  }
  return has_changed;
}

static void after_look(uv_work_t *work, int status)
{
  Look *look = work->data;
  FactsWatch *watch = look->watch;
  if (watch) {
    watch->look = NULL;
    if (status == 0 && take_stamps(watch, look))
      watch->on_change(watch->context);
  }
  free_look(look);
}

static void on_timer(uv_timer_t *timer)
{
  FactsWatch *watch = timer->data;
  if (watch->look || watch->files.count == 0)
    return;
  Look *look = xcalloc(1, sizeof(*look));
  look->work.data = look;
  look->watch = watch;
  for (size_t i = 0; i < watch->files.count; i++) {
    WatchedFile file = { .path = xstrdup_str(str_from(watch->files.items[i].path)) };
    vec_push(&look->files, file);
  }
  watch->look = look;
  uv_queue_work(timer->loop, &look->work, run_look, after_look);
}

// --- The files ---

FactsWatch *facts_watch_new(uv_loop_t *loop, void (*on_change)(void *context), void *context)
{
  FactsWatch *watch = xcalloc(1, sizeof(*watch));
  watch->on_change = on_change;
  watch->context = context;
  watch->timer.data = watch;
  uv_timer_init(loop, &watch->timer);
  uv_timer_start(&watch->timer, on_timer, POLL_MS, POLL_MS);
  uv_unref((uv_handle_t *)&watch->timer);  // Looking at files alone keeps no server alive.
  return watch;
}

static void on_closed(uv_handle_t *handle)
{
  FactsWatch *watch = handle->data;
  for (size_t i = 0; i < watch->files.count; i++)
    free(watch->files.items[i].path);
  vec_free(&watch->files);
  free(watch);
}

void facts_watch_free(FactsWatch *watch)
{
  if (!watch)
    return;
  if (watch->look)
    watch->look->watch = NULL;
  uv_close((uv_handle_t *)&watch->timer, on_closed);
}

bool facts_watch_has(const FactsWatch *watch, Str path)
{
  return find(watch, path) != NULL;
}

void facts_watch_begin(FactsWatch *watch)
{
  for (size_t i = 0; i < watch->files.count; i++)
    watch->files.items[i].is_wanted = false;
}

// The stamp is taken here, so whoever reads the file after this misses no change, however late the first look is.
void facts_watch_add(FactsWatch *watch, Str path)
{
  WatchedFile *known = find(watch, path);
  if (known) {
    known->is_wanted = true;
  } else if (watch->files.count < FACTS_WATCH_LIMIT) {
    WatchedFile file = { .path = xstrdup_str(path), .is_wanted = true };
    file.stamp = file_stamp(file.path);
    vec_push(&watch->files, file);
  }
}

void facts_watch_end(FactsWatch *watch)
{
  size_t kept = 0;
  for (size_t i = 0; i < watch->files.count; i++) {
    WatchedFile *file = &watch->files.items[i];
    if (file->is_wanted)
      watch->files.items[kept++] = *file;
    else
      free(file->path);
  }
  watch->files.count = kept;
}
