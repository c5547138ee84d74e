/// What the function of an operator of custom_op() gives back and changes. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes and functions of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   torch._library of torch 2.14: the check for aliases, and opcheck().
#pragma once

#include "python/rules/python_edit.h"

/// `mutates` is the value of mutates_args; 0. `severity` is that of a change that it does not name. What is
/// `is_inplace` may give back what it changes.
void check_library_results(DiagSink *sink, uint32_t function, PyRef mutates, Severity severity, bool is_inplace);
