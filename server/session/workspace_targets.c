// From the settings of each folder to what its documents are checked against.

#include <stdlib.h>

#include "core/language.h"
#include "host/log.h"
#include "session/analysis.h"
#include "session/facts_load.h"
#include "session/state.h"
#include "session/timing.h"
#include "session/workspace_folders.h"
#include "text/path.h"

static void on_facts_changed(void *context)
{
  workspace_note_change(context);
}

static void watch_facts(Session *session, const Settings *settings)
{
  if (settings->db_path_count > 0 && !session->facts_watch)
    session->facts_watch = facts_watch_new(session->loop, on_facts_changed, session);
  for (size_t i = 0; i < settings->db_path_count; i++)
    facts_watch_add(session->facts_watch, settings->db_paths[i]);
}

static void read_file(Folder *folder, Buffer *problems)
{
  value_release(folder->file);
  folder->file = NULL;
  if (!folder->path)
    return;
  Arena arena = { 0 };
  Str path = path_join(str_from(folder->path), STR(SETTINGS_FILE_NAME), &arena);
  Status status = settings_read_file(path.data, &folder->file, problems);
  if (status == OK)
    log_line(LOG_INFO, "settings of %s", path.data);
  arena_done(&arena);
}

// What the editor says about this workspace counts more than what the workspace says about itself.
static void read_settings(Session *session, Folder *folder, Settings *ret_settings, Buffer *problems)
{
  Str root = str_from(folder->path);
  SettingsSource file = { SETTINGS_FILE_NAME, root, true };
  SettingsSource init = { "initializationOptions", root, false };
  SettingsSource client = { "the editor's settings", root, false };
  read_file(folder, problems);
  settings_init(ret_settings);
  settings_apply(ret_settings, folder->file, &file, problems);
  settings_apply(ret_settings, session->init_options, &init, problems);
  settings_apply(ret_settings, folder->client, &client, problems);
}

/// Takes the settings.
static void make_targets_of(Session *session, Folder *folder, Settings *settings, Buffer *problems)
{
  watch_facts(session, settings);
  folder->wants_index = !settings->skips_index;
  FolderTargets *before = folder->targets;
  folder->targets = folder_targets_new(settings, str_from(folder->path), problems);
  folder_targets_set_workspace(folder->targets, index_workspace(session));
  // Editors send their settings for many reasons; what was checked stays checked.
  bool is_same = before && folder_targets_follow(folder->targets, before);
  folder_targets_free(before);
  if (is_same)
    return;
  const Target *target = folder_targets_at(folder->targets, str_from(folder->path));
  folder->stamp = session->next_stamp++;
  workspace_pull_note_change(session);
  log_line(LOG_INFO, "%s: torch %.*s, %s exporter, opset %d", folder->path ? folder->path : "elsewhere",
           STR_ARG(target->torch), exporter_title(target->exporter), target->opset);
}

// The same mistake shows in every folder that it holds for; it is said once, and again only after a change.
static void show_problems(Session *session, const Buffer *all)
{
  Buffer once = { 0 };
  Str rest = buffer_str(all);
  while (rest.len > 0) {
    size_t end = str_find_char(rest, '\n', 0);
    Str line = str_slice(rest, 0, end + 1);
    if (str_find(buffer_str(&once), line, 0) == STR_NOT_FOUND)
      buffer_append(&once, line);
    rest = str_slice(rest, end + 1, rest.len);
  }
  Str text = str_trim(buffer_str(&once));
  if (text.len > 0 && !str_equal(text, str_from(session->last_problems)))
    client_show(session, SHOW_WARNING, "onnxls settings: %.*s", STR_ARG(text));
  free(session->last_problems);
  session->last_problems = xstrdup_str(text);
  buffer_done(&once);
}

/// What folder a document is in may have changed, too. `context` counts documents.
static void check_again(Str uri, void *value, void *context)
{
  OpenDocument *document = value;
  const Target *target = workspace_target(document->session, str_from(document->path));
  if (document->snapshot && snapshot_target(document->snapshot) == target)
    return;
  analysis_plan(document, false);
  ++*(size_t *)context;
}

static void on_refreshed(Session *session, const Message *answer, void *context)
{
}

static void refresh_client(Session *session)
{
  if (session->client.pulls_diagnostics && session->client.refreshes_diagnostics &&
      (map_count(session->documents) > 0 || session->pulled))
    client_ask(session, "workspace/diagnostic/refresh", STR(""), on_refreshed, NULL);
  if (session->client.refreshes_inlay_hints && map_count(session->documents) > 0)
    client_ask(session, "workspace/inlayHint/refresh", STR(""), on_refreshed, NULL);
}

bool workspace_is_waiting(const Session *session)
{
  return session->settings_awaited_until > 0 || session->facts_load;
}

static void make_targets(Session *session, Settings *settings, Buffer *problems)
{
  if (session->facts_watch)
    facts_watch_begin(session->facts_watch);
  for (size_t i = 0; i < session->folders.count; i++)
    make_targets_of(session, &session->folders.items[i], &settings[i], problems);
  if (session->facts_watch)
    facts_watch_end(session->facts_watch);
  show_problems(session, problems);
}

static void follow_targets(Session *session, bool is_first)
{
  size_t changed = 0;
  map_each(session->documents, check_again, &changed);
  if (!is_first && (changed > 0 || session->pulled))
    refresh_client(session);
  index_update(session);
}

void workspace_apply_changes(Session *session)
{
  if (session->facts_load)
    return;  // Its end comes here again.
  Buffer problems = { 0 };
  size_t count = session->folders.count;
  Settings *settings = xcalloc(count, sizeof(*settings));
  for (size_t i = 0; i < count; i++)
    read_settings(session, &session->folders.items[i], &settings[i], &problems);
  // Facts that change again and again while they are read are taken as they are.
  if (session->facts_rounds++ < FACTS_ROUNDS)
    session->facts_load = facts_load_start(session, settings, count);
  if (!session->facts_load) {
    bool is_first = !vec_last(&session->folders)->targets;
    session->settings_changed = false;
    session->facts_rounds = 0;
    make_targets(session, settings, &problems);
    follow_targets(session, is_first);
  }
  for (size_t i = 0; i < count; i++)
    settings_done(&settings[i]);
  free(settings);
  buffer_done(&problems);
}

static void check_dependent_again(Str uri, void *value, void *context)
{
  OpenDocument *document = value;
  const Language *language = document->snapshot ? snapshot_language(document->snapshot) : NULL;
  if (language && language->model)
    analysis_plan(document, false);
}

void workspace_refresh_lenses(Session *session)
{
  if (session->client.refreshes_lenses && map_count(session->documents) > 0)
    client_ask(session, "workspace/codeLens/refresh", STR(""), on_refreshed, NULL);
}

void workspace_apply_symbolics(Session *session)
{
  const Workspace *workspace = index_workspace(session);
  workspace_pull_note_change(session);
  for (size_t i = 0; i < session->folders.count; i++) {
    Folder *folder = &session->folders.items[i];
    if (!folder->targets)
      continue;
    folder_targets_set_workspace(folder->targets, workspace);
    folder->stamp = session->next_stamp++;
  }
  map_each(session->documents, check_dependent_again, session);
  refresh_client(session);
}
