/// A pasted refusal of the TorchScript exporter ("Exporting the operator 'aten::...' to ONNX opset version ... is not
/// supported") as an edit of the export call: a higher opset_version, or the dynamo exporter.
///
/// Ownership: everything lives in the arena, and borrows the texts.
/// Units:     byte offsets of the text that was given.
/// Errors:    a call that can't be changed for sure, or is one of several, is left alone.
/// Threads:   pure.
/// Sources:   torch/onnx/errors.py UnsupportedOperatorError; the facts say which opset and which exporter.
#pragma once

#include "core/action_job.h"

typedef struct ExportWish {
  int opset;       ///< What opset_version becomes; with the dynamo exporter at least that.
  bool is_dynamo;  ///< Add dynamo=True.
} ExportWish;

/// The edits of the one call of torch.onnx.export() in `code` outside of comments, tracebacks and `skipped`.
size_t suggested_export_edit(const void *wish, Str code, Range skipped, Arena *arena, const TextEdit **ret_edits);
/// Where the range touches such a message: actions for the call in this document, else in a file of its traceback.
void suggested_export_act(ActionJob *job, Range range);
