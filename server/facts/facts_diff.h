/// What differs between two torch versions, or between two opsets of the ONNX domains; also across two databases.
///
/// Ownership: what a visitor is given lives until it returns.
/// Units:     as in symbolics.h.
/// Threads:   pure.
#pragma once

#include "facts/symbolics.h"

typedef enum DiffWhat {
  DIFF_TORCH_SCHEMA,  ///< An overload; before and after are its schemas.
  DIFF_TORCHSCRIPT,   ///< before and after are sets of opsets: "9-20", with ", blocked 7-8" after if there are any.
  DIFF_DYNAMO,
  DIFF_ONNX,  ///< before and after are versions: "11", "13"; `lines` say how they differ.
} DiffWhat;

typedef struct FactDiff {
  DiffWhat what;
  Str name;    ///< "aten::add.Tensor", "aten::add", "Conv", "ai.onnx.ml::Scaler".
  Str before;  ///< Empty: it is new.
  Str after;   ///< Empty: it is gone.
  const Str *lines;
  uint32_t line_count;
} FactDiff;

typedef struct FactsSide {
  const SymbolicsDb *db;
  uint32_t torch;  ///< For facts_diff_torch().
  int64_t opset;   ///< For facts_diff_onnx(); of the domain that is compared.
} FactsSide;

typedef bool (*DiffVisitor)(const FactDiff *diff, void *context);

/// Sorted by name; for one name first its schemas, then its support. Stops when `visit` returns false.
void facts_diff_torch(FactsSide before, FactsSide after, DiffVisitor visit, void *context);
/// Operators of one domain, sorted by name.
void facts_diff_onnx(FactsSide before, FactsSide after, Str domain, DiffVisitor visit, void *context);
