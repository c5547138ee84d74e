/// The runtime that is to run a model, as people and settings name it.
///
/// Ownership: texts live in the facts or in the process.
/// Units:     versions of ONNX Runtime are MAJOR.MINOR; what comes after is a patch level and says nothing here.
/// Errors:    false for what names no runtime that the facts know.
/// Threads:   pure.
/// Sources:   symbolics-db/records/messages/runtimes.txt.
#pragma once

#include "facts/messages.h"

typedef struct RuntimeChoice {
  Str name;      ///< "onnxruntime"
  Str version;   ///< "1.22" of "onnxruntime 1.22.1", in the text that was given; empty if any is meant.
  Str measured;  ///< Whose outcomes count: "1.21"; the newest that is no newer, or the oldest; empty for any.
  bool is_exact;
  bool is_before;  ///< Older than all that were measured.
  /// What it takes: of this version, else of the newest that is no newer, or of the oldest; NULL if any is meant.
  const RuntimeFacts *limits;
} RuntimeChoice;

/// "onnxruntime 1.21", "onnxruntime==1.21.1", "onnxruntime".
bool symbolics_resolve_runtime(const SymbolicsDb *db, Str text, RuntimeChoice *ret_choice);
