/// What the parts of a PyFile share. Private to analysis/.
///
/// Ownership: as in python/model/python_file.h.
/// Units:     as in python/model/python_file.h.
/// Threads:   while the PyFile is made.
#pragma once

#include "python/model/python_file.h"

/// Fills PyFile.customs once the model has all registrations.
void python_index_customs(PyFile *file);
