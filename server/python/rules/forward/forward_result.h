/// Whether what forward() computes at a place is part of what is exported. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not sure is not said to be so.
/// Threads:   as DiagSink.
/// Sources:   exports with torch 2.6 and 2.14: both exporters drop operators whose results are not used before they
///            look for functions.
#pragma once

#include "python/rules/forward/forward_tensors.h"

typedef enum ForwardReturn {
  RETURNED_NEVER,
  RETURNED_MAYBE,  ///< In a branch, or after a statement that may return: that depends on what is not known here.
  RETURNED_ALWAYS,
} ForwardReturn;

/// Whether something that the function returns is computed from the expression, and not from its shape or type alone.
/// A loop is taken to run.
/// A name through which a value goes around more loops than FORWARD_PASS_LIMIT is taken for one that is not returned.
ForwardReturn forward_returned(Forward *forward, PyRef node);
/// Whether the place in the function is run whenever the function is.
bool forward_runs_always(Forward *forward, PyRef node);
/// The same, whatever returns before it: it is in no branch of which nobody knows whether it is taken.
bool forward_is_in_no_branch(const Forward *forward, PyRef node);
/// `x.shape`, `x.size()`: the numbers in x are not asked for.
bool forward_asks_about_form(const PyTree *tree, PyRef attribute);
