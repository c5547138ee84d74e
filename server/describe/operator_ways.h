/// The ways out for an operator that an exporter does not take, or refuses in one case: found as data, worded once.
///
/// Ownership: lists and texts live in the arena, or belong to the facts.
/// Units:     opsets of ai.onnx.
/// Errors:    a way of which the facts are not sure is left out.
/// Threads:   pure.
/// Sources:   describe/operator_facts.h. For what is asked of whom: the text of
///            torch.onnx.errors.UnsupportedOperatorError and onnx's docs/AddNewOp.md, "Step 1".
#pragma once

#include "describe/markup.h"
#include "describe/operator_facts.h"

/// In the order in which they are worth trying.
typedef enum OperatorWayKind {
  WAY_OPSET,     ///< Another opset, a newer one if there is one.
  WAY_EXPORTER,  ///< The other exporter of the same torch.
  WAY_VERSIONS,  ///< A newer torch, perhaps with an onnxscript that is new enough.
  WAY_REWRITE,   ///< Other operators in the model.
  WAY_FUNCTION,  ///< A function of one's own.
  WAY_UPSTREAM,  ///< Asking for it.
  WAY_COUNT,
} OperatorWayKind;

typedef struct OperatorWay {
  OperatorWayKind kind;
  Exporter exporter;     ///< Which then takes it, or takes the function.
  int opset;             ///< To export to; 0 if any does.
  Str torch;             ///< With WAY_VERSIONS.
  Str onnxscript;        ///< With WAY_VERSIONS: the first release that will do; empty if it doesn't matter.
  const Str *operators;  ///< With WAY_REWRITE: those that make the same, "aten::mul.Tensor"; may be empty.
  uint32_t operator_count;
  Str text;  ///< Sentences, in which backticks mark code.
  Str url;   ///< Empty if there is none.
} OperatorWay;

/// Of an operator that the target's exporter refuses, or may refuse by what it is taken apart into; none of another
/// one. `refused` (may be NULL) is the outcome by which one call of an operator with a function is refused.
const OperatorWay *operator_ways(const OperatorFacts *facts, const TorchOutcome *refused, Arena *arena,
                                 uint32_t *ret_count);
/// Writes them as a list under a heading; nothing if there are none.
void operator_ways_write(Markup *markup, const OperatorFacts *facts, const TorchOutcome *refused, Arena *arena);
/// "opset", "exporter": as JSON has it.
const char *operator_way_name(OperatorWayKind kind);
/// That an exporter can convert the operator at these opsets, as a sentence; empty if there are none. `lowest` is that
/// of the exporter's range.
Str operator_exporter_words(Exporter exporter, OpsetSet opsets, int lowest, Arena *arena);
