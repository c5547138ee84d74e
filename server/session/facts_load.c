#include "session/facts_load.h"

#include <stdlib.h>

#include "host/log.h"
#include "host/overlays.h"
#include "session/state.h"

/// The files of one folder, in order.
typedef struct FactsList {
  Str *paths;
  size_t count;
} FactsList;

struct FactsLoad {
  uv_work_t work;
  Session *session;
  Arena arena;
  Vec(FactsList) lists;
};

static void run_load(uv_work_t *work)
{
  FactsLoad *load = work->data;
  for (size_t i = 0; i < load->lists.count; i++) {
    Buffer problems = { 0 };
    facts_release(overlays_load(load->lists.items[i].paths, load->lists.items[i].count, &problems));
    buffer_done(&problems);
  }
}

static void free_load(FactsLoad *load)
{
  vec_free(&load->lists);
  arena_done(&load->arena);
  free(load);
}

static void after_load(uv_work_t *work, int status)
{
  FactsLoad *load = work->data;
  Session *session = load->session;
  session->facts_load = NULL;
  log_line(LOG_DEBUG, "facts of %zu folders were read", load->lists.count);
  free_load(load);
  if (!session->is_stopping)
    workspace_apply_changes(session);
  session_wake(session);
}

static void add_list(FactsLoad *load, const Settings *settings)
{
  if (settings->db_path_count == 0 || overlays_are_kept(settings->db_paths, settings->db_path_count))
    return;
  FactsList list = { ARENA_ARRAY(&load->arena, Str, settings->db_path_count), settings->db_path_count };
  for (size_t i = 0; i < list.count; i++)
    list.paths[i] = arena_copy(&load->arena, settings->db_paths[i]);
  vec_push(&load->lists, list);
}

FactsLoad *facts_load_start(Session *session, const Settings *settings, size_t count)
{
  FactsLoad *load = xcalloc(1, sizeof(*load));
  load->session = session;
  load->work.data = load;
  for (size_t i = 0; i < count; i++)
    add_list(load, &settings[i]);
  if (load->lists.count == 0) {
    free_load(load);
    return NULL;
  }
  uv_queue_work(session->loop, &load->work, run_load, after_load);
  return load;
}
