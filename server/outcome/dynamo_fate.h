/// What the dynamo exporter does with one node: it looks for a function for the overload, and where there is none takes
/// the overload apart, if it can, and looks for functions for the parts.
///
/// Ownership: texts belong to the facts or live in the arena.
/// Units:     opsets of ai.onnx; a torch version is an index as in facts/symbolics.h.
/// Errors:    what nobody knows is DYNAMO_NOT_KNOWN.
/// Threads:   pure, as far as the view is.
/// Sources:   torch/onnx/_internal/exporter of torch 2.14: _decomp.py, _fx_passes.py, _dispatching.py; symbolics-db's
///            records/torch/dynamo.
#pragma once

#include "facts/symbolics.h"
#include "outcome/truth.h"

typedef struct NodeView NodeView;  // outcome/outcome.h

typedef enum DynamoVerdict {
  DYNAMO_TRANSLATED,  ///< There is a function for it.
  DYNAMO_DECOMPOSED,  ///< There are functions for all of its parts.
  DYNAMO_REFUSED,     ///< There is none for it, or for one of its parts.
  DYNAMO_DEPENDS,     ///< Into which parts it is taken depends on what the text doesn't show; some are refused.
  DYNAMO_NOT_KNOWN,   ///< It is taken apart, and nobody knows into what; or nothing is known of the exporter.
} DynamoVerdict;

typedef struct DynamoFate {
  DynamoVerdict verdict;
  Str part;          ///< What has no function, "prims::bessel_i0e": itself or a part. Empty if nothing is refused.
  bool is_complex;   ///< It has none for complex inputs.
  const Str *parts;  ///< What it is taken apart into, as in DynamoParts; NULL if it is not.
  uint32_t part_count;
  bool by_arguments;  ///< What it is taken apart into depends on arguments of which the view, if any, doesn't tell.
  int since;          ///< The first opset with a function for the operator itself; 0 if there is none.
  Str onnxscript;     ///< The release that has a function for `part`, where the one in use has none; else empty.
} DynamoFate;

typedef struct DynamoQuestion {
  const SymbolicsDb *db;
  uint32_t torch;
  Str onnxscript;  ///< The release in use, "0.7.1"; empty for the one that the facts were read with.
  int opset;       ///< 0: the exporter's default.
  Str name;        ///< "aten::add", also in place: "aten::add_".
  Str overload;
  Truth is_complex;  ///< Does it get complex tensors?
  NodeView *view;    ///< Of its arguments; NULL if nothing is known of them.
} DynamoQuestion;

DynamoFate dynamo_fate(const DynamoQuestion *question, Arena *arena);

/// "prims.bessel_i0e.default": an overload as the exporter writes it.
Str dynamo_overload_words(Str name, Arena *arena);
