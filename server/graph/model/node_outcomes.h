/// Finds what becomes of the nodes that the registry takes, chunk by chunk; used by refusals.c.
///
/// Ownership: borrows the dump, the facts and the trace. Sets live as long as the finder.
/// Units:     places as in dump.h.
/// Threads:   one finder belongs to one thread.
/// Sources:   server/outcome/outcome.h. An ONNX graph of this exporter has no complex types: torch 1.13, 2.6 and 2.14,
///            torch/csrc/jit/passes/onnx/helper.cpp, ATenTypeToOnnxType.
#pragma once

#include "graph/model/refusals.h"
#include "graph/model/view_glance.h"

/// An outcome with the parts of its condition.
typedef struct OutcomeGuard {
  const TorchOutcome *outcome;
  const ConditionPart *parts;
  uint32_t part_count;
  uint32_t first_test;
} OutcomeGuard;

/// The outcomes of one operator that are about the target. Those that want element types of the first argument come
/// last.
typedef struct OutcomeSet {
  const OutcomeGuard *items;
  uint32_t count;
  GlanceTests tests;  ///< Of all of them.
} OutcomeSet;

typedef struct OutcomeFinder {
  DumpView view;
  uint32_t torch;
  int opset;
  Str runtime;
  Arena kept;     ///< Sets.
  Arena scratch;  ///< What is known of the nodes of a chunk.
  Vec(NodeOutcome) found;
} OutcomeFinder;

void outcome_finder_init(OutcomeFinder *finder, const Dump *dump, const SymbolicsDb *db, uint32_t torch,
                         const Target *target, Trace *trace);
void outcome_finder_done(OutcomeFinder *finder);

OutcomeSet outcome_finder_ask(OutcomeFinder *finder, Str op);
/// Says that few nodes of the next chunk are judged, or many, as at the beginning.
void outcome_finder_judge_few(OutcomeFinder *finder, bool is_few);
/// False if a glance at the node rules all of them out, as it mostly does.
bool outcome_finder_may_judge(OutcomeFinder *finder, const OutcomeSet *set, Place node);
/// Keeps what certainly becomes of a node; nothing if a pass removes it.
void outcome_finder_judge(OutcomeFinder *finder, Passes *passes, const OutcomeSet *set, Place node);
/// The same of a header's inputs: those of a complex type that a node needs.
void outcome_finder_judge_inputs(OutcomeFinder *finder, Passes *passes, Place header);
/// The same of a node with results: a constant of a complex type, or what becomes one before the export.
void outcome_finder_judge_constant(OutcomeFinder *finder, Passes *passes, Place node);
/// Hands over what was kept since the last time, in order of lines if they were asked from last to first.
const NodeOutcome *outcome_finder_take(OutcomeFinder *finder, uint32_t *ret_count);
