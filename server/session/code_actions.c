// Code actions and the commands behind them: what they know of other files, and what they ask the client to do.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/log.h"
#include "host/read_file.h"
#include "lsp/actions_json.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

enum { FILE_LIMIT = 4 * 1024 * 1024 };  // Larger files are not edited.

// --- What is around a document ---

typedef struct OpenSearch {
  Str path;
  const Document *text;
} OpenSearch;

// By path: one file has many spellings of its URI.
static void compare_path(Str uri, void *value, void *context)
{
  const OpenDocument *document = value;
  OpenSearch *search = context;
  if (!document->is_desynced && str_equal(str_from(document->path), search->path))
    search->text = document->text;
}

// As the editor has it, else as it is on disk.
static bool read_file(Str path, Arena *arena, void *context, Str *ret_text)
{
  Session *session = context;
  OpenSearch search = { .path = path };
  map_each(session->documents, compare_path, &search);
  if (search.text) {
    *ret_text = document_slice(search.text, (Range){ 0, document_length(search.text) }, arena);
    return document_length(search.text) <= FILE_LIMIT;
  }
  Buffer text = { 0 };
  Str name = arena_copy(arena, path);
  bool is_read = read_whole_file(name.data, FILE_LIMIT, &text) == OK;
  if (is_read)
    *ret_text = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return is_read;
}

static bool is_set(const Session *session, const Folder *folder, const char *name)
{
  ValueKind client = value_kind(value_get(folder->client, name));
  ValueKind init = value_kind(value_get(session->init_options, name));
  return (client != VALUE_MISSING && client != VALUE_NULL) || (init != VALUE_MISSING && init != VALUE_NULL);
}

static ActionWorld world_around(const FeatureCall *call)
{
  Session *session = call->request->session;
  Arena *arena = call->answer.arena;
  Str path = uri_to_path(snapshot_uri(call->answer.snapshot), arena);
  const Folder *folder = workspace_folder(session, path);
  ActionWorld world = {
    .read_file = read_file,
    .read_file_context = session,
    .opset_is_set = is_set(session, folder, "opset"),
    .exporter_is_set = is_set(session, folder, "exporter"),
  };
  if (folder->path)
    world.settings_path = path_join(str_from(folder->path), STR(".onnxls.json"), arena);
  return world;
}

void answer_actions(FeatureCall *call, Writer *writer)
{
  const Document *document = snapshot_document(call->answer.snapshot);
  PosEncoding encoding = call->answer.client->encoding;
  Range range = { document_offset(document, call->params->range.start, encoding),
                  document_offset(document, call->params->range.end, encoding) };
  if (range.end < range.start)
    range.end = range.start;
  ActionWorld world = world_around(call);
  actions_write(writer, &call->answer, feature_actions(&call->feature, &world, range, call->params->action_kinds));
}

// --- Commands ---

static void on_done(Session *session, const Message *answer, void *context)
{
  if (answer && !message_result(answer))
    log_line(LOG_INFO, "the client did not do what a command asked for");
}

static void show_document(Session *session, Str uri)
{
  if (!session->client.shows_documents)
    return;
  Buffer params = { 0 };
  Writer writer = { .out = &params };
  writer_open(&writer, '{');
  writer_member_str(&writer, "uri", uri);
  writer_member_bool(&writer, "takeFocus", true);
  writer_close(&writer, '}');
  client_ask(session, "window/showDocument", buffer_str(&params), on_done, NULL);
  buffer_done(&params);
}

static void apply_edit(Session *session, Str edit)
{
  Buffer params = { 0 };
  Writer writer = { .out = &params };
  writer_open(&writer, '{');
  writer_key(&writer, "edit");
  writer_raw(&writer, edit);
  writer_close(&writer, '}');
  client_ask(session, "workspace/applyEdit", buffer_str(&params), on_done, NULL);
  buffer_done(&params);
}

static void run_apply_edit(FeatureCall *call)
{
  char *edit = value_dump(value_at(call->params->arguments, 1));
  if (edit && call->answer.client->applies_edits)
    apply_edit(call->request->session, str_from(edit));
  free(edit);
}

/// Never over a file that is there.
static bool write_new_file(const char *path, Str text)
{
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  bool is_good = true;
  for (size_t done = 0; done < text.len && is_good;) {
    ssize_t written = write(file, text.data + done, text.len - done);
    is_good = written >= 0 || errno == EINTR;
    done += written > 0 ? (size_t)written : 0;
  }
  return close(file) == 0 && is_good;
}

/// Is it a file that an action of this document may make? Nothing else is ever written.
static bool is_offered(const FeatureCall *call, Str path)
{
  Arena *arena = call->answer.arena;
  Str document = uri_to_path(snapshot_uri(call->answer.snapshot), arena);
  const Folder *folder = workspace_folder(call->request->session, document);
  size_t slash = str_rfind_char(path, '/');
  Str name = str_slice(path, slash + 1, path.len);
  Str root = str_from(folder->path);
  bool is_beside = document.len > 0 && str_rfind_char(document, '/') == slash &&
                   str_equal(str_slice(document, 0, slash), str_slice(path, 0, slash));
  bool is_in_root = root.len > 0 && str_equal(root, str_slice(path, 0, slash));
  if (str_equal(name, STR(".onnxls.json")))
    return is_in_root;
  return str_starts_with(name, STR("symbolic_")) && language_searching(name, IN_CODE) && (is_beside || is_in_root);
}

static void run_create_file(FeatureCall *call)
{
  Session *session = call->request->session;
  Str path;
  Str text;
  if (!value_to_str(value_at(call->params->arguments, 1), &path) ||
      !value_to_str(value_at(call->params->arguments, 2), &text) || !path_is_absolute(path) || !is_offered(call, path))
    return;
  path = arena_copy(call->answer.arena, path);
  if (!write_new_file(path.data, text)) {
    client_show(session, SHOW_ERROR, "onnxls can't write %s: %s", path.data, strerror(errno));
    return;
  }
  if (session->client.shows_documents)
    show_document(session, uri_from_path(path, call->answer.arena));
  else
    client_show(session, SHOW_INFO, "onnxls wrote %s", path.data);
}

/// As a new file of the editor's beside the dump; the client decides whether to keep it.
static void show_report(FeatureCall *call, Str text)
{
  Session *session = call->request->session;
  Arena *arena = call->answer.arena;
  Str path = uri_to_path(snapshot_uri(call->answer.snapshot), arena);
  if (path.len == 0 || !session->client.creates_files || !session->client.applies_edits)
    return;
  Str uri = uri_from_path(arena_printf(arena, "%.*s.unsupported.txt", STR_ARG(path)), arena);
  Buffer edit = { 0 };
  Writer writer = { .out = &edit };
  actions_write_new_file(&writer, uri, text);
  apply_edit(session, buffer_str(&edit));
  buffer_done(&edit);
  show_document(session, uri);
}

static Str last_name(Str uri, Arena *arena)
{
  Str path = uri_to_path(uri, arena);
  Str whole = path.len > 0 ? path : uri;
  size_t slash = str_rfind_char(whole, '/');
  return slash == STR_NOT_FOUND ? whole : str_slice(whole, slash + 1, whole.len);
}

static Str run_report(FeatureCall *call)
{
  Str text = feature_report(&call->feature, last_name(snapshot_uri(call->answer.snapshot), call->answer.arena));
  // A client that shows it by itself asks for the text alone.
  if (!call->answer.client->lists_unsupported)
    show_report(call, text);
  return text;
}

static void run_show(FeatureCall *call)
{
  Str uri;
  if (value_to_str(value_at(call->params->arguments, 1), &uri) && uri_to_path(uri, call->answer.arena).len > 0)
    show_document(call->request->session, uri);
}

void answer_command(FeatureCall *call, Writer *writer)
{
  Str text = { 0 };
  switch (server_command_find(call->params->command)) {
  case COMMAND_APPLY_EDIT:
    run_apply_edit(call);
    break;
  case COMMAND_CREATE_FILE:
    run_create_file(call);
    break;
  case COMMAND_REPORT:
    text = run_report(call);
    break;
  case COMMAND_SHOW:
    run_show(call);
    break;
  case COMMAND_COUNT:
    break;
  }
  if (text.len > 0)
    writer_str(writer, text);
  else
    writer_null(writer);
}
