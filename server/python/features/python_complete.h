/// What the files that complete in Python share.
///
/// Ownership: a PyCompletion borrows the job and the help; what items hold lives in the arena.
/// Units:     as in features.h.
/// Errors:    where nothing fits nothing is added.
/// Threads:   one thread at a time.
#pragma once

#include "core/completion_job.h"
#include "python/features/python_words.h"

typedef struct PyCompletion {
  CompletionJob *job;
  const PyHelp *help;
  Arena *arena;
  Range replaced;
  Str typed;        ///< Of it, what comes before the cursor.
  bool is_closed;   ///< The string around the cursor.
  bool is_quoted;   ///< There is no string yet: what is inserted brings its quotation marks.
  bool has_equals;  ///< `=` comes after the name already.
  Markup markup;
  PyWords words;
} PyCompletion;

/// The item's place and order are filled in, and its text if it is empty; groups come in the order of their characters.
void py_complete_add(PyCompletion *at, CompletionItem item, char group);
/// The markup so far becomes the item's documentation, and is empty afterwards.
void py_complete_document(PyCompletion *at, CompletionItem *item);
/// Whether the call has this keyword, elsewhere than at the cursor.
bool py_complete_is_given(const PyHelp *help, Str keyword);

/// Names of operators in g.op().
void py_complete_operators(PyCompletion *at);
/// Names of operators after `op.`.
void py_complete_members(PyCompletion *at, Str domain, int opset);
/// Attributes of the operator in the call: with suffixes for g.op().
void py_complete_attributes(PyCompletion *at, bool is_graph_op);
/// What the attribute of that keyword may be: the strings that are allowed, the element types of ONNX.
void py_complete_attribute_value(PyCompletion *at, Str keyword);
/// Domains of the file's operators, for custom_opsets.
void py_complete_domains(PyCompletion *at);
/// Names of torch operators to register; without their namespace for g.at().
void py_complete_torch_names(PyCompletion *at, bool is_bare);
/// Operators that the workspace defines, after `torch.ops.mylib.`; false if `qualified` is no such name space.
bool py_complete_torch_ops(PyCompletion *at, Str qualified);
/// The letter for the parameter at the cursor.
void py_complete_letters(PyCompletion *at);
/// The letter in `_get_const(x, "f", ...)`.
void py_complete_helper_letter(PyCompletion *at);
/// Arguments of torch.onnx.export(), those that are used most first.
void py_complete_export_arguments(PyCompletion *at);
/// The same of torch.export.export().
void py_complete_capture_arguments(PyCompletion *at);
/// Parameters of forward(), for dynamic_shapes.
void py_complete_shapes(PyCompletion *at);
/// What follows `torch.export.Dim.`; false if `qualified` is something else.
bool py_complete_dims(PyCompletion *at, Str qualified);
/// Names of inputs and outputs in the same call of torch.onnx.export(), for dynamic_axes.
void py_complete_axes(PyCompletion *at);
