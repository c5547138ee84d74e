/// The open documents, kept in step with the client.
///
/// Ownership: the session owns them, by URI; documents_find() lends.
/// Units:     times are uv_now() in ms where not said otherwise.
/// Errors:    an edit that makes no sense is said once, and the document is silent until its text is known again.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Text Document Synchronization".
#pragma once

#include "base/vec.h"
#include "lsp/document_params.h"
#include "session/request.h"

typedef struct Analysis Analysis;          // session/analysis.c
typedef struct Check Check;                // session/publish.c
typedef struct OpenNotebook OpenNotebook;  // session/notebooks.c

typedef struct OpenDocument {
  Session *session;
  char *uri;
  char *path;  ///< Empty if the URI is not a file.
  char *language_id;
  int64_t version;
  Document *text;
  OpenNotebook *notebook;  ///< Of whose code the text is made; NULL for other documents.
  CellMap *cells;          ///< Of `text`; NULL for other documents.
  uint64_t stamp;          ///< A number of its own for each text of the session.
  bool is_desynced;        ///< An edit made no sense: no answers until the text is known again.
  Snapshot *snapshot;      ///< The newest that was made; NULL before the first.
  Analysis *analysis;      ///< In flight on the pool; NULL if none.
  Check *check;            ///< The same.
  Vec(Request *) waiting;  ///< For analysis, in the order they came.
  TokenData *tokens;       ///< The last answer to semanticTokens; NULL if none.
  bool is_due;             ///< Diagnostics should be made now.
  bool is_untold;          ///< The index has not taken the snapshot yet.
  uint64_t due_at;         ///< When they should be made; 0 if nothing is planned.
  uint64_t dirty_since;    ///< Of the first edit they do not show.
  unsigned streak;         ///< How many edits they do not show.
  double cost_ms;          ///< What an analysis after an edit took lately.
  uint64_t checked_stamp;  ///< Folder.stamp of what the last diagnostics were made against; 0 before the first.
  size_t found;            ///< How many there were in all, shown or not.
  bool has_said_hidden;    ///< That there are more diagnostics than the limit.
  bool has_said_unread;    ///< That a limit left something out.
} OpenDocument;

void documents_did_open(Session *session, Message *message, Request *request);
void documents_did_change(Session *session, Message *message, Request *request);
void documents_did_close(Session *session, Message *message, Request *request);
void documents_did_save(Session *session, Message *message, Request *request);
/// By its URI or that of one of its cells; NULL if it is not open.
OpenDocument *documents_find(const Session *session, Str uri);
void documents_close_all(Session *session);

// For notebooks:

/// A document without text yet; takes over the notebook.
OpenDocument *documents_start_notebook(Session *session, Str uri, OpenNotebook *notebook);
/// Takes over the text, which is analysed soon.
void documents_set_text(OpenDocument *document, Document *text, int64_t version);
void documents_close(Session *session, Str uri);
/// No answers until it is opened again; `why` is said once.
void documents_lose_text(OpenDocument *document, const char *why);
