/// What everything that writes about an operator needs: the document, the facts and the target, and where to write.
///
/// Ownership: borrows the feature's context; texts live in the markup until somebody finishes it.
/// Units:     as in core/features.h.
/// Errors:    functions that find nothing to say write nothing.
/// Threads:   one context belongs to one thread.
/// Sources:   facts/symbolics.h.
#pragma once

#include "core/features.h"
#include "describe/markup.h"
#include "describe/operator_words.h"
#include "facts/symbolics.h"

typedef struct OperatorContext {
  const FeatureContext *context;
  Arena *arena;
  const Snapshot *snapshot;
  const Document *document;
  const Target *target;
  const SymbolicsDb *db;
  uint32_t torch;       ///< The target's version in the facts.
  bool hides_suffixes;  ///< Attributes have no other name here than their own.
  bool hides_needs;     ///< Whoever asks says by itself at which opsets the operator stands.
  int opset;            ///< At which operators of ONNX are shown: the target's, or that of the place.
  Markup markup;
} OperatorContext;

OperatorContext operator_context(const FeatureContext *context);
/// Whose answers the context's facts of an operator are.
OperatorTarget operator_target(const OperatorContext *job);
/// The operator with its schemas: torch's, or one that the workspace defines. NULL for neither.
const TorchOperator *operator_context_torch(const OperatorContext *job, Str name);

/// Writes about a schema of ONNX in short.
void operator_context_write_onnx(OperatorContext *job, Str domain, Str name);
void operator_context_write_attribute(OperatorContext *job, const OnnxAttribute *attribute);
/// What each exporter of each torch version makes of an operator of torch.
void operator_context_write_versions(OperatorContext *job, const OperatorFacts *facts);
