#include "session/workspace_folders.h"

#include <stdlib.h>

#include "host/log.h"
#include "host/requirements.h"
#include "session/registrations.h"
#include "session/state.h"
#include "session/timing.h"
#include "text/path.h"
#include "text/uri.h"

static const Str settings_file = STR_INIT(SETTINGS_FILE_NAME);

static void free_folder(Folder *folder)
{
  folder_targets_free(folder->targets);
  value_release(folder->file);
  value_release(folder->client);
  free(folder->uri);
  free(folder->path);
}

void workspace_note_change(Session *session)
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

// One answer for each folder, in the order of the list.
static void on_settings(Session *session, const Message *answer, void *context)
{
  if (!answer || (uintptr_t)context != session->settings_round)
    return;
  session->settings_awaited_until = 0;
  const Value *list = message_result(answer);
  for (size_t i = 0; i < session->folders.count; i++)
    replace(&session->folders.items[i].client, value_at(list, i));
  workspace_note_change(session);
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
  registrations_send(session);
  if (session->client.has_configuration) {
    ask_for_settings(session);
    session->settings_awaited_until = uv_now(session->loop) + SETTINGS_WAIT_MS;
  }
  workspace_note_change(session);
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
  workspace_note_change(session);
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
  workspace_note_change(session);
}

static bool is_settings_file(Str uri)
{
  size_t slash = str_rfind_char(uri, '/');
  return str_equal(str_slice(uri, slash == STR_NOT_FOUND ? 0 : slash + 1, uri.len), settings_file);
}

/// A file that says nothing but what is checked and how: settings, or facts that they name.
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
    bool is_setting = is_watched(session, uri);
    if (is_setting || requirements_is_list(uri))
      workspace_note_change(session);
    if (!is_setting && !documents_find(session, uri))
      index_read_file(session, uri);
  }
}

void workspace_on_saved(Session *session, Str uri)
{
  if (is_watched(session, uri))
    workspace_note_change(session);
}

const Folder *workspace_folder(const Session *session, Str path)
{
  const Folder *best = NULL;
  for (size_t i = 0; i + 1 < session->folders.count; i++) {
    const Folder *folder = &session->folders.items[i];
    bool is_inside = folder->path && path_is_within(path, str_from(folder->path));
    bool is_better = is_inside && (!best || strlen(folder->path) > strlen(best->path));
    if (is_better || (path.len == 0 && !best))
      best = folder;  // A document without a file (untitled:) goes with the first folder.
  }
  return best ? best : vec_last(&session->folders);
}

const Target *workspace_target(const Session *session, Str path)
{
  const Folder *folder = workspace_folder(session, path);
  return folder->targets ? folder_targets_of(folder->targets, path, false) : NULL;
}
