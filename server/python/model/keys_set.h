/// Keys that a dict of a name gets after it is made: `options["opset"] = 13`, `table.update({key: value})`.
///
/// Ownership: borrows the model.
/// Units:     nodes of the model.
/// Errors:    what may be changed in a way that is not read is not told.
/// Threads:   pure.
#pragma once

#include "python/model/python_model.h"

typedef struct KeySet {
  PyRef key;
  PyRef value;
} KeySet;

/// Calls `visit` with each key that is set in the block of the name's only binding, before the statement that `end` is
/// in, and after anything else that may change the dict.
void keys_set_each(const PyModel *model, PyRef name, PyRef end, void (*visit)(const KeySet *, void *), void *context);
