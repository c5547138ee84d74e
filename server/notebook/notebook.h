/// Notebooks (.ipynb): a container. The code of all cells is one Python document, what cells printed are documents of
/// other languages, and what rules say of these is said of their places in the file.
///
/// Ownership: constants.
/// Threads:   as core/language.h says.
/// Sources:   nbformat, "The Notebook file format".
#pragma once

#include "core/features.h"

extern const Language notebook_language;
