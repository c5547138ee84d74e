/// Tuples that hold tensors in forward(), and their parts. Private to rules/.
///
/// Units:     nodes of the sink's Python file; parts are counted from 0.
/// Errors:    what is not sure is not a tensor.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// `[a, b]` and `[[a, -b], [b, a]]` with a tensor in it, and `[f(x) for x in y]` of tensors; no names.
bool forward_is_list_of_tensors(Forward *forward, PyRef node);
/// `a, b = value`: whether the part at that position is a tensor.
bool forward_is_tensor_part(Forward *forward, PyRef value, uint32_t position, int depth);
/// Whether it is a tensor as one of two that a function gives: `x.max(1).values`, `found.indices`.
bool forward_is_named_part(Forward *forward, PyRef node, int depth);
/// The same of `x.topk(3)[0]`, and of a tuple that is written out.
bool forward_is_indexed_part(Forward *forward, PyRef node, int depth);
