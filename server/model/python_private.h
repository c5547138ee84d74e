/// What the files of the Python lowering share. Private to model/.
///
/// Ownership: as in python.h.
/// Units:     as in python.h.
/// Errors:    none.
/// Threads:   one model is made by one thread.
/// Sources:   none.
#pragma once

#include "model/python.h"

enum {
  ALIAS_LIMIT = 8,         ///< Aliases of aliases that are followed.
  CHAIN_LIMIT = 16,        ///< Parts of `a.b.c`.
  ROW_LIMIT = 512,         ///< Rows of a table of registrations.
  NESTING_LIMIT = 200,     ///< Levels around a node that are looked at.
  STATEMENT_LIMIT = 1000,  ///< Statements before a node that are looked at.
};

// python_names.c
/// Sorts the bindings for py_lookup(); call when all are there.
void python_index_names(PyModel *model);

// python_registrations.c
/// Fills in registrations, and what they say of functions. Calls, functions and names have to be there.
void python_find_registrations(PyModel *model);

// python_ops.c
/// Fills in operators and exports.
void python_find_ops(PyModel *model);
