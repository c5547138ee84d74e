/// Where a file uses what a call gave: the call itself, and the name that it is assigned to.
///
/// Ownership: nothing is kept.
/// Units:     nodes of the model's tree.
/// Errors:    uses that are not sure to be of that value are left out.
/// Threads:   pure functions.
#pragma once

#include "python/model/python_model.h"

/// Calls `visit` with each of these nodes, in the order of the text.
void result_each_use(const PyModel *model, const PyCall *call, void (*visit)(void *context, PyRef node), void *context);
