/// What calls of torch's functions, methods of tensors and layers always become when an exporter looks at a model.
///
/// Ownership: names belong to the database.
/// Units:     a torch version is an index into symbolics_torch_versions().
/// Errors:    an empty answer means that nothing is known, or that calls have no operator in common.
/// Threads:   pure.
/// Sources:   calls of PyTorch's own databases of functions and modules, traced and captured by each torch
///            (symbolics-db/tools/functions).
#pragma once

#include "facts/symbolics.h"

/// The operators that each call of `function` ("torch.special.i0e", "Tensor.cummax", "torch.nn.RMSNorm") has among
/// others, as words: "aten::special_i0e". For the TorchScript exporter those of the trace, for the dynamo exporter
/// those of the captured program, before it takes them apart.
Str functions_operators(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str function);
/// The next word of such a list, which it drops; false at the end.
bool functions_next(Str *operators, Str *ret_operator);
