/// What the files that write hovers in Python share.
///
/// Ownership: as in describe/operator_context.h.
/// Units:     nodes of the file.
/// Errors:    functions that find nothing to say write nothing.
/// Threads:   one hover belongs to one thread.
#pragma once

#include "describe/operator_context.h"
#include "python/features/python_features.h"
#include "python/features/python_words.h"

/// One hover; its range is the node's.
typedef struct PyHover {
  OperatorContext job;
  PyWords words;
  const PyFile *file;
  const PyModel *model;
  const PyTree *tree;
  PyRef node;
} PyHover;

// hover_python_onnx.c
void hover_python_onnx_op(PyHover *hover, const PyOp *op);
/// The name of an argument with a keyword; false if nothing is known of the call.
bool hover_python_attribute(PyHover *hover, PyRef keyword_argument);

// hover_python_torch.c
/// "aten::elu", "::elu"
void hover_python_torch_name(PyHover *hover, Str name);
/// The letter for parameter `position` of a function.
void hover_python_letter(PyHover *hover, uint32_t function, uint32_t position);
/// `_get_const(x, "f", "alpha")`; false if the string is no letter of such a call.
bool hover_python_helper_letter(PyHover *hover, uint32_t call);
void hover_python_function(PyHover *hover, uint32_t function);
