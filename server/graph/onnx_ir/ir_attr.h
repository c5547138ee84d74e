/// Types, tensors and attributes of what onnx_ir prints: Python's spelling of values.
///
/// Ownership: results live in the arena or point into the text.
/// Units:     as in onnx_tree.h.
/// Errors:    what is not understood has no type, and nothing is said of it.
/// Threads:   pure.
/// Sources:   Attr.__str__ and the enums of onnx_ir; repr() of Python and numpy.
#pragma once

#include "graph/onnx_ir/ir_scan.h"

/// The type of a value; NULL if none is printed.
OnnxType *ir_type(const IrScan *scan, const IrValue *value, Arena *arena);
/// The numbers that stand in `array([1, 2])` or `{[1, 2]}`; else they are left out.
void ir_tensor_data(const IrScan *scan, OnnxSpan at, OnnxData *data);
/// The value of an attribute that is no graph, up to the `,` or `}` after it.
void ir_read_attribute(IrScan *scan, OnnxAttr *attr, Arena *arena);
