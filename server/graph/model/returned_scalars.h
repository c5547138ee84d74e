/// Whether a tensor without dimensions gets to a result of the graph with the type that the exporter gave it.
///
/// What the exporter computes of Doubles without a dimension is a Float. It inserts a conversion where that meets a
/// Double with dimensions, so only scalars that are returned, or what is made of them alone, have the wrong type.
///
/// Ownership: borrows the walk.
/// Units:     places as in dump.h.
/// Errors:    unknown after VIEW_SOURCE_BUDGET nodes.
/// Threads:   pure.
/// Sources:   torch 2.6.0, torch/csrc/jit/passes/onnx/scalar_type_analysis.cpp; tried with exports.
#pragma once

#include "graph/model/graph_walk.h"
#include "outcome/truth.h"

Truth returned_scalars_keep_type(const GraphWalk *walk, Place node);
