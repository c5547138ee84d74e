/// What `onnxls db diff` compares: "torch-2.6", "opset-13", "onnx-1.17", or a file of facts.
///
/// Ownership: db_sides_close() frees what files brought.
/// Units:     opsets are those of ai.onnx; `domains` are versions of the other domains.
/// Errors:    ERR_USAGE after a message.
/// Threads:   the main thread.
/// Sources:   onnx.helper.VERSION_TABLE of onnx 1.20, for the opsets of a release.
#pragma once

#include "cli/cli_facts.h"
#include "facts/facts_diff.h"

typedef enum SideKind {
  SIDE_FILE,  ///< Whatever the other side is.
  SIDE_TORCH,
  SIDE_OPSET,
  SIDE_ONNX,  ///< A release: all domains are compared.
} SideKind;

typedef struct Side {
  SideKind kind;
  const char *word;
  FactsSide diff;
  int64_t ml;        ///< Version of ai.onnx.ml; for SIDE_ONNX.
  SymbolicsDb *own;  ///< Of a file.
} Side;

/// `sides` are two, of one kind. A file is taken as what the other side is.
MUST_USE Status db_sides_open(const SymbolicsDb *db, const char *const *words, Side *sides);
void db_sides_close(Side *sides);
