/// "Suggested fixes" of a constraint violation, pasted somewhere, as edits of the Dims that an export call is given.
///
/// Ownership: everything lives in the arena, and borrows the texts.
/// Units:     byte offsets of the text that was given.
/// Errors:    a suggestion that can't be written in place of its Dim is left out.
/// Threads:   pure.
/// Sources:   torch/fx/experimental/symbolic_shapes.py DimConstraints.prettify_results, torch/export/dynamic_shapes.py.
#pragma once

#include "core/action_job.h"

/// `seq = Dim('seq', max=512)`, `seq = 8*_seq`, `y = x`, `height = 224`
typedef struct SuggestedDim {
  Str name, value;
} SuggestedDim;

typedef struct SuggestedDims {
  const SuggestedDim *items;
  size_t count;
  Range range;  ///< Of the lines that say so, the heading too.
} SuggestedDims;

/// The first list of suggestions in the text; none if `count` is 0.
SuggestedDims suggested_dims_read(Str text, Arena *arena);
/// What becomes of the calls of Dim() in `code`, in order; returns how many. Nothing within `skipped` is looked at.
size_t suggested_dims_edit(const SuggestedDims *dims, Str code, Range skipped, Arena *arena,
                           const TextEdit **ret_edits);
/// Where the range touches such a list, or a Dim that it is about: the edits of this document, else of a file that a
/// traceback in it names.
void suggested_dims_act(ActionJob *job, Range range);
