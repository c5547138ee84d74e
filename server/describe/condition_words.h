/// Conditions of outcomes in words: "`alpha` is computed in the graph".
///
/// Ownership: texts live in the arena.
/// Units:     elements and dimensions from 0, as in Python.
/// Errors:    an argument that the schemas don't agree on is "argument 2".
/// Threads:   pure.
/// Sources:   symbolics-db/README.md, "Outcomes".
#pragma once

#include "facts/symbolics.h"

/// What the arguments of a condition are called.
typedef struct ArgumentNames {
  const TorchOperator *op;  ///< NULL if torch has no schema.
  uint32_t torch_versions;  ///< Whose schemas count.
} ArgumentNames;

/// A clause, in which backticks mark code.
Str condition_words(const Condition *condition, ArgumentNames names, Arena *arena);
/// The reason without a node, whose values are named in place of being said.
Str condition_reason(const TorchOutcome *outcome, ArgumentNames names, Arena *arena);
