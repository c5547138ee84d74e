/// Sets of opsets, which one of a set an export chooses, and their words.
///
/// Units:     bit n stands for opset n of the ai.onnx domain.
/// Ownership: texts live in the arena.
/// Threads:   pure.
/// Sources:   torch.onnx._internal.registration for which function an export chooses.
#pragma once

#include "base/memory.h"

typedef uint64_t OpsetSet;

enum { OPSET_LIMIT = 63 };  ///< The highest in a set.

#define OPSET_SET_ALL UINT64_MAX

/// Only that opset; the empty set if it is out of range.
static inline OpsetSet opset_set_of(int opset)
{
  return opset >= 0 && opset <= OPSET_LIMIT ? (OpsetSet)1 << opset : 0;
}

static inline bool opset_set_has(OpsetSet set, int opset)
{
  return (set & opset_set_of(opset)) != 0;
}

/// True when the set has more than one opset.
static inline bool opset_set_has_many(OpsetSet set)
{
  return (set & (set - 1)) != 0;
}

/// From `low` to `high`, both included; empty if there is nothing between them.
OpsetSet opset_set_range(int low, int high);
/// The lowest opset of the set; 0 if it is empty.
static inline int opset_set_first(OpsetSet set)
{
  return set ? __builtin_ctzll(set) : 0;
}

/// for (OPSET_SET_EACH(opset, set)) ...: from the lowest on, but for 0.
#define OPSET_SET_EACH(opset, set)                                                                                     \
  int opset = opset_set_first((set) & ~(OpsetSet)1);                                                                   \
  opset > 0;                                                                                                           \
  opset = opset_set_first((set) & ~(OpsetSet)1 << opset)

/// The registered opset whose function an export to `opset` takes; 0 for none.
int opset_set_dispatch(OpsetSet registered, int opset);
/// The opsets from `first` to `last` at which an export takes one of `mine`, where functions are registered for `mine`
/// and `others`.
OpsetSet opset_set_served(OpsetSet mine, OpsetSet others, int first, int last);
/// "7-8, 11-20"; empty for no opset.
Str opset_set_text(OpsetSet set, Arena *arena);
/// "9 to 20", "13", "9 to 10 and 13"
Str opset_set_words(OpsetSet set, Arena *arena);
/// "opset 13", "opsets 9 to 20"
Str opset_set_phrase(OpsetSet set, Arena *arena);
