/// Keys that a dict of a name gets after it is made: `options["opset"] = 13`, `table.update({key: value})`,
/// `options.update(opset=13)`.
///
/// Ownership: borrows the model.
/// Units:     nodes of the model.
/// Errors:    what may be changed in a way that is not read is not told.
/// Threads:   pure.
#pragma once

#include "python/model/python_model.h"

typedef struct KeySet {
  PyRef key;      ///< 0 if `value` is another dict, whose keys are set.
  PyRef value;    ///< Of the key.
  Str keyword;    ///< The key is a name: of `update(name=value)`.
  bool is_maybe;  ///< Only if something holds: in an `if`, a loop, a `try` that ends before.
  PyRef loop;     ///< In each turn of a `for`, and in nothing else; 0.
} KeySet;

/// Calls `visit`, unless it is NULL, with each key that is set after the name's only binding and before the statement
/// that `end` is in, on the way there, and after anything else that may change the dict. Whether there is nothing else.
bool keys_set_each(const PyModel *model, PyRef name, PyRef end, void (*visit)(const KeySet *, void *), void *context);

/// Whether `**options` of the call may hold that keyword: false where all keys are known that any branch on the way
/// there gives the dict, as in `dict(dynamo=False) if is_new else {}`.
bool keys_may_give(const PyModel *model, const PyCall *call, const char *keyword);

/// The text of a key; false if it is not known.
bool key_set_text(const PyModel *model, const KeySet *set, Arena *arena, Str *ret_text);
