/// Where an edit goes that a pasted message asks for: the code beside it, else a file that a traceback names.
///
/// Ownership: everything lives in the job's arena.
/// Units:     byte offsets of the text that is edited.
/// Errors:    a file that can't be read is passed over.
/// Threads:   as ActionWorld.read_file.
/// Sources:   CPython Lib/traceback.py for `File "..."`.
#pragma once

#include "core/action_job.h"

/// What `wish` makes of `code`, in order; returns how many edits. Nothing within `skipped` is looked at.
typedef size_t (*PastedCodeEdit)(const void *wish, Str code, Range skipped, Arena *arena, const TextEdit **ret_edits);

/// Of the files that tracebacks in `text` name, the first of somebody's own that `edit` changes; false if there is
/// none.
bool pasted_code_in_files(ActionJob *job, Str text, PastedCodeEdit edit, const void *wish, FileChange *ret_change);
/// Of a line that is longer than any that people write, a place within.
size_t pasted_code_line_start(Str code, size_t at);
/// Whether a comment begins before `at` on its line.
bool pasted_code_is_comment(Str code, size_t at);
