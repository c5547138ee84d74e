/// Work-done progress: what has begun always ends.
///
/// Ownership: progress_new() to progress_end().
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Work Done Progress".
#pragma once

#include "rpc/value.h"
#include "session/session.h"

typedef struct Progress Progress;

/// NULL if the client shows none. `title` is shown as it is.
Progress *progress_new(Session *session, const char *title);
/// Of a request that came with `token`, by which the client can cancel it.
Progress *progress_of_token(Session *session, const Value *token, const char *title);
void progress_report(Progress *progress, unsigned percent);
/// Ends it, however far it came. NULL is fine.
void progress_end(Progress *progress);
