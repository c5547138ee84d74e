/// Actions that add comments which switch a rule off.
///
/// Ownership: as in core/action_job.h.
/// Errors:    an action that is not possible is not made.
/// Threads:   as in core/action_job.h.
/// Sources:   docs/suppression.md.
#pragma once

#include "core/action_job.h"

/// For the diagnostic's line.
void action_ignore_line(ActionJob *job, const Diagnostic *diagnostic);
/// For the whole file.
void action_ignore_file(ActionJob *job, const Diagnostic *diagnostic);
