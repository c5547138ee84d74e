/// Notebooks that an editor has open: their cells are kept in step, and their code is one document of the session.
///
/// Ownership: a notebook belongs to its OpenDocument.
/// Errors:    an edit that makes no sense is said once, and the notebook is silent until it is opened again.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Notebook Document Synchronization".
#pragma once

#include "session/documents.h"

void notebooks_did_open(Session *session, Message *message, Request *request);
void notebooks_did_change(Session *session, Message *message, Request *request);
void notebooks_did_close(Session *session, Message *message, Request *request);
void notebooks_did_save(Session *session, Message *message, Request *request);
/// The document with this cell; NULL if no open notebook has it.
OpenDocument *notebooks_find_cell(const Session *session, Str uri);
/// NULL is fine.
void notebook_free(OpenNotebook *notebook);
