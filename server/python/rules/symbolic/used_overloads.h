/// Which overloads of an operator the models of a file use, against the symbolic function that is registered for it.
/// Private to rules/.
///
/// Ownership: lists lie in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.utils._run_symbolic_function of torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/module/module_parts.h"
#include "python/rules/symbolic/function_check.h"

/// A call of a function or method in a forward() that an export may trace.
typedef struct OperatorUse {
  Str name;
  const PyCall *call;
} OperatorUse;

typedef struct OperatorUses {
  OperatorUse *items;  ///< By name.
  size_t count;
  ModuleParts parts;
  bool *tensor_params;  ///< By parameter of the file.
  bool is_read;         ///< Read when they are asked for.
} OperatorUses;

/// False, and said, if a call in sight passes the function more than it takes.
bool check_used_overloads(const FunctionCheck *check, OperatorUses *uses);
/// Parameters that the function reads as constants, where a call in sight gives it an input of the model.
void check_used_constants(const FunctionCheck *check, OperatorUses *uses);
