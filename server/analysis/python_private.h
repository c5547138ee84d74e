/// What the parts of a PyFile share. Private to analysis/.
///
/// Ownership: as in analysis/python.h.
/// Units:     as in analysis/python.h.
/// Errors:    none.
/// Threads:   while the PyFile is made.
/// Sources:   none.
#pragma once

#include "analysis/python.h"

/// Fills PyFile.customs once the model has all registrations.
void python_index_customs(PyFile *file);
