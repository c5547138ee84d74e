/// Writes into what shares memory with another tensor: `x[0].add_(1)`, `x.t().add_(1)`.
///
/// The exporter turns a write into a part, which select and slice of the same statement give, into an index_put into
/// all of the tensor. What other views give it takes for values of their own, and parts that were taken before, too, so
/// that the tensor never sees the write.
///
/// Ownership: borrows the walk.
/// Units:     places as in dump.h.
/// Errors:    what can't be found is no such write. Unknown where lines don't say which statement they come from.
/// Threads:   pure.
/// Sources:   torch 1.13.1, 2.6.0 and 2.14.1, torch/csrc/jit/passes/onnx/remove_inplace_ops_for_onnx.cpp and
///            preprocess_for_onnx.cpp; each operator of part_writes.txt and each view was tried with an export.
#pragma once

#include "graph/model/graph_walk.h"
#include "outcome/truth.h"

/// Whether an operator of that name makes a value that others write into: a part, a view, or the parts of a list.
bool part_writes_op_shares(Str op);

/// Whether the node changes, in place, a view that is a value of its own to the exporter.
bool part_writes_to_own_value(const GraphWalk *walk, Place node);
/// Whether the node changes, in place, a part of a tensor that is used after it. If the tensor is not used again, what
/// is written back is dead code.
Truth part_writes_back(const GraphWalk *walk, Place node);
/// Whether the node changes, in place, a view of a tensor that is used after it and stays as it was in the model.
Truth part_writes_are_lost(const GraphWalk *walk, Place node);
