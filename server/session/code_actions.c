#include "session/code_actions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "host/log.h"
#include "host/read_file.h"
#include "host/settings.h"
#include "lsp/actions_json.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

// --- What is around a document ---

typedef struct OpenText {
  Str path;
  Document *text;  ///< Retained.
} OpenText;

struct ActionTexts {
  Vec(OpenText) open;
  Arena arena;
  ActionWorld world;
  bool is_too_large;  ///< A file that was asked for is over the limit.
};

static void gather_text(Str uri, void *value, void *context)
{
  const OpenDocument *document = value;
  ActionTexts *texts = context;
  Str path = str_from(document->path);
  if (document->is_desynced || document->notebook || path.len == 0)
    return;
  OpenText open = { arena_copy(&texts->arena, path), document_retain(document->text) };
  vec_push(&texts->open, open);
}

void action_texts_free(ActionTexts *texts)
{
  if (!texts)
    return;
  for (size_t i = 0; i < texts->open.count; i++)
    document_release(texts->open.items[i].text);
  vec_free(&texts->open);
  arena_done(&texts->arena);
  free(texts);
}

/// By path: one file has many spellings of its URI. NULL if no editor has it.
static const Document *find_open(const ActionTexts *texts, Str path)
{
  for (size_t i = 0; i < texts->open.count; i++) {
    if (str_equal(texts->open.items[i].path, path))
      return texts->open.items[i].text;
  }
  return NULL;
}

// As the editor has it, else as it is on disk. On any thread.
static bool read_file(Str path, Arena *arena, void *context, Str *ret_text)
{
  ActionTexts *texts = context;
  const Document *open = find_open(texts, path);
  if (open && document_length(open) <= EDITED_FILE_LIMIT) {
    *ret_text = document_slice(open, (Range){ 0, document_length(open) }, arena);
    return true;
  }
  Buffer text = { 0 };
  Str name = arena_copy(arena, path);
  Status status = open ? ERR_LIMIT : read_whole_file(name.data, EDITED_FILE_LIMIT, &text);
  if (status == OK)
    *ret_text = arena_copy(arena, buffer_str(&text));
  texts->is_too_large |= status == ERR_LIMIT;
  buffer_done(&text);
  return status == OK;
}

static bool is_set(const Session *session, const Folder *folder, const char *name)
{
  ValueKind client = value_kind(value_get(folder->client, name));
  ValueKind init = value_kind(value_get(session->init_options, name));
  return (client != VALUE_MISSING && client != VALUE_NULL) || (init != VALUE_MISSING && init != VALUE_NULL);
}

void code_actions_gather(Request *request)
{
  Session *session = request->session;
  ActionTexts *texts = xcalloc(1, sizeof(*texts));
  Str path = uri_to_path(snapshot_uri(request->snapshot), &texts->arena);
  const Folder *folder = workspace_folder(session, path);
  map_each(session->documents, gather_text, texts);
  texts->world = (ActionWorld){
    .read_file = read_file,
    .read_file_context = texts,
    .opset_is_set = is_set(session, folder, "opset"),
    .exporter_is_set = is_set(session, folder, "exporter"),
  };
  if (folder->path)
    texts->world.settings_path = path_join(str_from(folder->path), STR(SETTINGS_FILE_NAME), &texts->arena);
  request->texts = texts;
  request->params.world = &texts->world;
}

void code_actions_say_limits(Request *request)
{
  if (request->texts && request->texts->is_too_large)
    client_say_limit(request->session, LIMIT_EDITED, "onnxls offers no action that edits a file of more than 4 MB");
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

static void run_apply_edit(Request *request)
{
  char *edit = value_dump(value_at(request->params.arguments, 1));
  if (edit && request->session->client.applies_edits)
    apply_edit(request->session, str_from(edit));
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

/// Whether it is a file that an action of this document may make. Nothing else is ever written.
static bool is_offered(Request *request, Str path)
{
  Arena *arena = &request->arena;
  Str document = uri_to_path(snapshot_uri(request->snapshot), arena);
  const Folder *folder = workspace_folder(request->session, document);
  size_t slash = str_rfind_char(path, '/');
  Str name = str_slice(path, slash + 1, path.len);
  Str root = str_from(folder->path);
  bool is_beside = document.len > 0 && str_rfind_char(document, '/') == slash &&
                   str_equal(str_slice(document, 0, slash), str_slice(path, 0, slash));
  bool is_in_root = root.len > 0 && str_equal(root, str_slice(path, 0, slash));
  if (str_equal(name, STR(SETTINGS_FILE_NAME)))
    return is_in_root;
  bool is_ours = str_starts_with(name, STR("symbolic_")) || str_starts_with(name, STR("translation_"));
  return is_ours && language_searching(name, IN_CODE) && (is_beside || is_in_root);
}

static void run_create_file(Request *request)
{
  Session *session = request->session;
  Str path;
  Str text;
  if (!value_to_str(value_at(request->params.arguments, 1), &path) ||
      !value_to_str(value_at(request->params.arguments, 2), &text) || !path_is_absolute(path) ||
      !is_offered(request, path))
    return;
  path = arena_copy(&request->arena, path);
  if (!write_new_file(path.data, text)) {
    client_show(session, SHOW_ERROR, "onnxls can't write %s: %s", path.data, strerror(errno));
    return;
  }
  if (session->client.shows_documents)
    show_document(session, uri_from_path(path, &request->arena));
  else
    client_show(session, SHOW_INFO, "onnxls wrote %s", path.data);
}

/// As a new file of the editor's beside the dump; the client decides whether to keep it.
static void show_report(Request *request, Str text)
{
  Session *session = request->session;
  Arena *arena = &request->arena;
  Str path = uri_to_path(snapshot_uri(request->snapshot), arena);
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
  return str_after_last(whole, '/');
}

static void run_show(Request *request)
{
  Str uri;
  if (value_to_str(value_at(request->params.arguments, 1), &uri) && uri_to_path(uri, &request->arena).len > 0)
    show_document(request->session, uri);
}

// --- Their row ---

static void compute_command(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  if (actions_command_find(params->command) == COMMAND_REPORT)
    ret_result->text = feature_report(context, last_name(snapshot_uri(context->snapshot), context->arena));
}

static void write_command(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  if (result->text.len > 0)
    writer_str(writer, result->text);
  else
    writer_null(writer);
}

// What it asks the client for comes before its answer.
static void run_command(Request *request)
{
  switch (actions_command_find(request->params.command)) {
  case COMMAND_APPLY_EDIT:
    run_apply_edit(request);
    break;
  case COMMAND_CREATE_FILE:
    run_create_file(request);
    break;
  case COMMAND_REPORT:
    // A client that shows it by itself asks for the text alone.
    if (!request->session->client.lists_unsupported)
      show_report(request, request->result.text);
    break;
  case COMMAND_SHOW:
    run_show(request);
    break;
  case COMMAND_COUNT:
    break;
  }
}

const FeatureMethod command_methods[] = {
  { .name = "workspace/executeCommand",
    .cost = COST_TEXT,
    .empty = "null",
    .read = params_read_command,
    .compute = compute_command,
    .write = write_command,
    .after = run_command },
  { 0 },
};
