/// What the actions about a refused operator share.
///
/// Ownership: borrows the job; what actions hold lives in its arena.
/// Errors:    an action that is not possible is not made.
/// Threads:   one job belongs to one thread.
#pragma once

#include "core/action_job.h"
#include "graph/features/hover_private.h"

typedef struct SupportJob {
  OperatorContext base;
  const ActionWorld *world;
  ActionJob *actions;
} SupportJob;

/// A symbolic function for the operator: in a new file, and in those that have some.
void action_add_stub(SupportJob *job, const Diagnostic *diagnostic, Place place);
