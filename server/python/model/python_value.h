/// The evaluation of one expression, in parts. Private to analysis/.
///
/// Ownership: lives for one question; nothing is allocated that outlives it.
/// Units:     kinds as in python/model/python_file.h.
/// Errors:    none; whatever is not sure is `unknown`.
/// Threads:   an Evaluation belongs to one thread.
/// Sources:   torch.onnx.symbolic_helper for what @parse_args and the helpers return.
#pragma once

#include "python/model/python_file.h"

typedef struct Evaluation {
  const PyFile *file;
  const PyModel *model;
  const PyTree *tree;
  int steps;  ///< Taken so far: an expression may ask for many others.
} Evaluation;

static const PyValue unknown = { 0, 0, -1 };

static inline PyValue value_make(uint32_t kinds)
{
  return (PyValue){ .kinds = kinds, .length = -1 };
}

static inline PyValue value_list(uint32_t elements, int length)
{
  return (PyValue){ .kinds = PY_LIST, .elements = elements, .length = length };
}

/// What it is if it may be either.
PyValue value_join(PyValue a, PyValue b);
/// Any element of a list.
PyValue value_element(PyValue list);
/// What a letter of @parse_args makes of a constant; unknown if there is no such letter.
PyValue value_of_letter(Str letter);

/// `depth` grows with every expression inside another one, and ends at a limit.
PyValue value_evaluate(Evaluation *e, PyRef node, int depth);
PyValue value_of_call(Evaluation *e, PyRef node, int depth);
/// An identifier at the place where it stands.
PyValue value_of_name(Evaluation *e, PyRef node, int depth);
/// What a name of another module stands for, such as torch.float32.
PyValue value_of_qualified(Evaluation *e, PyRef node);

/// `*x` or `**x`: it stands for any number of elements.
static inline bool value_is_splat(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_LIST_SPLAT || py_kind(tree, node) == PYK_DICTIONARY_SPLAT;
}

/// Whether the name is `torch.X` with one of these X.
bool value_is_torch_name(Str name, const char *const *names, size_t count);
