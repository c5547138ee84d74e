/// The words for what is known of an operator: each fact has one wording, which hovers, pages, reports and diagnostics
/// share.
///
/// Ownership: texts live in the arena or are literals.
/// Threads:   pure.
/// Sources:   describe/operator_facts.h.
#pragma once

#include "describe/operator_facts.h"

/// Whether the target's exporter converts the operator, in sentences. Empty for an operator of ONNX.
Str operator_verdict_words(const OperatorFacts *facts, Arena *arena);
/// The same as a diagnostic says it of a refused operator: "'aten::x' can't be exported: ...". `is_unsure` says that a
/// pass may remove the node first.
Str operator_refusal_words(const OperatorFacts *facts, bool is_unsure, Arena *arena);
/// The same within a list of refused operators: "can be converted from opset 14 on", "a custom operator".
Str operator_refusal_phrase(const OperatorFacts *facts, Arena *arena);
/// That the dynamo exporter can convert it, as a sentence; empty if that is not known.
Str operator_dynamo_words(const OperatorFacts *facts, Arena *arena);

/// What one exporter of a torch version makes of it: "opsets 7-20", "no function of its own".
Str operator_support_words(const ExporterFacts *facts, Exporter exporter, Arena *arena);
/// At which opsets there is a function that only raises an error: " (at 7-8 its ...)"; empty for none.
Str operator_blocked_words(const ExporterFacts *facts, Arena *arena);
/// When the pass does what its reason says: "always", "if only constant keys are read".
const char *operator_pass_condition(PassCondition condition);
/// That a name which begins with `aten::` is not an operator of torch.
Str operator_unknown_words(void);
/// Which function of torch an export takes instead of those of the workspace, as a sentence.
Str operator_shadowing_words(const OperatorFacts *facts, Arena *arena);
/// Of a registration that no export uses: "an export to any opset takes another function".
Str operator_shadowed_words(void);
/// What the dynamo exporter makes of symbolic functions: "called only with dynamo=False". Empty if another one is
/// taken, or that is not known.
Str operator_ignored_words(bool is_dynamo, bool has_export);
/// "1 input", "2 to 3 inputs", "at least 1 input"; `max` may be ONNX_NO_LIMIT.
Str operator_count_words(uint32_t min, uint32_t max, const char *noun, Arena *arena);
/// "1.13, 2.6 and 2.14": the torch versions of a set.
Str operator_torch_list(const SymbolicsDb *db, uint32_t set, Arena *arena);
