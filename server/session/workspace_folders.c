#include "session/workspace_folders.h"

#include <stdlib.h>

#include "base/limits.h"
#include "core/language.h"
#include "host/log.h"
#include "session/analysis.h"
#include "session/facts_load.h"
#include "session/state.h"
#include "session/timing.h"
#include "text/path.h"
#include "text/uri.h"

static const Str settings_file = STR_INIT(SETTINGS_FILE_NAME);

static void drop_target(Folder *folder)
{
  target_release(folder->target);
  folder->target = NULL;
}

static void free_folder(Folder *folder)
{
  drop_target(folder);
  value_release(folder->file);
  value_release(folder->client);
  free(folder->uri);
  free(folder->path);
}

static void note_change(Session *session)
{
  session->settings_changed = true;
  session->facts_rounds = 0;
  session_wake(session);
}

// The folder goes before the last one, which stands for everything else.
static void add_folder(Session *session, Str uri)
{
  for (size_t i = 0; i < session->folders.count; i++) {
    if (session->folders.items[i].uri && str_equal(str_from(session->folders.items[i].uri), uri))
      return;
  }
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  Folder folder = { .uri = xstrdup_str(uri) };
  folder.path = path.len > 0 ? xstrdup_str(path_normalize(path, &arena)) : NULL;
  arena_done(&arena);
  vec_push(&session->folders, folder);
  size_t last = session->folders.count - 1;
  if (last > 0) {
    Folder rest = session->folders.items[last - 1];
    session->folders.items[last - 1] = folder;
    session->folders.items[last] = rest;
  }
}

static void remove_folder(Session *session, Str uri)
{
  for (size_t i = 0; i + 1 < session->folders.count; i++) {
    Folder *folder = &session->folders.items[i];
    if (!str_equal(str_from(folder->uri), uri))
      continue;
    free_folder(folder);
    memmove(folder, folder + 1, (session->folders.count - i - 1) * sizeof(*folder));
    session->folders.count--;
    return;
  }
}

static void add_folders(Session *session, const Value *list)
{
  for (size_t i = 0; i < value_count(list); i++) {
    Str uri;
    if (value_to_str(value_get(value_at(list, i), "uri"), &uri))
      add_folder(session, uri);
  }
}

// Settings may be under our name, as in a settings file of an editor, or alone.
static const Value *own_section(const Value *settings)
{
  const Value *section = value_get(settings, "onnxls");
  return value_kind(section) == VALUE_OBJECT ? section : settings;
}

static void replace(Value **place, const Value *value)
{
  Value *before = *place;
  *place = value ? value_retain(value) : NULL;
  value_release(before);
}

void workspace_init(Session *session, const Value *params)
{
  Folder rest = { 0 };
  vec_push(&session->folders, rest);
  add_folders(session, value_get(params, "workspaceFolders"));
  Str root;
  Arena arena = { 0 };
  if (session->folders.count == 1 && value_to_str(value_get(params, "rootUri"), &root))
    add_folder(session, root);
  if (session->folders.count == 1 && value_to_str(value_get(params, "rootPath"), &root) && root.len > 0)
    add_folder(session, uri_from_path(root, &arena));
  arena_done(&arena);
  replace(&session->init_options, own_section(value_get(params, "initializationOptions")));
  session->settings_changed = true;
}

void workspace_done(Session *session)
{
  for (size_t i = 0; i < session->folders.count; i++)
    free_folder(&session->folders.items[i]);
  vec_free(&session->folders);
  value_release(session->init_options);
  session->init_options = NULL;
  free(session->last_problems);
  session->last_problems = NULL;
  facts_watch_free(session->facts_watch);
  session->facts_watch = NULL;
}

static void on_registered(Session *session, const Message *answer, void *context)
{
  if (answer && !message_result(answer))
    log_line(LOG_INFO, "the client did not take a registration");
}

static void write_watcher(Writer *writer, const char *suffix)
{
  char glob[64];
  snprintf(glob, sizeof(glob), "**/%s", suffix);
  writer_open(writer, '{');
  writer_member_str(writer, "globPattern", str_from(glob));
  writer_close(writer, '}');
}

/// Asks for news of settings, and of the files of every language.
static void write_watchers(Writer *writer)
{
  writer_open(writer, '{');
  writer_member_str(writer, "id", STR("onnxls-files"));
  writer_member_str(writer, "method", STR("workspace/didChangeWatchedFiles"));
  writer_key(writer, "registerOptions");
  writer_open(writer, '{');
  writer_key(writer, "watchers");
  writer_open(writer, '[');
  write_watcher(writer, SETTINGS_FILE_NAME);
  for (size_t i = 0; languages[i]; i++) {
    for (const LanguageEnding *ending = languages[i]->endings; ending && ending->suffix; ending++) {
      char suffix[32];
      snprintf(suffix, sizeof(suffix), "*%s", ending->suffix);
      write_watcher(writer, suffix);
    }
  }
  writer_close(writer, ']');
  writer_close(writer, '}');
  writer_close(writer, '}');
}

static void register_for_changes(Session *session)
{
  static const char settings[] = "{\"id\":\"onnxls-settings\",\"method\":\"workspace/didChangeConfiguration\","
                                 "\"registerOptions\":{\"section\":\"onnxls\"}}";
  // For no other language: who formats Python would be asked whom to take.
  static const char formatting[] = "{\"id\":\"onnxls-formatting\",\"method\":\"textDocument/formatting\","
                                   "\"registerOptions\":{\"documentSelector\":[{\"language\":\"onnx-text\"}]}}";
  const ClientCapabilities *client = &session->client;
  if (!client->registers_watched_files && !client->registers_configuration && !client->registers_formatting)
    return;
  Buffer params = { 0 };
  Writer writer = { .out = &params };
  writer_open(&writer, '{');
  writer_key(&writer, "registrations");
  writer_open(&writer, '[');
  if (client->registers_watched_files)
    write_watchers(&writer);
  if (client->registers_configuration)
    writer_raw(&writer, str_from(settings));
  if (client->registers_formatting)
    writer_raw(&writer, str_from(formatting));
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  client_ask(session, "client/registerCapability", buffer_str(&params), on_registered, NULL);
  buffer_done(&params);
}

// One answer for each folder, in the order of the list.
static void on_settings(Session *session, const Message *answer, void *context)
{
  if (!answer || (uintptr_t)context != session->settings_round)
    return;
  session->settings_awaited_until = 0;
  const Value *list = message_result(answer);
  for (size_t i = 0; i < session->folders.count; i++)
    replace(&session->folders.items[i].client, value_at(list, i));
  note_change(session);
}

static void ask_for_settings(Session *session)
{
  Buffer params = { 0 };
  Writer writer = { .out = &params };
  writer_open(&writer, '{');
  writer_key(&writer, "items");
  writer_open(&writer, '[');
  for (size_t i = 0; i < session->folders.count; i++) {
    writer_open(&writer, '{');
    if (session->folders.items[i].uri)
      writer_member_str(&writer, "scopeUri", str_from(session->folders.items[i].uri));
    writer_member_str(&writer, "section", STR("onnxls"));
    writer_close(&writer, '}');
  }
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  session->settings_round++;
  client_ask(session, "workspace/configuration", buffer_str(&params), on_settings, (void *)session->settings_round);
  buffer_done(&params);
}

void workspace_start(Session *session)
{
  session->is_initialized = true;
  register_for_changes(session);
  if (session->client.has_configuration) {
    ask_for_settings(session);
    session->settings_awaited_until = uv_now(session->loop) + SETTINGS_WAIT_MS;
  }
  note_change(session);
}

void workspace_did_change_configuration(Session *session, Message *message, Request *request)
{
  if (session->client.has_configuration) {
    ask_for_settings(session);  // The notification may hold anything or nothing; the answer is for us.
    return;
  }
  const Value *settings = own_section(value_get(message_params(message), "settings"));
  for (size_t i = 0; i < session->folders.count; i++)
    replace(&session->folders.items[i].client, settings);
  note_change(session);
}

void workspace_did_change_folders(Session *session, Message *message, Request *request)
{
  workspace_pull_note_change(session);
  const Value *event = value_get(message_params(message), "event");
  const Value *removed = value_get(event, "removed");
  for (size_t i = 0; i < value_count(removed); i++) {
    Str uri;
    if (value_to_str(value_get(value_at(removed, i), "uri"), &uri))
      remove_folder(session, uri);
  }
  add_folders(session, value_get(event, "added"));
  if (session->client.has_configuration)
    ask_for_settings(session);
  note_change(session);
}

static bool is_settings_file(Str uri)
{
  size_t slash = str_rfind_char(uri, '/');
  return str_equal(str_slice(uri, slash == STR_NOT_FOUND ? 0 : slash + 1, uri.len), settings_file);
}

/// A file that says what is checked and how: settings, or facts that they name.
static bool is_watched(const Session *session, Str uri)
{
  if (is_settings_file(uri))
    return true;
  if (!session->facts_watch)
    return false;
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  bool has = path.len > 0 && facts_watch_has(session->facts_watch, path_normalize(path, &arena));
  arena_done(&arena);
  return has;
}

void workspace_did_change_files(Session *session, Message *message, Request *request)
{
  const Value *changes = value_get(message_params(message), "changes");
  workspace_pull_note_change(session);
  for (size_t i = 0; i < value_count(changes); i++) {
    Str uri;
    if (!value_to_str(value_get(value_at(changes, i), "uri"), &uri))
      continue;
    if (is_watched(session, uri))
      note_change(session);
    else if (!documents_find(session, uri))
      index_read_file(session, uri);
  }
}

void workspace_on_saved(Session *session, Str uri)
{
  if (is_watched(session, uri))
    note_change(session);
}

static void on_facts_changed(void *context)
{
  note_change(context);
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
  replace(&folder->file, NULL);
  if (!folder->path)
    return;
  Arena arena = { 0 };
  Str path = path_join(str_from(folder->path), settings_file, &arena);
  Status status = settings_read_file(path.data, &folder->file, problems);
  if (status == OK)
    log_line(LOG_INFO, "settings of %s", path.data);
  arena_done(&arena);
}

// What the editor says about this workspace counts more than what the workspace says about itself.
static void apply_settings(Session *session, const Folder *folder, Settings *ret_settings, Buffer *problems)
{
  Str root = str_from(folder->path);
  SettingsSource file = { SETTINGS_FILE_NAME, root, true };
  SettingsSource init = { "initializationOptions", root, false };
  SettingsSource client = { "the editor's settings", root, false };
  settings_init(ret_settings);
  settings_apply(ret_settings, folder->file, &file, problems);
  settings_apply(ret_settings, session->init_options, &init, problems);
  settings_apply(ret_settings, folder->client, &client, problems);
  settings_find_versions(ret_settings, root);
}

static void read_settings(Session *session, Folder *folder, Settings *ret_settings, Buffer *problems)
{
  read_file(folder, problems);
  apply_settings(session, folder, ret_settings, problems);
}

void workspace_read_settings(Session *session, const Folder *folder, Settings *ret_settings)
{
  Buffer problems = { 0 };  // They were said when the target was made.
  apply_settings(session, folder, ret_settings, &problems);
  buffer_done(&problems);
}

static void make_target(Session *session, Folder *folder, const Settings *settings, Buffer *problems)
{
  watch_facts(session, settings);
  folder->wants_index = !settings->skips_index;
  Target *target = settings_target(settings, problems);
  if (folder->target && target_same_settings(folder->target, target)) {
    target_release(target);  // Editors send their settings for many reasons; what was checked stays checked.
    return;
  }
  drop_target(folder);
  folder->target = target_with_workspace(target, index_workspace(session));
  folder->stamp = session->next_stamp++;
  workspace_pull_note_change(session);
  log_line(LOG_INFO, "%s: torch %.*s, %s exporter, opset %d", folder->path ? folder->path : "elsewhere",
           STR_ARG(folder->target->torch), exporter_title(folder->target->exporter), folder->target->opset);
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
  const Folder *folder = workspace_folder(document->session, str_from(document->path));
  if (document->snapshot && snapshot_target(document->snapshot) == folder->target)
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

static void make_targets(Session *session, const Settings *settings, Buffer *problems)
{
  if (session->facts_watch)
    facts_watch_begin(session->facts_watch);
  for (size_t i = 0; i < session->folders.count; i++)
    make_target(session, &session->folders.items[i], &settings[i], problems);
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
    bool is_first = !vec_last(&session->folders)->target;
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
    if (!folder->target)
      continue;
    folder->target = target_with_workspace(folder->target, workspace);
    folder->stamp = session->next_stamp++;
  }
  map_each(session->documents, check_dependent_again, session);
  refresh_client(session);
}

static bool is_inside(Str path, const char *folder)
{
  Str parent = str_from(folder);
  if (!folder || !str_starts_with(path, parent))
    return false;
  return path.len == parent.len || path.data[parent.len] == '/' || str_ends_with(parent, STR("/"));
}

const Folder *workspace_folder(const Session *session, Str path)
{
  const Folder *best = NULL;
  for (size_t i = 0; i + 1 < session->folders.count; i++) {
    const Folder *folder = &session->folders.items[i];
    bool is_better = is_inside(path, folder->path) && (!best || strlen(folder->path) > strlen(best->path));
    if (is_better || (path.len == 0 && !best))
      best = folder;  // A document without a file (untitled:) goes with the first folder.
  }
  return best ? best : vec_last(&session->folders);
}
