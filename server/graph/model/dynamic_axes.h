/// Which dimensions of a value come from dynamic axes of the graph's inputs. A trace prints the sizes of its example
/// for all values but inputs; the exporter infers shapes anew, and doesn't know these.
///
/// Ownership: borrows the walk; sizes that are read live in the arena.
/// Units:     dimensions from 0, one bit each.
/// Errors:    what isn't certain is not dynamic.
/// Threads:   pure.
/// Sources:   torch.onnx.export() of torch 1.13 and 2.6 with dynamic_axes, run with each operator of the table.
#pragma once

#include "base/memory.h"
#include "graph/model/graph_walk.h"

/// Whether an input of the graph that holds the node has one.
bool dynamic_axes_are_in_graph(const GraphWalk *walk, Place node);
/// Those of the value that is defined there.
uint32_t dynamic_axes_of(const GraphWalk *walk, Place definition, Arena *arena);
