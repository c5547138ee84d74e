/// Whether what forward() computes at a place is part of what is exported. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not sure is not said to be so.
/// Threads:   as DiagSink.
/// Sources:   exports with torch 2.6 and 2.14: both exporters drop operators whose results are not used before they
/// look
///            for functions.
#pragma once

#include "python/rules/forward_tensors.h"

/// False in a branch or after a statement that may return: whether it runs depends on what is not known here. A loop is
/// taken to run.
bool forward_runs_always(const Forward *forward, PyRef node);
/// Whether something that the function returns is computed from the expression, and not from its shape or type alone.
bool forward_is_returned(const Forward *forward, PyRef node);
