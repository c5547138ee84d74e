/// What the facts call the functions, methods and layers that a call in forward() runs. Private to rules/.
///
/// Ownership: names borrow the model, or lie in the sink's arena.
/// Errors:    the TorchScript exporter folds what is made of constants: there only what surely gets a tensor has names.
/// Threads:   as DiagSink.
/// Sources:   names as in symbolics-db/records/torch/python/traced.txt.
#pragma once

#include "python/rules/forward/forward_tensors.h"

typedef struct CalledNames {
  Str items[CALLED_NAME_LIMIT];
  size_t count;
} CalledNames;

/// "torch.special.i0e" of torch.special.i0e(x), "Tensor.cummax" of x.cummax(0) where x is surely a tensor,
/// "torch.nn.RMSNorm" of self.norm(x), and each layer of a self.net that is a torch.nn.Sequential.
CalledNames called_names(Forward *forward, const PyCall *call, Exporter exporter);
/// The same where it is known otherwise that the call is one of a tensor.
CalledNames called_names_of_tensor(const Forward *forward, const PyCall *call);
/// Whether calls of the function or method give one tensor: they become one operator, and all its overloads give one.
bool called_gives_tensor(const Forward *forward, Str name);
/// What each such call has in the newest torch version of the file: words as in facts/functions.h.
Str called_name_operators(const PyFile *file, Exporter exporter, Str name);
/// Whether each such call has the operator among others, in each torch version of the file.
bool called_name_has(const PyFile *file, Exporter exporter, Str name, Str operator);
