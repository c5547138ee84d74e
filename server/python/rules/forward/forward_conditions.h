/// Where Python asks for the truth of a value in forward(). Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    a node that asks for nothing is 0.
/// Threads:   as DiagSink.
/// Sources:   Python's language reference, "Boolean operations" and "Comparisons".
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// What decides in `not t` and `t and ...`: the part that is always asked.
PyRef forward_first_asked(const PyTree *tree, PyRef condition);
/// The condition of a branch, a loop or a conditional expression; 0 for other nodes.
PyRef forward_condition(const PyTree *tree, PyRef node);
/// What `if self.training:` and `a if self.aux else b` run of their parts, where an exporter sets self.training to
/// False, or __init__() alone sets the member, to True or False: 1 for a part that surely runs, 0 for one that surely
/// does not; -1 for other conditions.
int forward_flag_runs(const Forward *forward, PyRef whole, PyRef part);
/// What `x and y`, `not x` and `a < x < b` ask for its truth outside of conditions; 0 for other nodes.
PyRef forward_asked_by_value(const Forward *forward, PyRef node);
/// `t in (a, b)` and `a in t`, where Python compares what is a tensor.
bool forward_searches_tensor(Forward *forward, PyRef comparison);
