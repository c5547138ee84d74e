#include "session/notebooks.h"

#include <stdlib.h>

#include "lsp/notebook_params.h"
#include "session/publish.h"
#include "session/state.h"
#include "text/magics.h"

/// The document of a cell.
typedef struct CellText {
  char *uri;
  bool is_python;
  int64_t version;
  Document *text;
} CellText;

/// A cell in its place; its text may come later.
typedef struct CellSlot {
  char *uri;
  bool is_code;
} CellSlot;

struct OpenNotebook {
  Vec(CellSlot) slots;  ///< In order.
  Vec(CellText) texts;
};

// --- Cells ---

static CellText *find_text(const OpenNotebook *notebook, Str uri)
{
  for (size_t i = 0; i < notebook->texts.count; i++) {
    if (str_equal(uri, str_from(notebook->texts.items[i].uri)))
      return &notebook->texts.items[i];
  }
  return NULL;
}

static void free_text(CellText *text)
{
  free(text->uri);
  document_release(text->text);
}

static void close_text(OpenNotebook *notebook, Str uri)
{
  CellText *text = find_text(notebook, uri);
  if (!text)
    return;
  free_text(text);
  *text = *vec_last(&notebook->texts);
  notebook->texts.count--;
}

static bool open_text(OpenNotebook *notebook, const DidOpen *open)
{
  Document *document;
  if (document_new(open->text, &document) != OK)
    return false;
  close_text(notebook, open->uri);
  const Language *language = language_of(document, open->language_id, (Str){ 0 });
  vec_push(&notebook->texts, (CellText){ .uri = xstrdup_str(open->uri),
                                         .is_python = language && (language->sets & IN_CODE) != 0,
                                         .version = open->version,
                                         .text = document });
  return true;
}

static bool change_text(OpenNotebook *notebook, const DidChange *change, PosEncoding encoding)
{
  CellText *text = find_text(notebook, change->uri);
  Document *document;
  if (!text || document_apply(text->text, change->changes, change->count, encoding, &document) != OK)
    return false;
  document_release(text->text);
  text->text = document;
  text->version = change->version;
  return true;
}

static bool splice_slots(OpenNotebook *notebook, const NotebookSplice *splice)
{
  size_t count = notebook->slots.count;
  if (splice->start > count || splice->delete_count > count - splice->start)
    return false;
  Vec(CellSlot) slots = { 0 };
  vec_append(&slots, notebook->slots.items, splice->start);
  for (size_t i = 0; i < splice->cell_count; i++)
    vec_push(&slots, (CellSlot){ xstrdup_str(splice->cells[i].uri), splice->cells[i].is_code });
  size_t rest = splice->start + splice->delete_count;
  for (size_t i = splice->start; i < rest; i++)
    free(notebook->slots.items[i].uri);
  vec_append(&slots, notebook->slots.items + rest, count - rest);
  vec_free(&notebook->slots);
  notebook->slots.items = slots.items;
  notebook->slots.count = slots.count;
  notebook->slots.capacity = slots.capacity;
  return true;
}

void notebook_free(OpenNotebook *notebook)
{
  if (!notebook)
    return;
  for (size_t i = 0; i < notebook->slots.count; i++)
    free(notebook->slots.items[i].uri);
  for (size_t i = 0; i < notebook->texts.count; i++)
    free_text(&notebook->texts.items[i]);
  vec_free(&notebook->slots);
  vec_free(&notebook->texts);
  free(notebook);
}

// --- The document of all code ---

static void append_cell(Buffer *code, const Document *text)
{
  Arena arena = { 0 };
  size_t start = code->len;
  buffer_append(code, document_slice(text, (Range){ 0, document_length(text) }, &arena));
  magics_neutralise(code->data + start, code->len - start);
  // Always: the empty line after a last line end is a line of the cell, too.
  buffer_append_char(code, '\n');
  arena_done(&arena);
}

/// All code cells in a row, and whose lines are whose.
static Status join_cells(const OpenNotebook *notebook, Document **ret_document, CellMap **ret_cells)
{
  Buffer code = { 0 };
  Vec(Cell) cells = { 0 };
  uint32_t line = 0;
  for (size_t i = 0; i < notebook->slots.count; i++) {
    const CellSlot *slot = &notebook->slots.items[i];
    const CellText *text = slot->is_code ? find_text(notebook, str_from(slot->uri)) : NULL;
    if (!text || !text->is_python)
      continue;
    vec_push(&cells, (Cell){ str_from(slot->uri), text->version, (uint32_t)i + 1, line });
    append_cell(&code, text->text);
    line += document_line_count(text->text);
  }
  Status status = document_new(buffer_str(&code), ret_document);
  if (status == OK)
    *ret_cells = cells_new(cells.items, cells.count);
  vec_free(&cells);
  buffer_done(&code);
  return status;
}

/// What the editor shows at cells that are gone goes, too.
static void clear_gone_cells(const OpenDocument *document, const CellMap *before)
{
  for (size_t i = 0; i < cells_count(before); i++) {
    const Cell *cell = cells_item(before, i);
    if (cells_find(document->cells, cell->uri))
      continue;
    publish_empty(document->session, cell->uri);
    map_remove(document->session->cells, cell->uri);
  }
}

static bool rebuild(OpenDocument *document)
{
  Document *text;
  CellMap *cells;
  if (join_cells(document->notebook, &text, &cells) != OK)
    return false;
  CellMap *before = document->cells;
  document->cells = cells;
  for (size_t i = 0; i < cells_count(cells); i++)
    map_put(document->session->cells, cells_item(cells, i)->uri, document);
  clear_gone_cells(document, before);
  documents_set_text(document, text, VERSION_UNKNOWN);
  cells_release(before);
  return true;
}

static bool take_params(OpenDocument *document, const NotebookParams *params)
{
  OpenNotebook *notebook = document->notebook;
  bool is_good = !params->has_splice || splice_slots(notebook, &params->splice);
  for (size_t i = 0; i < params->closed_count; i++)
    close_text(notebook, params->closed[i]);
  for (size_t i = 0; is_good && i < params->opened_count; i++)
    is_good = open_text(notebook, &params->opened[i]);
  for (size_t i = 0; is_good && i < params->changed_count; i++)
    is_good = change_text(notebook, &params->changed[i], document->session->client.encoding);
  return is_good && rebuild(document);
}

// --- Notifications ---

static void close_notebook(Session *session, OpenDocument *document)
{
  CellMap *cells = cells_retain(document->cells);
  for (size_t i = 0; i < cells_count(cells); i++) {
    publish_empty(session, cells_item(cells, i)->uri);
    map_remove(session->cells, cells_item(cells, i)->uri);
  }
  Str uri = str_from(document->uri);
  char *kept = xstrdup_str(uri);
  documents_close(session, uri);
  index_read_file(session, str_from(kept));
  free(kept);
  cells_release(cells);
}

OpenDocument *notebooks_find_cell(const Session *session, Str uri)
{
  return map_get(session->cells, uri);
}

/// NULL for one that is not open as a notebook.
static OpenDocument *find_notebook(const Session *session, Str uri)
{
  OpenDocument *document = map_get(session->documents, uri);
  return document && document->notebook ? document : NULL;
}

void notebooks_did_open(Session *session, Message *message, Request *request)
{
  Arena arena = { 0 };
  NotebookParams params;
  if (!notebook_params_read_open(message, &arena, &params)) {
    client_log(session, SHOW_WARNING, "notebookDocument/didOpen was ignored: its params are not those of this method");
  } else {
    OpenDocument *before = find_notebook(session, params.uri);
    if (before)
      close_notebook(session, before);
    OpenDocument *document = documents_start_notebook(session, params.uri, xcalloc(1, sizeof(OpenNotebook)));
    if (!take_params(document, &params))
      documents_lose_text(document, "its cells make no sense");
  }
  arena_done(&arena);
}

void notebooks_did_change(Session *session, Message *message, Request *request)
{
  Arena arena = { 0 };
  NotebookParams params;
  bool is_good = notebook_params_read_change(message, &arena, &params);
  OpenDocument *document = find_notebook(session, params.uri);
  if (!document)
    client_log(session, SHOW_WARNING, "notebookDocument/didChange was ignored: %.*s is not open", STR_ARG(params.uri));
  else if (!document->is_desynced && (!is_good || !take_params(document, &params)))
    documents_lose_text(document, "a change of its cells makes no sense");
  arena_done(&arena);
}

void notebooks_did_close(Session *session, Message *message, Request *request)
{
  Str uri = notebook_params_read_uri(message_params(message));
  OpenDocument *document = find_notebook(session, uri);
  if (document)
    close_notebook(session, document);
  else
    client_log(session, SHOW_WARNING, "notebookDocument/didClose was ignored: %.*s is not open", STR_ARG(uri));
}

void notebooks_did_save(Session *session, Message *message, Request *request)
{
  // What other files are told of it is what the disk has.
  index_read_file(session, notebook_params_read_uri(message_params(message)));
}
