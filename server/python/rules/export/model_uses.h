/// What a Python file tells others of models: the modules that it defines, and those of other files that its exports
/// and its modules run. Private to rules/, but for the language's summary.
///
/// Ownership: what is told lies in the summary's arena.
/// Errors:    what is not sure is left out.
/// Threads:   any, with a snapshot of its own.
/// Sources:   what torch.nn.Module.__call__ runs.
#pragma once

#include "core/workspace.h"

/// Adds the modules and their uses to the summary of the snapshot's file.
void model_uses_summarize(const Snapshot *snapshot, WorkspaceFile *file);
