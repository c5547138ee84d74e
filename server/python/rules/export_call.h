/// One call of torch.onnx.export(), as the rules about exports see it. Private to rules/.
///
/// Ownership: lives while the call is checked; lists in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Errors:    0 and PY_ABSENT where something is not given or not known.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.export of torch 1.13, 2.6 and 2.14; facts/export_api.h.
#pragma once

#include "base/limits.h"
#include "python/rules/python_edit.h"

typedef enum ExportKind {
  EXPORT_EITHER,  ///< That depends on the torch version, or on a value that is not known.
  EXPORT_TRACES,  ///< The TorchScript exporter, surely.
  EXPORT_DYNAMO,
} ExportKind;

typedef struct ExportCall {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  const PyCall *call;
  ExportKind kind;
  bool says_dynamo;  ///< `dynamo=True` or `dynamo=False` is written there.
  int *guesses;      ///< How often names that were meant were looked for in this file; set by the caller.
} ExportCall;

/// The i-th of PyModel.exports.
ExportCall export_call(DiagSink *sink, size_t i);
/// The argument of that name, by keyword or by the position that it has in one of the file's torch versions; NULL.
const PyArgument *export_argument(const ExportCall *export, const char *name);
/// What the argument stands for (py_model_resolve()); 0 if it is not given, or is None.
PyRef export_value(const ExportCall *export, const char *name);
/// Do all of the file's torch versions come from `major.minor` on?
bool export_torch_is_from(const PyFile *file, uint16_t major, uint16_t minor);

/// The model that is exported, as far as the file shows how it is made.
typedef struct ExportModel {
  PyRef node;          ///< The call that makes it; 0 if unknown.
  const PyCall *made;  ///< The same.
  Str torch_class;     ///< "Linear" of torch.nn.Linear; empty.
  uint32_t forward;    ///< The method of a class of this file; PY_ABSENT.
  PyRef class_node;    ///< Of that class.
} ExportModel;

ExportModel export_model(const ExportCall *export);

/// Is the expression surely a tensor: made by torch.randn() and the like?
bool export_is_tensor(const PyModel *model, PyRef node);
/// How many tensors the model is called with; -1 if that is not known.
int export_input_count(const ExportCall *export);

/// input_names or output_names.
typedef struct ExportNames {
  PyRef node;  ///< 0 if not given.
  bool is_known;
  Str items[PY_EXPORT_NAME_LIMIT];
  PyRef nodes[PY_EXPORT_NAME_LIMIT];
  size_t count;
} ExportNames;

/// Is it one of the first `count`?
bool export_has_name(const ExportNames *list, size_t count, Str name);

/// What the torch versions of the file do with an argument.
typedef struct ExportAcceptance {
  bool is_taken, is_swallowed, is_refused;  ///< By one of them.
} ExportAcceptance;

/// `argument` NULL is one that no version has.
ExportAcceptance export_acceptance(const PyFile *file, const PyExportArgument *argument);
/// A literal such as "0" or 0.0 as an int; empty if it is none.
Str export_int_meant(const ExportCall *export, PyRef node);

// --- The rules about parts of a call ---
void export_check_axes(const ExportCall *export, const ExportNames *inputs, const ExportNames *outputs);
void export_check_arguments(const ExportCall *export);
