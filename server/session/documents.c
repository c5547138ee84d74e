#include "session/documents.h"

#include <stdlib.h>

#include "session/analysis.h"
#include "session/notebooks.h"
#include "session/publish.h"
#include "session/state.h"
#include "text/path.h"
#include "text/uri.h"

/// Not as the cell of a notebook, which is kept in step otherwise.
static OpenDocument *find_text(const Session *session, Str uri)
{
  return map_get(session->documents, uri);
}

OpenDocument *documents_find(const Session *session, Str uri)
{
  OpenDocument *document = find_text(session, uri);
  return document ? document : notebooks_find_cell(session, uri);
}

static void free_document(OpenDocument *document)
{
  analysis_abandon(document);
  document_release(document->text);
  snapshot_release(document->snapshot);
  tokens_data_release(document->tokens);
  vec_free(&document->waiting);
  notebook_free(document->notebook);
  cells_release(document->cells);
  free(document->uri);
  free(document->path);
  free(document->language_id);
  free(document);
}

void documents_close(Session *session, Str uri)
{
  OpenDocument *document = map_remove(session->documents, uri);
  if (document)
    free_document(document);
}

static void close_visited(Str uri, void *value, void *context)
{
  Session *session = context;
  map_remove(session->documents, uri);
  free_document(value);
}

void documents_close_all(Session *session)
{
  map_each(session->documents, close_visited, session);
}

static void set_text(OpenDocument *document, Document *text, int64_t version)
{
  document_release(document->text);
  document->text = text;
  document->version = version;
  document->stamp = document->session->next_stamp++;
}

// Says so once, and keeps quiet about the document until its text is known again.
static void lose_text(OpenDocument *document, int64_t version, const char *why)
{
  if (!document->is_desynced)
    client_show(document->session, SHOW_ERROR,
                "onnxls lost track of %s: %s. It answers again when the file is reopened or sent as a whole.",
                document->uri, why);
  document->is_desynced = true;
  document->version = version;
  analysis_abandon(document);
  publish_empty(document->session, str_from(document->uri));
}

static char *path_of(Str uri)
{
  Arena arena = { 0 };
  Str path = uri_to_path(uri, &arena);
  char *copy = xstrdup_str(path.len > 0 ? path_normalize(path, &arena) : path);
  arena_done(&arena);
  return copy;
}

static OpenDocument *new_document(Session *session, Str uri, Str language_id)
{
  OpenDocument *document = xcalloc(1, sizeof(*document));
  document->session = session;
  document->uri = xstrdup_str(uri);
  document->path = path_of(uri);
  document->language_id = xstrdup_str(language_id);
  map_put(session->documents, uri, document);
  return document;
}

static void start_document(Session *session, const DidOpen *open, Document *text)
{
  OpenDocument *document = new_document(session, open->uri, open->language_id);
  set_text(document, text, open->version);
  analysis_plan(document, false);
}

OpenDocument *documents_start_notebook(Session *session, Str uri, OpenNotebook *notebook)
{
  if (find_text(session, uri))
    documents_close(session, uri);
  OpenDocument *document = new_document(session, uri, STR("python"));
  document->notebook = notebook;
  return document;
}

void documents_set_text(OpenDocument *document, Document *text, int64_t version)
{
  bool is_edit = document->text != NULL;
  set_text(document, text, version);
  analysis_plan(document, is_edit);
}

void documents_lose_text(OpenDocument *document, const char *why)
{
  lose_text(document, document->version, why);
}

void documents_did_open(Session *session, Message *message, Request *request)
{
  DidOpen open;
  if (!document_params_read_open(message, &open)) {
    client_log(session, SHOW_WARNING, "didOpen was ignored: its params are not those of this method");
    return;
  }
  if (find_text(session, open.uri)) {
    client_log(session, SHOW_WARNING, "%.*s was opened twice; the new text counts", STR_ARG(open.uri));
    documents_close(session, open.uri);
  }
  // The text becomes the document without another copy of it: everything else it came with is small.
  char *text = message_take_text(message, open.text);
  Document *document;
  if (document_new_taking(text, open.text.len, &document) == OK)
    start_document(session, &open, document);
  else
    client_show(session, SHOW_ERROR, "%.*s is too large for onnxls", STR_ARG(open.uri));
}

static void note_version(const OpenDocument *document, int64_t version)
{
  if (version != VERSION_UNKNOWN && document->version != VERSION_UNKNOWN && version <= document->version)
    client_log(document->session, SHOW_WARNING, "version %lld of %s came after version %lld", (long long)version,
               document->uri, (long long)document->version);
}

// A full text makes up for everything before it, so only what follows the last one counts.
static void skip_to_last_full(DidChange *change, bool *ret_has_full)
{
  for (size_t i = change->count; i-- > 0;) {
    if (!change->changes[i].is_full)
      continue;
    change->changes += i;
    change->count -= i;
    *ret_has_full = true;
    return;
  }
  *ret_has_full = false;
}

static void apply_change(OpenDocument *document, DidChange *change)
{
  bool has_full;
  Document *text;
  skip_to_last_full(change, &has_full);
  if (document->is_desynced && !has_full) {
    document->version = change->version;
    return;
  }
  Status status =
      document_apply(document->text, change->changes, change->count, document->session->client.encoding, &text);
  if (status != OK) {
    lose_text(document, change->version, status == ERR_LIMIT ? "it is too large now" : "an edit made no sense");
    return;
  }
  document->is_desynced = false;
  set_text(document, text, change->version);
  analysis_plan(document, true);
}

void documents_did_change(Session *session, Message *message, Request *request)
{
  Arena arena = { 0 };
  DidChange change;
  bool is_good = document_params_read_change(message, &arena, &change);
  OpenDocument *document = find_text(session, change.uri);
  if (!document) {
    client_log(session, SHOW_WARNING, "didChange was ignored: %.*s is not open", STR_ARG(change.uri));
  } else if (!is_good) {
    lose_text(document, change.version, "an edit could not be read");
  } else {
    note_version(document, change.version);
    apply_change(document, &change);
  }
  arena_done(&arena);
}

void documents_did_close(Session *session, Message *message, Request *request)
{
  Str uri = document_params_read_uri(message_params(message));
  if (!find_text(session, uri)) {
    client_log(session, SHOW_WARNING, "didClose was ignored: %.*s is not open", STR_ARG(uri));
    return;
  }
  publish_empty(session, uri);
  documents_close(session, uri);
  index_read_file(session, uri);
}

void documents_did_save(Session *session, Message *message, Request *request)
{
  workspace_on_saved(session, document_params_read_uri(message_params(message)));
}
