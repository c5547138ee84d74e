/// Element types of tensors as they go through operators. Private to rules/.
///
/// Ownership: texts are constant, or borrow from the model.
/// Errors:    a type that is not sure is empty.
/// Threads:   pure.
/// Sources:   torch's rules of promotion; run with torch 2.6 and 2.14.
#pragma once

#include "python/rules/forward/forward_values.h"

/// Of an expression that makes a tensor of nothing but sizes or data: `torch.rand(3)`.
Str element_made(const PyModel *model, PyRef node, Arena *arena);
/// What `x.to(torch.int64)`, `x.long()` and `x.sin()` make of `given`; the arguments begin at `first`.
Str element_computed(const PyModel *model, const PyCall *call, Str name, Str given, uint32_t first, Arena *arena);
/// What `a + b` gives.
Str element_of_two(const PyModel *model, Str sign, const Followed *a, const Followed *b);
/// "int64", "uint8".
bool forward_is_int_element(Str element);
