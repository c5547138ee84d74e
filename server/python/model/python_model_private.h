/// What the files of the Python lowering share. Private to model/.
///
/// Ownership: as in python.h.
/// Units:     as in python.h.
/// Threads:   one model is made by one thread.
#pragma once

#include "python/model/python_model.h"

// python_names.c
/// Sorts the bindings for py_model_lookup(); call when all are there.
void python_index_names(PyModel *model);
/// The name whose object the node changes in place: `x.append(...)`, `x[0] = ...`, `x[0] += ...`, `del x[0]`; 0 for
/// none.
PyRef python_changed_name(const PyTree *tree, PyRef node);
/// Fills in PyBinding.is_changed.
void python_note_changes(PyModel *model);

// python_rows.c

/// Names that a loop or a comprehension over a literal gives values to, for one row of it.
typedef struct PyRow {
  Str names[8];
  PyRef values[8];
  size_t count;
  PyRef node;  ///< The row; 0 if there is no loop.
} PyRow;

/// What the row gives the name that `node` is; else `node`, without parentheses. 0 stays 0.
PyRef python_row_value(const PyModel *model, const PyRow *row, PyRef node);
/// py_model_string(), with the names of the row.
bool python_row_string(const PyModel *model, const PyRow *row, PyRef node, Arena *arena, Str *ret_value);
/// The expression that the innermost loop around `node` which binds `name` runs over; its target in `ret_target`.
PyRef python_loop_over(const PyModel *model, PyRef node, Str name, PyRef *ret_target);
/// Calls `make` for each row that the loop around `node` makes of these names; once without a row if no loop binds
/// them, or one over something that is not written out.
void python_each_row(PyModel *model, PyRef node, const PyRef *used, size_t used_count,
                     void (*make)(PyModel *model, const PyRow *row, void *context), void *context);

// python_registrations.c
/// Fills in registrations, and what they say of functions. Calls, functions and names have to be there.
void python_find_registrations(PyModel *model);

// registration_parts.c
void python_registration_add_opset(PyModel *model, PyRegistration *registration, int64_t opset);
/// `node` may be 0: it says nothing.
void python_registration_read_opsets(PyModel *model, PyRegistration *registration, PyRef node);
/// What is registered: a function or static method of this file, a lambda, or the name of something elsewhere.
void python_registration_read_function(PyModel *model, PyRegistration *registration, PyRef node);

// python_ops.c
/// Fills in operators and exports.
void python_find_ops(PyModel *model);
