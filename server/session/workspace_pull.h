/// `workspace/diagnostic`: what rules say of all files below the folders of the workspace, open or not.
///
/// A pull waits until settings and symbolic functions are known, walks the folders, and looks at files in batches on
/// the pool. Between two batches the client is told how far it is and, if it wants that, what was found. A result
/// belongs to a state of the file on disk (or a version of the open document) and to a target, so what did not change
/// is not read.
///
/// Ownership: the session owns its pulls, and a pull its request.
/// Errors:    a file that can't be read is left out; more files than the limits allow are said once.
/// Threads:   the loop thread; batches run on the pool, one of each pull at a time.
/// Sources:   LSP 3.17 "Workspace Diagnostics".
#pragma once

#include "session/documents.h"

typedef struct WorkspacePull WorkspacePull;
typedef struct PulledFiles PulledFiles;

extern const FeatureMethod workspace_pull_methods[];

/// Goes on with what waits. To be called once a turn.
void workspace_pull_turn(Session *session);
/// Files or targets are others than before: nothing that was found out about them counts any more.
void workspace_pull_note_change(Session *session);
/// Gives up those that are not on the pool; the others end when they come back.
void workspace_pull_stop(Session *session);
/// NULL is fine.
void pulled_files_free(PulledFiles *files);
