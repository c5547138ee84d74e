/// Which session an expression stands for, and which export of the file wrote the model that it reads. Private to
/// rules/.
///
/// Ownership: lists lie in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Errors:    NULL and false where the file does not show it.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/export/export_call.h"

/// The call of onnxruntime.InferenceSession() that makes what the expression stands for; NULL.
const PyCall *session_made(const PyModel *model, PyRef node);

/// The files that exports write; each export has its `parts`.
typedef struct WrittenModels {
  ExportCall *exports;
  Str *paths;  ///< Of each.
  size_t count;
  bool is_known;  ///< All paths are.
} WrittenModels;

WrittenModels written_models(DiagSink *sink);
/// The only export that writes to the path; in the function of the scope it has to come before the node. False if there
/// is none.
bool written_model(const WrittenModels *written, Str path, uint32_t scope, PyRef node, ExportCall *ret_export);
/// Whether two paths name one file: "./m.onnx" and "m.onnx".
bool session_is_same_path(Str a, Str b);
/// The one that wrote what the session reads.
bool session_export(const WrittenModels *written, const PyCall *session, ExportCall *ret_export);

/// The path of the file's only export, if the session reads another one that looks like it and that nothing else in the
/// file speaks of; empty.
Str session_path_meant(const WrittenModels *written, const PyCall *session);
/// Uses of what run() gives, and of its parts.
void session_check_results(DiagSink *sink, const WrittenModels *written);
/// `run(...)[2]`: has the model so many outputs?
void session_check_picked(DiagSink *sink, const WrittenModels *written, const PyCall *run, PyRef number);
/// Sessions with models that have operators of somebody's own.
void session_check_operators(DiagSink *sink, const WrittenModels *written);
