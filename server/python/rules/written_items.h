/// The elements of lists and tuples that are put together of what is written out. Private to rules/.
///
/// Units:     nodes of the model.
/// Errors:    false where an element may not be known.
/// Threads:   pure.
#pragma once

#include "base/limits.h"
#include "python/model/python_model.h"

typedef struct WrittenItems {
  PyRef items[PY_EXPORT_NAME_LIMIT];  ///< Of `[x for _ in range(3)]` three times the same.
  size_t count;
} WrittenItems;

/// Those of `[a, b]`, `(a, *pair)`, `list(inputs)`, `tuple(inputs.values())`, `[make() for _ in range(3)]`.
bool written_items(const PyModel *model, PyRef node, WrittenItems *ret_items);
/// The list that `list(x)` makes, or the tuple of `tuple(x)`: the call; NULL for other expressions.
const PyCall *written_copy(const PyModel *model, PyRef node, const char *type);
/// The dict that is written out and that `inputs.items()`, or the method of another name, is of; 0.
PyRef written_dictionary_of(const PyModel *model, PyRef node, const char *method);
