/// What a lens above a graph or a module says: nodes, those that can't be exported, and what its inputs hold.
///
/// Ownership: titles are in the arena.
/// Units:     values and bytes of tensors, as far as their types say.
/// Threads:   pure.
#pragma once

#include "base/memory.h"
#include "base/vec.h"
#include "core/features.h"
#include "graph/model/graph_walk.h"

typedef struct LensCounts {
  uint64_t nodes;
  uint64_t refused;
  uint64_t values;  ///< Of all inputs whose sizes are known...
  uint64_t bytes;   ///< ...and what they take.
} LensCounts;

typedef Vec(Lens) LensVec;

/// Adds what the value that is defined there holds, if it is a tensor whose type says it.
void lens_counts_add(const FeatureContext *context, const GraphWalk *walk, Place definition, LensCounts *counts);
/// "14 nodes, 2 of them can't be exported | inputs: 1240 values, 5.0 KB"
Str lens_counts_title(const LensCounts *counts, Arena *arena);

/// Appends the lenses of the modules in a dump.
void lens_add_modules(const FeatureContext *context, LensVec *lenses);
