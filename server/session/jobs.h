/// Features at work: those that look at little on the loop, the others on the pool with all they need in their hands.
///
/// Ownership: takes over the request.
/// Threads:   the loop thread calls; what a job sees is immutable.
/// Sources:   docs/architecture.md, "A request's way".
#pragma once

#include "session/documents.h"

/// Answers a request about a document from its snapshot (retained here).
void job_run(Request *request, OpenDocument *document);
/// The same about a file of the index that no editor has open, as it is on disk; false if there is no such file: then
/// the request stays the caller's.
bool job_run_closed(Request *request);
/// The same about no document.
void job_run_workspace(Request *request);
void job_start_waiting(Session *session);
