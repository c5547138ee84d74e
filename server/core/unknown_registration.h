/// Registrations whose name is not known, as `register_custom_op_symbolic(name, f, 9)` is: they may be for any
/// operator of their project.
///
/// Units:     as core/workspace.h.
/// Threads:   pure.
#pragma once

#include "core/workspace.h"

/// Under this name a summary keeps them, one for each file; no operator has it.
#define UNKNOWN_REGISTRATION "*"

/// One that may be for an operator of the document at `uri`, at some of the opsets from `first` to `last`, where
/// `others` have functions that are known: of those files where one's folder is in that of the other. NULL.
const WorkspaceSymbolic *unknown_registration_near(const Workspace *workspace, Str uri, OpsetSet others, int first,
                                                   int last);
/// " It can if it is what 'names.py' registers a function for, by a name that is not known."
Str unknown_registration_words(const WorkspaceSymbolic *unknown, Arena *arena);
