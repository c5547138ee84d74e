/// "Suggested fixes" of a constraint violation, pasted somewhere, as edits of the Dims that an export call is given.
///
/// Ownership: everything lives in the arena, and borrows the texts.
/// Units:     byte offsets of the text that was given.
/// Errors:    a suggestion that can't be written in place of its Dim is left out.
/// Threads:   pure.
/// Sources:   torch/export/dynamic_shapes.py.
#pragma once

#include "core/action_job.h"
#include "why/suggested_fixes.h"

/// What becomes of the calls of Dim() in `code`, in order; returns how many. Nothing within `skipped` is looked at.
size_t suggested_dims_edit(const SuggestedDims *dims, Str code, Range skipped, Arena *arena,
                           const TextEdit **ret_edits);
/// Where the range touches such a list, or a Dim that it is about: the edits of this document, else of a file that a
/// traceback in it names.
void suggested_dims_act(ActionJob *job, Range range);
