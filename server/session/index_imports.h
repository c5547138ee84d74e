/// Files of the index that have nothing for us but names which others import.
///
/// Ownership: `files` is that of the index, `wanted` has the paths of such files, there or not.
/// Errors:    a module that is nowhere stays unknown.
/// Threads:   the loop thread.
/// Sources:   docs/architecture.md, "The index of the workspace".
#pragma once

#include "base/map.h"
#include "core/workspace.h"
#include "session/session.h"

/// What an open document without a model tells those who import its names; NULL if nobody does.
WorkspaceFile *index_imports_read(Map *files, const Snapshot *snapshot, Str uri);
/// Has the modules read that a file imports and none is known of: a script finds those beside it and above it.
void index_imports_want(Session *session, Map *wanted, Str uri, const WorkspaceFile *file);
