/// What the files of the workspace tell each other, open or not.
///
/// Ownership: the session owns its index.
/// Errors:    what can't be read tells nothing.
/// Threads:   the loop thread; files are read on the pool.
/// Sources:   docs/architecture.md, "The index of the workspace".
#pragma once

#include "core/workspace.h"
#include "session/documents.h"

typedef struct Index Index;

Index *index_new(void);
/// Nothing must be on the pool any more. NULL is fine.
void index_free(Index *index);
/// True while something is read in the background.
bool index_is_busy(const Index *index);
/// The newest of all files; borrowed until the next call. NULL for nothing.
const Workspace *index_workspace(Session *session);
/// True when the file at `uri` tells the others anything.
bool index_has(const Session *session, Str uri);
/// Folders or settings changed: reads the Python files and dumps of other folders than before, in the background.
void index_update(Session *session);
/// A new snapshot of an open document is there. What dumps use is a number for others to show: it is counted when
/// somebody asks, or nobody types.
void index_take(OpenDocument *document);
/// Takes what waits for that.
void index_take_waiting(Session *session);
/// A file changed on disk, or its document was closed: what is on disk counts.
void index_read_file(Session *session, Str uri);
/// Gives up what runs.
void index_stop(Session *session);
