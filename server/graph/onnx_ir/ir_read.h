/// Reads what onnx_ir prints into the tree of a model, so that the rules of ONNX models judge it.
///
/// Nothing is a mistake of syntax: a model in memory may lack types and shapes, and large tensors are left out of a
/// print.
///
/// Ownership: as onnx_tree.h says; onnx_tree_done() frees what is not in the arena.
/// Units:     as in onnx_tree.h.
/// Errors:    a text that ends early or has lines of something else is `is_damaged`.
/// Threads:   pure.
/// Sources:   as ir_scan.h.
#pragma once

#include "graph/onnx/onnx_tree.h"

void onnx_ir_read(OnnxModel *model, const OnnxSource *source, Arena *arena);
