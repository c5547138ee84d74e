/// Edits that turn symbolic functions of the TorchScript exporter into what the dynamo exporter calls. Private to
/// rules/.
///
/// Ownership: fixes live in the sink's arena.
/// Units:     functions and registrations of the sink's Python file.
/// Errors:    NULL where the code holds anything that can't be carried over for certain.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx._internal.exporter of torch 2.14 and onnxscript 0.7, as run: what a translation is called
/// with,
///            which values its operators take; torch.onnx.ops.symbolic().
#pragma once

#include "base/vec.h"
#include "python/rules/python_edit.h"

/// The function in terms of onnxscript, under its overload in a custom_translation_table that exports are given.
const Fix *migrate_registration(DiagSink *sink, const PyRegistration *registration);
/// forward() makes the node of symbolic() by torch.onnx.ops.symbolic() while it is exported.
const Fix *migrate_autograd(DiagSink *sink, uint32_t symbolic);

/// A growing list of edits of one fix.
typedef struct Migration {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  uint32_t function;
  Vec(TextEdit) edits;
  bool is_possible;
} Migration;

Migration migration_begin(DiagSink *sink, uint32_t function);
void migration_edit(Migration *migration, size_t start, size_t end, Str text);
/// Takes a node away; with its line if nothing else is on it.
void migration_remove_line(Migration *migration, PyRef node);
/// NULL if it is not possible.
const Fix *migration_finish(Migration *migration, Str title);
/// True if the file may run with a torch that has torch.onnx.ops and a dynamo exporter by default: the newest one.
bool migration_is_wanted(const PyFile *file);
