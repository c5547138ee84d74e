/// The words for what the dynamo exporter does with an overload.
///
/// Ownership: texts live in the arena or are literals.
/// Threads:   pure.
/// Sources:   outcome/dynamo_fate.h.
#pragma once

#include "describe/operator_facts.h"
#include "outcome/dynamo_fate.h"

/// What becomes of an overload that is not refused for certain, as a sentence.
Str dynamo_fate_words(const OperatorTarget *target, const DynamoFate *fate, int opset, Arena *arena);
/// "aten.mul.Tensor, aten.sum.default and 3 more": what an overload is taken apart into.
Str dynamo_part_list(const DynamoFate *fate, Arena *arena);
/// What torch.export takes an operator apart into, and whether there are functions for that, as a sentence; `who` is
/// whose.
Str dynamo_parts_words(const DynamoFate *fate, Str who, Arena *arena);
/// The same as a phrase: "taken apart, with functions for all parts".
Str dynamo_parts_phrase(const DynamoFate *fate, Arena *arena);

/// Why a node of the overload ("aten::add.Tensor") can't be exported, and what else can export it: what a diagnostic
/// says.
Str dynamo_refusal_words(const OperatorTarget *target, Str overload, const DynamoFate *fate, Arena *arena);
