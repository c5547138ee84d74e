/// From edits to snapshots: what is analysed when, and where.
///
/// Threads:   the loop thread; pieces of a large text are read on the pool.
/// Sources:   docs/architecture.md, "A request's way".
#pragma once

#include "session/documents.h"

/// Does what can be done now for each document: analysis, waiting requests, diagnostics.
void analysis_pump_all(Session *session);
/// Runs the request when the document's present text was analysed; the document holds it until then.
void analysis_await(OpenDocument *document, Request *request);
/// An edit happened (or an opening): plans diagnostics.
void analysis_plan(OpenDocument *document, bool is_edit);
/// The document goes away: gives up what is in flight, and answers who waits.
void analysis_abandon(OpenDocument *document);
/// When the next planned thing is due; 0 if none.
uint64_t analysis_next_due(const Session *session);
