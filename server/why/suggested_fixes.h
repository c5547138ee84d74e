/// "Suggested fixes" of a constraint violation: what torch.export would have the Dims be.
///
/// Ownership: the list lives in the arena and borrows the text.
/// Units:     byte offsets of the text that was given.
/// Errors:    what is no suggestion ends the list.
/// Threads:   pure.
/// Sources:   torch/fx/experimental/symbolic_shapes.py DimConstraints.prettify_results.
#pragma once

#include "base/memory.h"
#include "text/position.h"

/// `seq = Dim('seq', max=512)`, `seq = 8*_seq`, `y = x`, `height = 224`
typedef struct SuggestedDim {
  Str name, value;
} SuggestedDim;

typedef struct SuggestedDims {
  const SuggestedDim *items;
  size_t count;
  Range range;  ///< Of the lines that say so, from the words of the heading on.
} SuggestedDims;

/// The first list of suggestions in the text; none if `count` is 0.
SuggestedDims suggested_fixes_read(Str text, Arena *arena);
/// The one of that name; NULL.
const SuggestedDim *suggested_fixes_find(const SuggestedDims *dims, Str name);
/// What the list says of a Dim, and of the one that it is made of: "seq = 8*_seq, _seq = Dim('_seq', max=64)"; empty if
/// it says nothing.
Str suggested_fixes_words(const SuggestedDims *dims, Str name, Arena *arena);
