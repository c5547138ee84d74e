/// The conditions under which an operator that an exporter converts doesn't export, or doesn't come out right.
///
/// Ownership: lists and texts live in the arena, outcomes in the facts.
/// Units:     as in describe/operator_facts.h.
/// Errors:    an operator of which nothing is known has no conditions, which is no promise.
/// Threads:   pure.
/// Sources:   symbolics_outcomes(), symbolics_dynamo_outcomes().
#pragma once

#include "core/diagnostics.h"
#include "describe/markup.h"
#include "describe/operator_facts.h"

enum { HOVER_CONDITIONS_SHOWN = 3 };  ///< Of each kind.

typedef struct OperatorCondition {
  const TorchOutcome *outcome;
  Exporter exporter;
  RuleId rule;              ///< Which reports nodes of which it holds.
  uint32_t torch_versions;  ///< Those of the outcome whose exporter has a function for the operator.
  Str when;                 ///< In words, in which backticks mark code.
  Str reason;
  Str runtime;  ///< "onnxruntime 1.21, 1.23"; empty for all that were measured.
} OperatorCondition;

/// Those of all exporters, torch versions and opsets, in the order of the facts.
const OperatorCondition *operator_conditions(const OperatorFacts *facts, Arena *arena, uint32_t *ret_count);
/// Those that count at the target, the simplest first, of the overload if one is asked for; none where the workspace
/// has the function or nothing converts it.
const OperatorCondition *operator_target_conditions(const OperatorFacts *facts, Arena *arena, uint32_t *ret_count);
/// A section for each kind of condition at the target, of at most `limit` items; the rest is counted.
/// Ways out are on pages only.
void operator_conditions_write(Markup *markup, const OperatorFacts *facts, uint32_t limit, Arena *arena);
/// "exports": what an operator does if no condition of the rule holds.
const char *operator_condition_verb(RuleId rule);
/// The rule that reports outcomes of a kind.
RuleId operator_condition_rule(OutcomeKind kind);
