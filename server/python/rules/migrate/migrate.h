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

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/python_edit.h"

enum { MIGRATION_OPSET = 18 };  ///< Of what is written: the exporter brings the model to the opset that is asked for.

/// What can't be carried over.
typedef struct MigrationStop {
  PyRef node;       ///< Where it is; 0 if there is nothing like that, or no migration is wanted.
  const char *why;  ///< The rest of a sentence about it: "is a call that ..."
} MigrationStop;

/// The function in terms of onnxscript, under its overload in a custom_translation_table that exports are given.
const Fix *migrate_registration(DiagSink *sink, const PyRegistration *registration, MigrationStop *ret_stop);
/// forward() makes the node of symbolic() by torch.onnx.ops.symbolic() while it is exported.
const Fix *migrate_autograd(DiagSink *sink, uint32_t symbolic, MigrationStop *ret_stop);

/// A growing list of edits of one fix.
typedef struct Migration {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  uint32_t function;
  Vec(TextEdit) edits;
  bool is_possible;
  /// Those whose bodies are translated: helpers come after `function`.
  uint32_t functions[PY_MIGRATION_FUNCTION_LIMIT];
  uint32_t function_count;
  MigrationStop stop;  ///< The first reason why it is not.
} Migration;

Migration migration_begin(DiagSink *sink, uint32_t function);
void migration_edit(Migration *migration, size_t start, size_t end, Str text);
/// Takes a node away; with its line if nothing else is on it.
void migration_remove_line(Migration *migration, PyRef node);
/// The schema of an operator of ONNX at that opset; NULL for others.
const OnnxSchema *migration_schema(const Migration *migration, const PyOp *op);
/// The same of an operator of ONNX by its name.
const OnnxSchema *migration_schema_named(const Migration *migration, Str name);
/// Writes the function, and the helpers that it gives the graph, in terms of onnxscript.
void migration_translate(Migration *migration, Str graph);
static inline size_t migration_start(const Migration *migration, PyRef node)
{
  return migration->model->tree.nodes[node].start;
}

static inline size_t migration_end(const Migration *migration, PyRef node)
{
  return migration->model->tree.nodes[node].end;
}

/// Goes on only if it holds, or else keeps why it stops at the node.
void migration_need(Migration *migration, bool holds, PyRef node, const char *why);
/// NULL if it is not possible.
const Fix *migration_finish(Migration *migration, Str title);
/// True if the file may run with a torch that has torch.onnx.ops and a dynamo exporter by default: the newest one.
bool migration_is_wanted(const PyFile *file);
