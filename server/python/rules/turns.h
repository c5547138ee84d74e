/// The turns of loops and comprehensions that can be counted: `for i in range(3)`, `for x in (a, b)`. Private to
/// rules/.
///
/// Ownership: the models lie in the arena.
/// Units:     nodes of the model.
/// Errors:    false where it is not known how often a loop is run, or what its names are then.
/// Threads:   pure.
#pragma once

#include "base/limits.h"
#include "python/model/python_model.h"

typedef struct TurnModels {
  const PyModel *items[PY_EXPORT_NAME_LIMIT];  ///< Each with the names of the loop as that turn has them.
  size_t count;
} TurnModels;

/// `clause` is a `for` statement, or that of a comprehension.
bool turns_of(const PyModel *model, PyRef clause, Arena *arena, TurnModels *ret_turns);
