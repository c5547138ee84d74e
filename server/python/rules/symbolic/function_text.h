/// The operators that the symbolic functions of a file make, as ONNX text, which the flow of types and shapes then goes
/// through. Private to rules/symbolic/.
///
/// Ownership: as MadeModel.
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not known of an operator makes it one of a domain that nobody knows.
/// Threads:   pure.
/// Sources:   run with torch 1.13, 2.6 and 2.14: the passes of the exporter cast inputs of some operators to one type.
#pragma once

#include "python/model/python_file.h"
#include "python/rules/tools/made_model.h"

/// The lowest and the highest opset at which an operator is used; 0 for what is not written down.
typedef struct OpSpan {
  int lowest, highest;
  int written;    ///< The one of the two at which it is written next; 0 for neither.
  bool is_known;  ///< Each opset between is surely used.
} OpSpan;

typedef struct FunctionPlan {
  OpSpan *spans;    ///< By PyModel.ops.
  uint32_t *order;  ///< Indices of PyModel.ops; what is written in the place of an input comes first.
} FunctionPlan;

/// Which operators may tell something, and what these are made of; each is written at its highest opset next. Of what
/// no constant goes into nothing is known that other rules don't tell.
FunctionPlan function_text_plan(MadeWork *work, const PyFile *file);
/// Whether the exporter may cast inputs of the operator to one type.
bool function_text_is_repaired(const PyOp *op);
/// Whether the value is a Constant, maybe made by a function of the file.
bool function_text_is_constant(MadeWork *work, const PyFile *file, PyRef value);
/// Writes those with `written` at the opset; by PyModel.ops.
void function_text_write(MadeWork *work, const PyFile *file, const FunctionPlan *plan, int opset, MadeModel *ret_made);
