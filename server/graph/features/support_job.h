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
void support_add_stub(SupportJob *job, const Diagnostic *diagnostic, Place place);
/// A function for a custom_translation_table, in a new file, for what the dynamo exporter has no function for.
void support_add_translation(SupportJob *job, const Diagnostic *diagnostic);
/// "PREFIX_FUNCTION.py", which no file has, beside the dump; for a dump without a file, where the settings would be.
bool support_new_file(const SupportJob *job, const char *prefix, Str function, Str *ret_name, Str *ret_path);
/// An action that puts text into a file.
void support_write_file(SupportJob *job, const Diagnostic *diagnostic, Str title, FileChange change, size_t at,
                        Str text);
