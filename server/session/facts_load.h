/// Reading the facts that settings name, on the pool: a large file takes seconds.
///
/// What was read is kept by host/overlays.h, so that targets are made of it at once afterwards. Nothing else may ask
/// that module meanwhile.
///
/// Ownership: the session owns the one that runs; it goes away by itself.
/// Errors:    mistakes in files are said when targets are made.
/// Threads:   the loop thread.
#pragma once

#include "host/settings.h"
#include "session/workspace_folders.h"

/// NULL if all of them were read before. The settings are those of each folder, and borrowed for the call; when it is
/// done, workspace_apply_changes() goes on.
FactsLoad *facts_load_start(Session *session, const Settings *settings, size_t count);
