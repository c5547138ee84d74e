/// What in forward() depends on the values of tensors, which no export knows: Python numbers that come out of them, and
/// sizes that they decide. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not sure depends on nothing.
/// Threads:   as DiagSink.
/// Sources:   run with torch 2.14.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Whether it has as many elements as values of its input say: nonzero(), masked_select(), unique(), x[x > 0].
bool forward_has_unknown_size(Forward *forward, PyRef node);
/// Whether a condition compares `name.numel()`, `len(name)`, `name.shape[0]` or `name.size(0)`.
bool forward_asks_size_of(const PyTree *tree, PyRef condition, Str name);
/// Whether it is a Python number that depends on values, or a tensor where Python asks for its truth.
bool forward_is_data_dependent(Forward *forward, PyRef node);
bool forward_is_tensor_or_data(Forward *forward, PyRef node);
/// Whether it is a list of such numbers: x.tolist().
bool forward_is_list_of_data(Forward *forward, PyRef node);
/// Whether Python has to know the value of a tensor to decide.
bool forward_is_decided_by_data(Forward *forward, PyRef condition);
/// Whether it has to know a size that values decide: `found.shape[0] > 0`, len(found).
bool forward_is_decided_by_size(Forward *forward, PyRef condition);
