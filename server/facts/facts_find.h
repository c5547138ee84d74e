/// What a person means by an operator's name: "Conv", "ai.onnx.ml::Scaler", "aten::elu", "add.Tensor", "elu".
///
/// Ownership: names belong to the database, the list to the arena.
/// Errors:    no result means that nothing is called so.
/// Threads:   pure.
#pragma once

#include "facts/symbolics.h"

typedef struct FoundOperator {
  const OnnxOperator *onnx;  ///< Exactly one of the two is set.
  const TorchOperator *torch;
  Str overload;  ///< What stood after the dot of a torch operator; empty for all overloads.
} FoundOperator;

/// Everything that is called `word`, ONNX first, then aten and the other namespaces. A word with "::" is taken exactly;
/// one without is looked up in every domain and namespace, and if no case fits, in any case.
size_t symbolics_find(const SymbolicsDb *db, Str word, Arena *arena, const FoundOperator **ret_found);
